"""A committee chooses where its next meeting is, by ranked choice, and reads why it came out so.

What to look at: `policy=Mechanism("ranked_choice")`, whose result is counted by the last ballot of each; Bo, who
revises his; and `explain`, which tells the rounds from the result alone. The minutes are written to disk, the picture
beside them. The members are scripted.
"""

import json
import sys
import tempfile
from pathlib import Path

import trio

from questions import Option, Select
from questions.rooms import Mechanism, Tallied, explain, picture
from questions.testing import Person, Rig, open_rig

CITY = Select("Where do we meet?", [Option("vienna", "Vienna"), Option("porto", "Porto"), Option("oslo", "Oslo")])
BALLOTS = {
    "ana": ["vienna", "porto"],
    "bo": ["oslo"],
    "cy": ["porto", "vienna"],
    "dee": ["oslo", "vienna"],
    "eve": ["vienna"],
}


async def vote(member: Person, ballot: list[str]) -> str:
    async for open_questions in member.viewer.open.changes():
        if open_questions:
            break
    [question] = member.see()
    await member.viewer.answer(question.id, ballot)
    print(f"  {member.principal.id} ranks {' > '.join(ballot)}")
    return question.id


async def meeting(members: list[Person]) -> None:
    """All vote, one after the other; Bo thinks again before the last one does."""
    *others, last = members
    ids = [await vote(member, BALLOTS[member.principal.id]) for member in others]
    await others[1].viewer.answer(ids[0], ["oslo", "porto"])
    print("  bo revises: oslo > porto")
    await vote(last, BALLOTS[last.principal.id])


def minutes(folder: Path, tallied: Tallied) -> None:
    """What was decided, why, and all that anybody needs to count it again."""
    told = explain(tallied.as_case(), {option.id: option.label for option in CITY.options})
    print(told.as_text())
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "minutes.txt").write_text(told.as_text(), encoding="utf-8")
    (folder / "vote.svg").write_text(picture(told), encoding="utf-8")
    (folder / "vote.jsonl").write_text(json.dumps(tallied.as_case()) + "\n", encoding="utf-8")
    print(f"The minutes, the picture and the ballots are in {folder}.")


async def choose(rig: Rig, members: list[Person]) -> Tallied:
    asker = await rig.asker()
    audience = [member.principal for member in members]
    return await asker.ask(CITY, audience=audience, policy=Mechanism("ranked_choice", quorum=3), timeout=3600)


async def main(folder: str) -> None:
    async with open_rig() as rig, trio.open_nursery() as nursery:
        members = await rig.people(*BALLOTS)
        nursery.start_soon(meeting, members)
        minutes(Path(folder), await choose(rig, members))


if __name__ == "__main__":
    trio.run(main, sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
