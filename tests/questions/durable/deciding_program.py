"""A process that raises decisions and waits for them, to be killed. It says on stdout how far it has come.

python -m tests.questions.durable.deciding_program FOLDER hold COUNT   raises so many: "holds ID ID ..."
python -m tests.questions.durable.deciding_program FOLDER await ID     "got ID OPTION VERSION AT"
python -m tests.questions.durable.deciding_program FOLDER flow         two steps, each raised by the first life that
                                                                       comes to it: "waits ID", "got ...", twice
"""

import sys

import trio

from facets import Principal
from questions.durable import Caller, open_store

JOB = Caller(Principal.program("job-1"))


def say(*words: object) -> None:
    print(*words, flush=True)  # noqa: T201


async def step(decisions, name):
    earlier = [one for one in await decisions.list("all") if one.raised_by.run_id == name]
    return earlier[0] if earlier else await decisions.raise_decision(f"{name}?", input="confirm", run_id=name)


async def ended(decisions, id):
    done = await decisions.wait(id)
    say("got", id, done.answer.option_id, done.version, done.answer.at)


async def main(folder: str, what: str, *rest: str) -> None:
    async with open_store(folder) as store:
        decisions = store.decisions(JOB)
        if what == "await":
            await ended(decisions, rest[0])
        elif what == "hold":
            raised = [await step(decisions, f"step-{number}") for number in range(int(rest[0]))]
            say("holds", *sorted(one.id for one in raised))
            await trio.sleep_forever()
        else:
            for name in ("first", "second"):
                decision = await step(decisions, name)
                say("waits", decision.id)
                await ended(decisions, decision.id)


if __name__ == "__main__":
    trio.run(main, sys.argv[1], sys.argv[2], *sys.argv[3:])
