"""A nightly agent that needs an approval when nobody is there: a decision waits for whoever comes, and ends with it.

What to look at: the agent is killed while it waits. Its next life takes the old decision back (via restart) and raises
another one. Ana allows that, and the backup is deleted, once. What nobody decides in time is undecided, not denied.
"""

import sys
import tempfile
from pathlib import Path
from subprocess import PIPE, Popen

import trio

from facets import Principal, open_host
from questions import NotApproved, Questions, SessionScope, approval_required, questions_facet
from questions.durable import Caller, Decision, Decisions, open_headless_approvals, open_store

ANA, AGENT = Principal.user("ana"), Principal.server("nightly")


async def agent(folder: Path, name: str, timeout_ms: int) -> None:
    async with (
        open_host([questions_facet], principal=AGENT) as host,
        open_store(folder) as store,
        open_headless_approvals(host, store, timeout_ms=timeout_ms, lease_ms=1_000) as approvals,
        host.root() as ctx,
    ):
        asker = await ctx.get(Questions, SessionScope("nightly"))

        @approval_required(asker, [ANA], name="delete", headless="decision", approver=approvals, risk="write")
        async def delete(name: str) -> str:
            await trio.Path(folder, name).unlink()
            return f"deleted {name}"

        try:
            print("the agent:", await delete(name))
        except NotApproved as refused:
            print("the agent:", name, "is", refused.how)


async def first_open(decisions: Decisions) -> Decision:
    hints = decisions.hints()
    while not (found := await decisions.list()):
        await anext(hints)
    return found[0]


def start(folder: Path, name: str, timeout_ms: int = 60_000) -> Popen[str]:
    return Popen([sys.executable, __file__, folder, name, str(timeout_ms)], stdout=PIPE, text=True)


async def main(folder: Path) -> None:
    for name in ("monday.bak", "sunday.bak"):
        (folder / name).write_text("old")
    async with open_store(folder) as store:
        ana = store.decisions(Caller(ANA))
        with start(folder, "monday.bak") as killed:
            old = await first_open(ana)
            print("Ana finds:", old.title)
            killed.kill()
        with start(folder, "monday.bak") as agent:
            ended = await ana.wait(old.id)
            new = await first_open(ana)
            print("the old one:", ended.status.value, "via", ended.answer.via if ended.answer else None)
            await ana.answer(new.id, option="approve")
            print((await trio.to_thread.run_sync(agent.communicate))[0], end="")
        with start(folder, "sunday.bak", 1_000) as agent:
            print((await trio.to_thread.run_sync(agent.communicate))[0], end="")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        trio.run(agent, Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
    else:
        trio.run(main, Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
