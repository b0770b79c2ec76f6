"""A tool with which a model asks everyone who is present, also those who join while the question is open.

What to look at: `audience=rig.present` and `All()`. Bo joins after Ana has answered, and is waited for. Cy leaves
without an answer, and is waited for no more. The model's calls and the people are scripted; the file really goes.
"""

import json
import sys
import tempfile
from collections import Counter
from typing import Any

import trio

from facets import Principal
from questions import All, InvalidQuestion, Option, Select
from questions.testing import Person, Rig, open_rig

MODEL = Principal.program("model-7")
CALLS = [
    '{"question": "Which log may I delete?", "options": []}',
    '{"question": "Which log may I delete?", "options": ["access.log", "debug.log"]}',
]


async def ask_people(rig: Rig, question: str, options: list[str]) -> dict[str, Any]:
    """The tool. What it returns goes back to the model, faults in the model's own call too."""
    try:
        select = Select(question, [Option(name, name) for name in options])
    except InvalidQuestion as error:
        return {"error": list(error.faults)}
    asker = await rig.asker()
    collected = await asker.ask(select, audience=rig.present, policy=All(), timeout=60, on_behalf_of=MODEL)
    answers = {one.by.name: one.answer for one in collected.answers}
    silent = [who.name for who in collected.seen if who.name not in answers]
    return {"answers": answers, "saw it and said nothing": silent, "complete": collected.ended == "reached"}


async def answer(person: Person, choice: str) -> None:
    async for open_questions in person.viewer.open.changes():
        if open_questions:
            await person.answer(choice)
            print(f"  {person.principal.id} answers {choice}")
            return


async def meeting(rig: Rig, ana: Person, cy: Person) -> None:
    """Who comes, answers and goes, in this order."""
    await answer(ana, "debug.log")
    bo = rig.person("bo")
    await bo.join()
    print("  bo joins")
    await answer(bo, "debug.log")
    print("  cy is still asked", cy.see()[0].message, "and leaves")
    cy.leave()


async def main(folder: str) -> None:
    for name in ("access.log", "debug.log"):
        await trio.Path(folder, name).write_text("line\n")
    async with open_rig() as rig, trio.open_nursery() as nursery:
        ana, cy = await rig.people("ana", "cy")
        nursery.start_soon(meeting, rig, ana, cy)
        for call in CALLS:
            print("the model calls ask_people with", call)
            result = await ask_people(rig, **json.loads(call))
            print("the model gets", json.dumps(result))
            if result.get("complete"):
                [(chosen, votes)] = Counter(result["answers"].values()).most_common(1)
                await trio.Path(folder, chosen).unlink()
                print(f"deleted {chosen}, for which {votes} were")


if __name__ == "__main__":
    trio.run(main, sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
