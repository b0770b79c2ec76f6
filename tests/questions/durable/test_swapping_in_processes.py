"""Many processes on one store: still exactly one wins."""

import subprocess
import sys
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
import trio

from tests.conftest import UNATTENDED
from tests.questions.durable.acts import raise_one
from tests.questions.durable.cases import ALICE
from tests.questions.durable.engines import OUTLIVING

PROCESSES, PEOPLE = 8, 50
ROUNDS = 30 if UNATTENDED else 20
PROGRAM = "tests.questions.durable.answering_program"


class Answerers:
    """A process with some people in it."""

    def __init__(self, process):
        self.process = process
        self.lines = b""

    async def line(self):
        while b"\n" not in self.lines:
            some = await self.process.stdout.receive_some()
            assert some, "it has ended"
            self.lines += some
        line, _, self.lines = self.lines.partition(b"\n")
        return line.decode()

    async def answer(self, id, winners):
        await self.process.stdin.send_all(f"{id}\n".encode())
        winners += [name for name in (await self.line()).split(",") if name]


@asynccontextmanager
async def open_answerers(where, number, people):
    command = [sys.executable, "-m", PROGRAM, str(where), f"p{number}", str(people)]
    process = await trio.lowlevel.open_process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    try:
        yield Answerers(process)
        await process.stdin.aclose()
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            with trio.CancelScope(shield=True):
                await process.wait()
        await process.stdout.aclose()


@asynccontextmanager
async def open_all(where):
    """People in several processes, shared out as evenly as can be."""
    async with AsyncExitStack() as stack:
        groups = []
        for number in range(PROCESSES):
            people = PEOPLE // PROCESSES + (number < PEOPLE % PROCESSES)
            groups.append(await stack.enter_async_context(open_answerers(where, number, people)))
        for group in groups:
            assert await group.line() == "ready"
        yield groups


@pytest.mark.parametrize("engines", OUTLIVING, indirect=True)
async def test_of_fifty_in_eight_processes_one_wins_every_time(engines):  # case 39, case 128
    async with engines.open() as store, open_all(engines.where) as groups:
        for _ in range(ROUNDS):
            raised = await raise_one(store)
            winners: list[str] = []
            async with trio.open_nursery() as nursery:
                for group in groups:
                    nursery.start_soon(group.answer, raised.id, winners)
            ended = await store.decisions(ALICE).get(raised.id)
            assert winners == [ended.answer.answered_by]
            assert ended.version == 2
