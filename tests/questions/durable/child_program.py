"""A parent program that has a child, each in a process of its own; both ask whoever has started them.

Their process ids and what the child got are lines between those in which they ask. Without a parent they end.
"""

import os
import subprocess
import sys

import trio

from questions.durable.child_decisions import Child
from questions.durable.child_questions import ChildQuestions
from questions.durable.child_relay import ChildRelay
from questions.durable.line_streams import stdio


def say(line):
    """A line of this process's own, between those in which it may ask."""
    os.write(1, line + b"\n")


async def run_child(questions, role, lines):
    """Run a program that asks its questions through `questions`, until it ends."""
    command = [sys.executable, "-m", "tests.questions.durable.child_program", role]
    process = await trio.lowlevel.open_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        await questions.serve(process.stdout, process.stdin, lines)
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()


async def beside_a_parent(work):
    """Do `work(relay)` with a relay to this program's own parent; without one there is nobody to work for."""
    relay = ChildRelay()

    async def attend():
        async with stdio() as parent:
            await relay.attach(parent.receive_stream, parent.send_stream)
        nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(attend)
        await work(relay)
        nursery.cancel_scope.cancel()


async def child():
    async def work(relay):
        reply = await relay.ask("select", "Pick", options=["Alpha", "Beta"])
        say(f"got {reply.value}".encode())

    await beside_a_parent(work)


async def parent():
    async def work(relay):
        await run_child(ChildQuestions(Child("run-child", "child"), "route", parent=relay), "child", say)

    await beside_a_parent(work)


if __name__ == "__main__":
    say(f"pid {sys.argv[1]} {os.getpid()}".encode())
    trio.run({"child": child, "parent": parent}[sys.argv[1]])
