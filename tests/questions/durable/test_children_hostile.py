"""Children that do what no child should: the parent goes on, holds little, and gives no answer to another question."""

import subprocess
import sys

import pytest
import trio
from trio.testing import memory_stream_pair

from questions.durable.child_questions import ChildQuestions
from questions.durable.dialogs import CANCELLED, Reply, response_line
from tests.house.source import ROOT
from tests.questions.durable.asking import PATIENCE
from tests.questions.durable.test_child_questions import CHILD, asking, until


async def test_a_second_question_with_the_id_of_one_that_waits_gets_no_answer_of_the_first():
    mine, theirs = memory_stream_pair()
    asked, is_answered = [], trio.Event()

    async def ui(dialog):
        asked.append(dialog.title)
        await is_answered.wait()
        return Reply("yes, do")

    parent = ChildQuestions(CHILD, "route", ui=ui)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(parent.serve, theirs, theirs)
        await mine.send_all(asking("1", title="Tidy up?"))
        await mine.send_all(asking("1", title="Tidy up?"))
        await nursery.start(until, lambda: asked)
        await mine.send_all(asking("1", title="Delete it all?"))
        assert await mine.receive_some() == response_line("1", CANCELLED)
        is_answered.set()
        await mine.send_all(asking("2", title="And now?"))
        assert await mine.receive_some() == response_line("2", Reply("yes, do"))
        nursery.cancel_scope.cancel()
    assert asked == ["worker: Tidy up?", "worker: And now?"]


async def test_a_child_that_reads_nothing_costs_no_more_than_a_few_lines(monkeypatch):
    monkeypatch.setattr("questions.durable.line_streams._MOST_WAITING", 1_000)
    mine, theirs = memory_stream_pair()
    is_reading, deliver = trio.Event(), theirs.send_stream.send_all_hook

    async def when_it_reads():
        await is_reading.wait()
        assert deliver
        await deliver()

    theirs.send_stream.send_all_hook = when_it_reads
    parent = ChildQuestions(CHILD)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(parent.serve, theirs, theirs)
        await mine.send_all(asking("0"))
        await trio.testing.wait_all_tasks_blocked()  # its response is on the way, and gets nowhere
        for number in range(1, 1_000):
            await mine.send_all(asking(str(number)))
        await trio.testing.wait_all_tasks_blocked()
        is_reading.set()
        await trio.testing.wait_all_tasks_blocked()
        held = await mine.receive_some()
        nursery.cancel_scope.cancel()
    assert held.startswith(response_line("0", CANCELLED))
    assert held.endswith(b"\n")
    assert 1_000 < len(held) < 2_000


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 1_000_000,
        b'{"event":' * 100_000,
        b'\xff{"event":"question"}',
        asking("m", timeout=1e999).rstrip(),
        asking("x" * 257).rstrip(),
        asking("\ud800").rstrip(),
        asking("m", method={}).rstrip(),
    ],
    ids=["deep", "deep in itself", "no UTF-8", "for ever", "a long id", "half a character", "no method"],
)
async def test_a_line_that_cannot_be_read_is_passed_on_and_the_next_one_is_answered(line):
    mine, theirs = memory_stream_pair()
    others: list[bytes] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ChildQuestions(CHILD).serve, theirs, theirs, others.append)
        await mine.send_all(line + b"\n" + asking("i" * 256) + asking("never ended").rstrip())
        assert await mine.receive_some() == response_line("i" * 256, CANCELLED)
        nursery.cancel_scope.cancel()
    assert others == [line]


async def test_a_child_that_prints_much_between_two_questions_loses_none_of_it():
    async def ui(dialog):
        return Reply(confirmed=True)

    others: list[bytes] = []
    command = [sys.executable, "-m", "tests.questions.durable.printing_program"]
    process = await trio.lowlevel.open_process(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    with trio.fail_after(PATIENCE):
        await ChildQuestions(CHILD, "route", ui=ui).serve(process.stdout, process.stdin, others.append)
        assert await process.wait() == 0
    assert [len(line) for line in others] == [1_000_000]
