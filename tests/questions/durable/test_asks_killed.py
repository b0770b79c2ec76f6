"""Processes that ask durably are killed at any moment, and started again: one file of SQLite between them."""

import signal
import subprocess
import sys
from contextlib import asynccontextmanager

import trio

from questions.durable import open_store
from tests.house.source import ROOT
from tests.questions.durable.asking import ANA, PATIENCE, open_on, shown, within
from tests.rules import rule

PROGRAM = "tests.questions.durable.asking_program"


class Process:
    def __init__(self, process):
        self.process = process
        self._said = b""

    async def line(self):
        """The next line that it says."""
        with trio.fail_after(PATIENCE):
            while b"\n" not in self._said:
                some = await self.process.stdout.receive_some()
                assert some, "it has ended"
                self._said += some
        line, _, self._said = self._said.partition(b"\n")
        return line.decode().split()

    async def kill(self):
        self.process.send_signal(signal.SIGKILL)
        await self.process.wait()


@asynccontextmanager
async def running(*arguments, program=PROGRAM):
    command = [sys.executable, "-m", program, *map(str, arguments)]
    process = await trio.lowlevel.open_process(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout
    try:
        yield Process(process)
    finally:
        if process.returncode is None:
            process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()
        await process.stdout.aclose()


@asynccontextmanager
async def people(folder):
    """A host for people, of this process."""
    async with open_store(folder) as store, open_on(store) as place:
        yield place


@rule("Q-KEY-4", "Q-SET-4")
async def test_an_asker_killed_while_it_waits_gets_the_answer_that_was_given_meanwhile(tmp_path):
    async with people(tmp_path) as place:
        viewer = await place.viewer()
        async with running(tmp_path, "ask", "k") as first:
            [_, id] = await first.line()
            [question] = await shown(viewer, "Go with k?")
            assert question.id == id
            await first.kill()
        await viewer.answer(id, False)
        for _ in range(2):  # each time that it is asked again
            async with running(tmp_path, "ask", "k") as again:
                assert await again.line() == ["got", "False", "by", "ana"]
        assert not viewer.open.value
        assert [one.id for one in viewer.closed.value] == [id], "it was shown once"


async def test_an_asker_killed_and_started_again_before_the_answer_waits_for_the_same_question(tmp_path):
    async with people(tmp_path) as place:
        viewer = await place.viewer()
        ids = set()
        for _ in range(3):
            async with running(tmp_path, "ask", "k") as process:
                ids.add((await process.line())[1])
                await process.kill()
        async with running(tmp_path, "ask", "k") as last:
            ids.add((await last.line())[1])
            [question] = await shown(viewer, "Go with k?")
            assert ids == {question.id}
            await viewer.answer(question.id, True)
            assert await last.line() == ["got", "True", "by", "ana"]


@rule("Q-SET-4")
async def test_durable_asks_are_open_after_a_kill_with_the_same_ids_and_live_ones_are_not(tmp_path):
    async with running(tmp_path, "hold") as process:
        [word, *ids] = await process.line()
        assert (word, len(ids)) == ("holds", 5)
        await process.kill()
    async with people(tmp_path) as place:
        viewer = await place.viewer()
        assert sorted(viewer.open.value) == ids, "from the first look on"
        assert not viewer.closed.value
    async with running(tmp_path, "hold") as again:
        assert (await again.line())[1:] == ids


async def test_after_a_restart_what_is_answered_is_not_shown_and_who_needs_both_answers_gets_the_first(tmp_path):
    async with running(tmp_path, "ask", "one") as first, people(tmp_path) as place:
        [_, id] = await first.line()
        viewer = await place.viewer()
        await shown(viewer, "Go with one?")
        await viewer.answer(id, False)
        await first.kill()
    async with people(tmp_path) as place, running(tmp_path, "ask", "two") as second:
        await second.line()
        viewer = await place.viewer(ANA)
        [question] = await shown(viewer, "Go with two?")
        async with running(tmp_path, "ask", "one") as both:
            assert await both.line() == ["got", "False", "by", "ana"]
        assert list(viewer.open.value) == [question.id]
        await viewer.answer(question.id, True)
        assert await second.line() == ["got", "True", "by", "ana"]


async def test_a_host_for_people_that_is_killed_loses_no_answer_that_it_has_taken(tmp_path):
    async with running(tmp_path, "ask", "k") as asker:
        [_, id] = await asker.line()
        async with people(tmp_path) as place:
            viewer = await place.viewer()
            with within("it to be shown"):
                await shown(viewer, "Go with k?")
            await asker.kill()
            await viewer.answer(id, True)
    async with running(tmp_path, "ask", "k") as again:
        assert await again.line() == ["got", "True", "by", "ana"]
