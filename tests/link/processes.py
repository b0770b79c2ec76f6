"""Servers and workers in processes of their own, which can be killed, or kill themselves at a chosen step.

python -m tests.link.processes server PORT
python -m tests.link.processes worker URL STEP
"""

import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager

import trio

from facets import open_host
from facets.link.server import open_link_server
from facets.link.worker import open_worker
from questions import questions_facet
from questions.publishing import Publishing
from questions.store import PendingQuestions
from tests.house.source import ROOT
from tests.link.raw import PATIENCE
from tests.link.stages import Tokens

START = 40.0
"""Seconds within which a process has started, and whoever waits for it has noticed."""

STEPS = {
    "ask": (PendingQuestions, "admit", "before"),
    "publish": (Publishing, "opened", "after"),
    "answer": (PendingQuestions, "answer", "before"),
    "settle": (PendingQuestions, "_settle", "after"),
}
"""Where a worker can be killed: a method, and whether before or after what it does."""


def kill_at(step):
    kind, name, when = STEPS[step]
    method = getattr(kind, name)

    def last(*args, **options):
        if when == "after":
            method(*args, **options)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(kind, name, last)


async def serve(port):
    async with (
        open_host([questions_facet]) as host,
        open_link_server(host, Tokens(), port=int(port), sessions="workers") as server,
    ):
        sys.stdout.write(f"{server.url}\n")
        sys.stdout.flush()
        await trio.sleep_forever()


async def work(url, step):
    if step != "never":
        kill_at(step)
    async with open_host([questions_facet]) as host, open_worker(host, url, "worker:s1", "s1"):
        await trio.sleep_forever()


@asynccontextmanager
async def running(*arguments):
    """A process for the length of the block. It is killed at the end, if it still runs."""
    command = [sys.executable, "-m", "tests.link.processes", *arguments]
    process = await trio.lowlevel.open_process(command, cwd=ROOT, stdout=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()
            if process.stdout is not None:
                await process.stdout.aclose()


async def killed(process):
    """Wait until a process has been killed the hard way."""
    with trio.fail_after(PATIENCE):
        assert await process.wait() == -signal.SIGKILL


async def first_line(process):
    with trio.fail_after(START):
        line = b""
        while not line.endswith(b"\n"):
            line += await process.stdout.receive_some()
        return line.decode().strip()


if __name__ == "__main__":
    if sys.argv[1] == "server":
        trio.run(serve, sys.argv[2])
    else:
        trio.run(work, sys.argv[2], sys.argv[3])
