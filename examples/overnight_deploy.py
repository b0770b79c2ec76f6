"""A deploy that is asked about in the evening and answered in the morning, whatever dies in between.

What to look at: the decision is a record, and nobody's task. The deploy is killed in the evening and again at night,
and for hours no process is there at all. Still the decision climbs on time, from a bot to an agent to people, and the
third life of the deploy gets the one answer. The kills are real; an hour takes a quarter of a second.
"""

import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from subprocess import PIPE, Popen

import trio

from facets import Principal
from questions.durable import Caller, Decision, Decisions, open_store

RELEASE = "release-12"
DEPLOY, AGENT = Caller(Principal.program("deploy")), Caller(Principal.program("night-agent"), main=True)
ANA = Caller(Principal.user("ana"))


async def deploy(folder: Path, hour_ms: int) -> None:
    async with open_store(folder) as store:
        decisions = store.decisions(DEPLOY)
        earlier = [one for one in await decisions.list("all", limit=200) if one.raised_by.run_id == RELEASE]
        decision = earlier[0] if earlier else await decisions.raise_decision(
            f"Deploy {RELEASE}?", input="confirm", run_id=RELEASE,
            holder="supervisor:release-bot", timeout_ms=4 * hour_ms, on_expire="escalate",
            escalation={"chain": ["supervisor:release-bot", "root", "user"], "hop_timeout_ms": 7 * 24 * hour_ms},
        )  # fmt: skip
        print(f"the deploy: it is {decision.status}, with {decision.holder}", flush=True)
        ended = await decisions.wait(decision.id)
    if ended.answer is not None and ended.answer.option_id == "yes":
        link = folder / "new"
        link.unlink(missing_ok=True)
        link.symlink_to(RELEASE)
        link.replace(folder / "live")  # doing it again changes nothing, so a kill right after it is none the worse
        print(f"the deploy: {RELEASE} is live, says {ended.answer.answered_by}")


def start(folder: Path, hour_ms: int) -> Popen[str]:
    return Popen([sys.executable, __file__, folder, str(hour_ms), "deploy"], stdout=PIPE, text=True)


def start_and_kill(folder: Path, hour_ms: int) -> None:
    with start(folder, hour_ms) as process:
        print(process.stdout.readline() if process.stdout else "", end="")
        process.kill()


async def judge(folder: Path, who: Caller, act: Callable[[Decisions, str], Awaitable[Decision]]) -> Decision:
    async with open_store(folder) as store:
        (found,) = await store.decisions(who).list()  # there is only one
        return await act(store.decisions(who), found.id)


async def main(folder: Path, hour_ms: int) -> None:
    print("evening")
    start_and_kill(folder, hour_ms)
    await trio.sleep(4 * hour_ms / 1000)  # the bot is off, and nobody has the store open
    print("night")
    await judge(folder, AGENT, lambda decisions, id: decisions.escalate(id, "it changes tables"))
    start_and_kill(folder, hour_ms)
    print("morning")
    answered = await judge(folder, ANA, lambda decisions, id: decisions.answer(id, option="yes"))
    for move in answered.history or ():
        print(f"{move.holder}: {move.reason} {move.text or ''}".rstrip())
    with start(folder, hour_ms) as process:
        print(process.communicate()[0], end="")


if __name__ == "__main__":
    folder, hour_ms, role = (*sys.argv[1:], *[tempfile.mkdtemp(), "250", "main"][len(sys.argv) - 1 :])
    trio.run({"main": main, "deploy": deploy}[role], Path(folder), int(hour_ms))
