"""Whoever is killed, at whichever moment: one decision is open then, and nobody gets an answer that was not given."""

import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager

import pytest
import trio

from questions.durable import Hint, NotOpen, open_store
from tests.questions.durable.cases import ALICE, MAIN

PROGRAM = "tests.questions.durable.hosting_program"
SECONDS = 30


class Running:
    """A host's process, and what it has said."""

    def __init__(self, process):
        self.process = process
        self.lines: list[str] = []
        self.pids: dict[str, int] = {}
        self._said = trio.Event()

    async def listen(self, task_status=trio.TASK_STATUS_IGNORED):
        task_status.started()
        rest = b""
        async for some in self.process.stdout:
            *lines, rest = (rest + some).split(b"\n")
            for line in lines:
                self._hear(line.decode())
        self._hear("over")

    def _hear(self, line):
        self.lines.append(line)
        if line.startswith("pid "):
            _, role, pid = line.split()
            self.pids[role] = int(pid)
        self._said.set()
        self._said = trio.Event()

    async def said(self, start):
        with trio.fail_after(SECONDS):
            while not any(line.startswith(start) for line in self.lines):
                await self._said.wait()

    async def kill(self, role):
        await self.said(f"pid {role}")
        os.kill(self.pids[role], signal.SIGKILL)

    def got(self):
        return [line for line in self.lines if line.startswith("got")]


@asynccontextmanager
async def running(where, role):
    command = [sys.executable, "-m", PROGRAM, str(where), role]
    process = await trio.lowlevel.open_process(command, stdout=subprocess.PIPE)
    assert process.stdout
    host = Running(process)
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(host.listen)
            yield host
            nursery.cancel_scope.cancel()
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()
            await process.stdout.aclose()


class Deciding:
    """The decisions of the store, as the test sees and answers them."""

    def __init__(self, store):
        self.all = store.decisions(ALICE)
        self.main = store.decisions(MAIN)
        self._hints = store.decisions(ALICE).hints()

    async def raised(self):
        with trio.fail_after(SECONDS):
            async for hint in self._hints:
                if isinstance(hint, Hint) and hint.kind == "decision.raised":
                    return hint.id
        raise AssertionError("hints do not end")

    async def only_open(self, old):
        """The one that is open instead of an old one, which has ended without an answer."""
        with trio.fail_after(SECONDS):
            ended = await self.all.wait(old)
            new = await self.raised()
        assert (ended.status, [one.id for one in await self.all.list()]) == ("cancelled", [new])
        with pytest.raises(NotOpen):
            await self.main.answer(old, option="o1")
        return new, ended.answer.via


@pytest.fixture
async def store(engines):
    """The store as everybody opens it, under the clock of its engine."""
    async with open_store(engines.where) as opened:
        yield opened


@pytest.mark.parametrize("engines", ["sqlite"], indirect=True)
@pytest.mark.parametrize("victim", ["child", "parent"])
async def test_when_a_program_below_is_killed_its_question_is_asked_anew_once(store, tmp_path, victim):
    deciding = Deciding(store)
    async with running(tmp_path, "host") as host:
        old = await deciding.raised()
        await host.kill(victim)
        new, via = await deciding.only_open(old)
        await deciding.main.answer(new, option="o2")
        await host.said("over")
    assert (via, host.got()) == ("abort", ["got Beta"])


@pytest.mark.parametrize("engines", ["sqlite", "postgres"], indirect=True)
async def test_when_the_host_is_killed_the_next_one_asks_anew_once(store, engines):  # case 119
    deciding = Deciding(store)
    async with running(engines.where, "host") as killed:
        old = await deciding.raised()
        await killed.kill("host")
    assert killed.got() == []
    assert (await deciding.all.get(old)).status == "open"
    async with running(engines.where, "host") as host:
        new, via = await deciding.only_open(old)
        await deciding.main.answer(new, option="o2")
        await host.said("over")
    assert (via, host.got()) == ("restart", ["got Beta"])


@pytest.mark.parametrize("engines", ["sqlite"], indirect=True)
@pytest.mark.parametrize("moment", ["started", "answered"])
async def test_at_whichever_moment_a_host_is_killed_one_decision_is_open_afterwards(store, tmp_path, moment):
    deciding = Deciding(store)
    async with running(tmp_path, "host") as killed:
        if moment == "answered":
            await deciding.main.answer(await deciding.raised(), option="o1")
        await killed.kill("host")
    assert killed.got() in ([], ["got Alpha"] if moment == "answered" else [])
    async with running(tmp_path, "host") as host:
        new = await deciding.raised()
        assert [one.id for one in await deciding.all.list()] == [new]
        await deciding.main.answer(new, option="o2")
        await host.said("over")
    assert host.got() == ["got Beta"]


@pytest.mark.parametrize("engines", ["sqlite"], indirect=True)
async def test_an_approval_of_a_killed_host_runs_nothing_and_is_taken_back_by_the_next_life(store, tmp_path):
    deciding = Deciding(store)
    async with running(tmp_path, "headless") as killed:
        old = await deciding.raised()
        await killed.kill("headless")
    async with running(tmp_path, "headless") as host:
        new = await deciding.raised()
        with trio.fail_after(SECONDS):
            ended = await deciding.all.wait(old)
        assert (ended.status, ended.answer.via) == ("cancelled", "restart")
        await deciding.all.answer(new, option="approve")
        await host.said("over")
    assert (killed.got(), host.got()) == ([], ["got run"])
