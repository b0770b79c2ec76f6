"""Servers, askers and viewers in processes of their own, to be killed. Each says on stdout how far it has come.

python -m tests.link.killable server PORT STEP
python -m tests.link.killable asker URL KEY       (an empty KEY: none)
python -m tests.link.killable viewer URL ANSWERS  ("answers": it answers what it sees, and kills itself at once)
"""

import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager

import trio
import trio.testing

from facets import Principal, open_host
from facets.link.client import open_link
from facets.link.server import open_link_server
from questions import Confirm, Questions, questions_facet
from tests.house.source import ROOT
from tests.link.processes import kill_at
from tests.link.stages import SCOPE, Tokens

ANA = Principal.user("ana")


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def serve(port, step):
    if step != "never":
        kill_at(step)
    async with open_host([questions_facet]) as host, open_link_server(host, Tokens(), port=int(port)) as server:
        say(server.address[1])
        await trio.sleep_forever()


async def ask(url, key):
    async with open_link(url, "server:host") as link:
        asker = await link.get(Questions, SCOPE)
        say("ready")
        await asker.ask(Confirm("Go?"), audience=[ANA], key=key or None)


async def view(url, answers):
    async with open_link(url, "user:ana") as link, trio.open_nursery() as nursery:
        viewer = await link.get(Questions, SCOPE)
        async for shown in viewer.open.changes():
            say(f"sees {len(shown)}")
            for id in shown if answers else ():
                nursery.start_soon(viewer.answer, id, True)
                await trio.testing.wait_all_tasks_blocked()  # it is written, and its reply has not been read
                os.kill(os.getpid(), signal.SIGKILL)


@asynccontextmanager
async def running(*arguments):
    """A process for the length of the block, killed at the end if it still runs."""
    command = [sys.executable, "-m", "tests.link.killable", *arguments]
    process = await trio.lowlevel.open_process(command, cwd=ROOT, stdout=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()
            if process.stdout is not None:
                await process.stdout.aclose()


async def line(process, wanted=None):
    """The next line that a process says; with `wanted`, up to that one."""
    with trio.fail_after(30):
        while True:
            said = b""
            while not said.endswith(b"\n"):
                some = await process.stdout.receive_some(1)
                assert some, "the process has ended"
                said += some
            if wanted in (None, said.decode().strip()):
                return said.decode().strip()


if __name__ == "__main__":
    parts: dict = {"server": serve, "asker": ask, "viewer": view}
    trio.run(parts[sys.argv[1]], *sys.argv[2:])
