"""The approved plan: lives of its agent that are really killed, at every step and while they wait."""

import json
import os
import signal
import subprocess
import sys
import tarfile
from contextlib import asynccontextmanager, contextmanager

import pytest
import trio

from questions.gates import PLAN_CHOICES, Continue, Replan, Source, Stop, Submission, open_gates, plan_digest
from tests.examples.test_examples import run
from tests.house.source import ROOT

__all__ = ["run"]

PROGRAM = ROOT / "examples" / "plan_approval.py"
LOGS = ("a.log", "b.log", "c.log")
SENT_BACK = Replan("  Keep b.log.\nIt is evidence.")
BEFORE_ASKING = ("planned-1", "written-1")
BEFORE_ASKING_AGAIN = ("planned-2", "written-2")
AT_WORK = ("agreed", "packed", "deleted-a.log", "deleted-c.log")


@pytest.fixture
def folder(tmp_path):
    for name in LOGS:
        (tmp_path / name).write_text(name)
    return tmp_path


@contextmanager
def life(folder, at=""):
    """One life of the agent, which kills itself at a step."""
    command = [sys.executable, "-W", "error", PROGRAM, folder]
    with subprocess.Popen(command, env={**os.environ, "AT": at}, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def ended(folder, at=""):
    """How a whole life has ended, and the steps that it has come to."""
    with life(folder, at) as process:
        output, _ = process.communicate(timeout=60)
    return process.returncode, output.split("the agent: ")[1:]


@asynccontextmanager
async def asked(folder):
    """The store that the agent has left, or works with, and what it asks there."""
    async with open_gates(folder, serve=False, poll_ms=50) as gates:
        with trio.fail_after(60):
            while not (found := await gates.list()):
                await trio.lowlevel.checkpoint()
        yield gates, found[0].request


async def said(folder, choice):
    """What a person says to that; its revision."""
    async with asked(folder) as (gates, request):
        source, response = Source("terminal", "ana", request.decision_id), PLAN_CHOICES.write(choice)
        await gates.submit(Submission(request.decision_id, request.request_digest, response, source, "ana-1"))
    return request.revision


async def shown(folder):
    async with asked(folder):
        pass


def waited(folder, choice, *, first_killed):
    """A life that waits for people, and is killed when they are asked, or right after one has said something."""
    with life(folder) as process:
        assert any("written" in line for line in process.stdout)
        trio.run(shown, folder)
        if first_killed:
            process.kill()
        return trio.run(said, folder, choice)


async def stored(folder):
    async with open_gates(folder, serve=False) as gates:
        requests = sorted(found.request.revision for found in await gates.list(None))
        receipts = [receipt.response for receipt in await gates.receipts("logs-1")]
        return requests, receipts, (await gates.run("logs-1")).state


def is_done_once(folder):
    """The plan that was approved was carried out, and nothing else; people were asked about each plan once."""
    plan = json.loads((folder / "plan-2.json").read_text())
    [archive] = folder.glob("*.tar")
    assert archive.name == f"logs-{plan_digest(plan)[7:19]}.tar"
    with tarfile.open(archive) as packed:
        assert packed.getnames() == ["a.log", "c.log"]
    assert [path.name for path in folder.glob("*.log")] == ["b.log"]
    replan, go_on = PLAN_CHOICES.write(SENT_BACK), PLAN_CHOICES.write(Continue())
    assert trio.run(stored, folder) == ([1, 2], [replan, go_on], "done")


def test_a_plan_is_sent_back_approved_and_carried_out_over_three_kills(run, tmp_path):
    lines = run("plan_approval.py")
    asked = [line for line in lines if line.startswith("Ana is asked")]
    assert asked == [
        "Ana is asked, revision 1: Archive and delete 3 logs.",
        "Ana is asked, revision 2: Archive and delete 2 logs.",
    ]
    is_done_once(tmp_path)


@pytest.mark.parametrize("first_killed", [False, True])
def test_an_agent_that_is_killed_at_every_step_comes_to_one_end(folder, first_killed):
    """Also while people are asked, and when they answer an agent that is dead."""
    for step in BEFORE_ASKING:
        assert ended(folder, step)[0] == -signal.SIGKILL
    assert waited(folder, SENT_BACK, first_killed=first_killed) == 1
    for step in BEFORE_ASKING_AGAIN:
        assert ended(folder, step)[0] == -signal.SIGKILL
    assert waited(folder, Continue(), first_killed=first_killed) == 2
    for step in AT_WORK:
        assert ended(folder, step)[0] == -signal.SIGKILL
    assert ended(folder)[0] == 0
    is_done_once(folder)
    assert ended(folder)[0] == 0, "another life changes nothing"
    is_done_once(folder)


def test_a_plan_that_is_changed_after_it_was_approved_is_not_carried_out_but_asked_about(folder):
    waited(folder, SENT_BACK, first_killed=True)
    ended(folder, "written-2")
    waited(folder, Continue(), first_killed=True)
    assert ended(folder, "agreed")[0] == -signal.SIGKILL
    (folder / "plan-2.json").write_text(json.dumps({"summary": "Archive and delete 2 logs.", "logs": list(LOGS)}))
    assert waited(folder, Stop(), first_killed=True) == 3
    assert ended(folder)[0] != 0, "people have stopped it"
    assert sorted(path.name for path in folder.glob("*.log")) == list(LOGS)
