"""A child program asks its parent over standard input and output, and a decision of the parent's host gets the answer.

What to look at: the host is killed while its child waits, and the child ends without an answer. The next host takes the
old decision back (via restart), and its child asks anew: one decision is open, and one answer reaches one child.
"""

import sys
import tempfile
from pathlib import Path
from subprocess import PIPE, Popen

import trio

from facets import Principal
from questions import durable
from questions.durable import ChildRelay, Decision, Decisions, open_owner, open_store

HOST, ROOT = Principal.server("host-1"), durable.Caller(Principal.program("agent"), main=True)


async def child(folder: Path) -> None:
    relay = ChildRelay()

    async def attend() -> None:
        async with durable.stdio() as parent:
            await relay.attach(parent.receive_stream, parent.send_stream)
        nursery.cancel_scope.cancel()  # the parent has gone, and so goes the child

    async with trio.open_nursery() as nursery:
        nursery.start_soon(attend)
        branch = await relay.ask("select", "Which branch?", options=["main", "next"], timeout_ms=60_000)
        if not branch.cancelled:
            await trio.Path(folder, "branch.txt").write_text(branch.value or "")
            print("built", branch.value, flush=True)  # a line that is no question
        nursery.cancel_scope.cancel()


async def host(folder: Path) -> None:
    async with open_store(folder) as store, open_owner(store, HOST, lease_ms=1_000) as owner:
        questions = durable.ChildQuestions(durable.Child("run-1", "builder"), "route", owner=owner)
        process = await trio.lowlevel.open_process(
            [sys.executable, __file__, str(folder), "child"], stdin=PIPE, stdout=PIPE
        )
        assert process.stdin
        assert process.stdout
        await questions.serve(process.stdout, process.stdin, lambda line: print("the child has", line.decode()))
        await process.wait()


async def first_open(decisions: Decisions) -> Decision:
    hints = decisions.hints()
    while not (found := await decisions.list()):
        await anext(hints)
    return found[0]


def start(folder: Path) -> Popen[str]:
    return Popen([sys.executable, __file__, folder, "host"], stdout=PIPE, text=True)


async def main(folder: Path) -> None:
    async with open_store(folder) as store:
        root = store.decisions(ROOT)
        with start(folder) as killed:
            old = await first_open(root)
            print("the agent is asked:", old.title)
            killed.kill()
        with start(folder) as running:
            ended = await root.wait(old.id)
            new = await first_open(root)
            print("the old one:", ended.status.value, "via", ended.answer.via if ended.answer else None)
            print("open:", len(await root.list()))
            await root.answer(new.id, option="o2")
            print((await trio.to_thread.run_sync(running.communicate))[0], end="")


if __name__ == "__main__":
    folder, role = (*sys.argv[1:], *[tempfile.mkdtemp(), "main"][len(sys.argv) - 1 :])
    trio.run({"main": main, "host": host, "child": child}[role], Path(folder))
