"""The demo as a whole, run as a command: what it asks, how it ends, and what never leaves it."""

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.cli.example import CANARY, EXAMPLE
from tests.house.source import ROOT


def run(*arguments, **options):
    """Run `questions ARGUMENTS` without a terminal."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "questions.cli", *map(str, arguments)],
        check=False,
        cwd=ROOT,
        text=True,
        encoding="utf-8",
        timeout=60,
        **{"stdin": subprocess.DEVNULL, "capture_output": True, **options},
    )


def without_rich(folder):
    """An environment in which `import rich` fails as if it were not installed."""
    (folder / "rich.py").write_text("raise ModuleNotFoundError(\"No module named 'rich'\", name='rich')")
    return {**os.environ, "PYTHONPATH": str(folder)}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The demo in several ways, all at once since each takes some seconds: name -> (what it did, seconds)."""
    bare = without_rich(tmp_path_factory.mktemp("bare"))
    ways = {"json": ["--auto", "--json"], "text": [], "bare": ["--auto"]}

    def timed(name):
        started = time.monotonic()
        done = run("demo", *ways[name], env=bare if name == "bare" else None)
        return name, (done, time.monotonic() - started)

    with ThreadPoolExecutor() as pool:
        return dict(pool.map(timed, ways))


@pytest.fixture(scope="module")
def events(runs):
    done, _ = runs["json"]
    return [json.loads(line) for line in done.stdout.splitlines()]


def only(events, **wanted):
    (event,) = [each for each in events if all(each[name] == value for name, value in wanted.items())]
    return event


def names(people):
    return {who["name"] for who in people}


@pytest.mark.parametrize("name", ["json", "text", "bare"])
def test_it_ends_well_and_soon(runs, name):
    done, seconds = runs[name]
    assert (done.returncode, done.stderr) == (0, "")
    assert seconds < 15


def test_every_line_is_a_settlement(events):
    assert len(events) > 15
    assert {event["event"] for event in events} == {"settled"}
    assert {event["how"] for event in events} == {"answered", "expired"}
    assert len({event["id"] for event in events}) == len(events)


def test_two_people_are_asked_and_either_counts(events):
    firsts = [event for event in events if event["policy"]["type"] == "first" and event["how"] == "answered"]
    assert {who["name"] for event in firsts for who in event["by"]} == {"Alice", "Bob"}


def test_everyone_present_answers_the_late_one_too(events):
    event = only(events, policy={"type": "all", "join": "live"})
    assert names(event["by"]) == {"Alice", "Bob", "Carol"}
    assert event["missing"] == []


def test_two_of_three_are_enough(events):
    event = only(events, policy={"type": "quorum", "count": 2})
    assert len(event["answers"]) == 2
    assert len(event["missing"]) == 1


def test_one_question_runs_out_of_time(events):
    event = only(events, how="expired")
    assert (event["by"], names(event["missing"])) == ([], {"Bob"})
    # The others see it too, and may not answer.
    assert names(event["seen"]) == {"Alice", "Bob", "Carol"}
    assert event["settled_at"] - event["opened_at"] >= 1


def test_the_host_itself_asks_for_the_login_code(events):
    event = only(events, kind="text")
    assert event["asker"]["kind"] == "server"
    assert (event["how"], event["answers"], len(event["by"])) == ("answered", [], 1)


def test_tricks_are_shown_and_denied(events):
    tricks = [event for event in events if "\\u" in event["message"] or "\\x" in event["message"]]
    assert len(tricks) >= 3
    assert not [event["message"] for event in tricks if any(given["answer"] for given in event["answers"])]


@pytest.mark.parametrize("name", ["json", "text", "bare"])
def test_no_secret_leaves_the_demo(runs, name):
    """Neither one of the file nor the login code."""
    written = runs[name][0].stdout + runs[name][0].stderr
    assert written
    assert not CANARY.search(written)
    assert "735 202" not in written


@pytest.mark.parametrize("name", ["text", "bare"])
def test_without_a_terminal_or_rich_it_prints_a_plain_table(runs, name):
    text = runs[name][0].stdout
    assert "How it ended" in text
    assert "1 expired" in text
    assert "\x1b" not in text


def test_the_late_person_was_not_there_when_everyone_was_asked(runs):
    (asked,) = [line for line in runs["text"][0].stdout.splitlines() if line.startswith("ask") and "shared/" in line]
    assert asked.endswith("(of Alice, Bob)")


def test_calls_are_read_from_standard_input():
    first = EXAMPLE.read_text("utf-8").splitlines()[0]
    done = run("demo", "--calls", "-", stdin=None, input=first)
    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing needed a person" in done.stdout


def test_a_bad_file_is_a_fault_of_the_users(tmp_path):
    path = tmp_path / "calls.jsonl"
    path.write_text('{"tool_name": "canary"\n[]\n')
    done = run("demo", "--calls", path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{path}, line 1, $: not JSON" in done.stderr
    assert f"{path}, line 2, $: an object, not a list" in done.stderr
    assert "Traceback" not in done.stderr
    assert "canary" not in done.stderr


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_a_file_that_cannot_be_read_is_named(name):
    done = run("demo", "--calls", name)
    assert done.returncode == 2
    assert f"{name}: cannot be read" in done.stderr


def test_a_terminal_that_has_few_characters_is_shown_the_others_as_codes():
    done = run("demo", "--auto", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert r"docs/\u65e5\u672c\u8a9e" in done.stdout


def test_a_reader_that_has_seen_enough_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = run("demo", "--json", capture_output=False, stdout=writer, stderr=subprocess.PIPE)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")
