"""The demo with its people in processes of their own: it ends like the other one, and leaves nobody behind."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest
import trio

from questions.cli.demo.pace import AUTO
from questions.cli.demo.part import Part
from tests.cli.example import CANARY
from tests.cli.house import ALICE, open_house
from tests.cli.processes import COMMAND, environment
from tests.house.source import ROOT

SERVED = [*COMMAND, "demo", "--served"]
PEOPLE = [sys.executable, "-m", "questions.cli.demo.apart"]

pytestmark = pytest.mark.needs_tool("ps")


def listed(*columns):
    """The processes of this machine as `ps` shows them."""
    ran = subprocess.run(["ps", "-eww", "-o", ",".join(columns)], check=True, capture_output=True, text=True)
    return [line.split(maxsplit=len(columns) - 1) for line in ran.stdout.splitlines()[1:]]


def children_of(pid):
    return {int(id): args for id, parent, args in listed("pid", "ppid", "args") if parent == str(pid)}


def wait_until(true, seconds=40):
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def are_gone(pids):
    return not {int(id) for id, state in listed("pid", "stat") if not state.startswith("Z")} & set(pids)


@contextmanager
def begun():
    """A run of the demo whose people are all there: its process, and theirs by their ids."""
    options: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*SERVED, "--json"], cwd=ROOT, env=environment(), **options) as process:
        try:
            yield process, wait_until(lambda: (found := children_of(process.pid)) and len(found) == 3 and found)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def served():
    """What it did, and what its people's processes looked like from outside."""
    with begun() as (process, people):
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err, people


def test_it_ends_like_the_one_in_one_process(served):
    code, out, err, _ = served
    assert (code, err) == (0, "")
    events = [json.loads(line) for line in out.splitlines()]
    assert len(events) > 15
    assert {event["event"] for event in events} == {"settled"}
    assert [event["how"] for event in events].count("expired") == 1
    assert {who["name"] for event in events for who in event["by"]} == {"Alice", "Bob", "Carol"}
    (everyone,) = [event for event in events if event["policy"] == {"type": "all", "join": "live"}]
    assert {who["name"] for who in everyone["by"]} == {"Alice", "Bob", "Carol"}
    (login,) = [event for event in events if event["kind"] == "text"]
    assert (login["how"], login["answers"], len(login["by"])) == ("answered", [], 1)


def test_each_person_is_a_process_and_no_token_is_an_argument(served):
    _, out, err, people = served
    assert set(people.values()) == {" ".join(PEOPLE)}
    assert are_gone(people)
    assert not CANARY.search(out + err)
    assert "735 202" not in out + err


def test_without_json_it_prints_the_same_table_as_ever():
    done = subprocess.run(SERVED, check=False, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "How it ended" in done.stdout
    assert "1 expired" in done.stdout


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -15), (signal.SIGKILL, -9)])
def test_however_it_ends_nobody_is_left_behind(number, code):
    with begun() as (process, people):
        process.stdout.readline()  # they are at work
        process.send_signal(number)
        _, err = process.communicate(timeout=40)
        assert process.returncode == code
        assert "Traceback" not in err
    wait_until(lambda: are_gone(people))


def test_somebody_who_leaves_is_named_and_the_demo_ends():
    with begun() as (process, people):
        process.stdout.readline()
        os.kill(min(people), signal.SIGKILL)
        _, err = process.communicate(timeout=40)
        assert process.returncode == 70
        assert "has left the demo, with exit code -9." in err
    wait_until(lambda: are_gone(people))


def apart(given):
    """A person's process that is given this, and then no more."""
    return subprocess.run(
        [sys.executable, "-W", "error", *PEOPLE[1:]],
        check=False,
        cwd=ROOT,
        env=environment(),
        input=given,
        capture_output=True,
        timeout=40,
    )


def test_a_person_whom_nobody_tells_anything_goes():
    done = apart(b"")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


async def test_a_person_whom_the_server_does_not_want_goes(tmp_path):
    async with open_house(tmp_path) as house:
        part = Part(house.server.url, house.token()[:-4] + "cafe", ALICE, ("main",), (), AUTO)
        process: Any = await trio.lowlevel.open_process(
            PEOPLE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=environment()
        )
        try:
            with trio.fail_after(40):
                await process.stdin.send_all(msgspec.json.encode(part) + b"\n")
                assert await process.wait() == 5
                assert await process.stdout.receive_some() == b""
        finally:
            process.kill()
            await process.stdin.aclose()
            await process.stdout.aclose()
