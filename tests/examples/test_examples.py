"""Each example runs as a reader would run it, says what it should, and leaves on disk what it should."""

import ast
import json
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from tests.house.source import ROOT, text_of, tree_of

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGE = ROOT / "docs" / "examples.md"


@pytest.fixture
def run(tmp_path):
    """Run an example in a folder of its own, and give the lines that it prints, set in by nothing."""

    def run_it(name):
        command = [sys.executable, "-W", "error", ROOT / "examples" / name, tmp_path]
        ran = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60, cwd=tmp_path)
        assert (ran.returncode, ran.stderr) == (0, "")
        return [line.strip() for line in ran.stdout.splitlines()]

    return run_it


def in_order(lines, *expected):
    """Whether the lines that begin like this come in this order, whatever is in between."""
    rest = iter(lines)
    return all(any(line.startswith(start) for line in rest) for start in expected)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_short_says_what_to_look_at_and_has_its_place_in_the_documents(path):
    assert len(text_of(path).splitlines()) < 80
    assert "What to look at:" in (ast.get_docstring(tree_of(path)) or "")
    assert f"(../examples/{path.name})" in text_of(PAGE)


def test_an_agent_runs_what_was_allowed_and_asks_once_for_the_same(run, tmp_path):
    lines = run("tool_approval.py")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.txt", "notes.txt", "other.txt"]
    assert len([line for line in lines if line.startswith("Alice is asked")]) == 3, "two copies and one deletion"
    assert in_order(lines, "the agent gets: notes.txt", "the agent gets: shell was not run: denied by alice")
    assert any(r"notes.txt\u200b" in line for line in lines if line.startswith("Alice is asked"))
    assert len([line for line in lines if line.startswith("granted by alice: shell")]) == 2


def test_a_model_asks_everyone_who_is_present_and_gets_its_own_faults_back(run, tmp_path):
    lines = run("question_tool.py")
    refused, answered = [json.loads(line.removeprefix("the model gets ")) for line in lines if "model gets" in line]
    assert refused == {"error": ["$.options: 1 to 64 options, not 0"]}
    assert answered["answers"] == {"ana": "debug.log", "bo": "debug.log"}
    assert answered["saw it and said nothing"] == ["cy"]
    assert in_order(lines, "ana answers", "bo joins", "bo answers", "cy is still asked", "the model gets")
    assert [path.name for path in tmp_path.iterdir()] == ["access.log"]


def test_a_login_goes_on_with_the_callback_or_with_the_code_and_shows_no_code(run):
    lines = run("login_flow.py")
    assert in_order(
        lines,
        "a wrong link: This is no login of ours.",
        "logged in to work with 6 digits; the question was withdrawn",
        "logged in to home with 6 digits; the question was answered",
    )
    assert "her browser: You are logged in." in lines
    assert "493027" not in "".join(lines)


def test_only_a_release_that_two_agreed_to_and_that_nobody_changed_goes_live(run, tmp_path):
    lines = run("deploy_quorum.py")
    assert in_order(
        lines,
        "release-2: deployed; not needed any more: cy",
        "release-3: not deployed",
        "release-4: not deployed: it is no longer what people have seen",
    )
    assert (tmp_path / "live").readlink().name == "release-2"
    assert (tmp_path / "live" / "index.html").read_text() == "<h1>release-2</h1>"


def test_rules_are_reloaded_under_an_open_question(run, tmp_path):
    lines = run("reload_logic.py")
    assert in_order(
        lines,
        "paid 80",
        "Ana is asked",
        "reloaded: amount > 1000",
        "paid 600",
        "not reloaded, the old rule stays: SyntaxError",
        "paid 700",
        "still the same question: True",
        "paid 500",
    )
    assert (tmp_path / "payments.txt").read_text().split() == ["80", "600", "700", "500"]


def test_an_asyncio_program_asks_and_takes_a_question_back(run, tmp_path):
    lines = run("from_asyncio.py")
    assert in_order(lines, "first: ran, exit code 0", "second: Bo said no", "third: gave up; still open: 0")
    assert [path.name for path in tmp_path.iterdir()] == ["first.txt"]


def test_a_job_and_a_person_in_other_processes_outlive_a_restart_of_the_server(run, tmp_path):
    lines = run("from_another_process.py")
    assert in_order(lines, "Ana is asked", "the server was started again, at the same port: True", "Ana is asked")
    assert lines[-1] == "the job has deleted it"
    assert not list(tmp_path.glob("*.bak"))


def test_a_rerun_after_a_crash_asks_nobody_and_commits_once(run, tmp_path):
    lines = run("durable_memo.py")
    assert in_order(
        lines, "Ana is asked", "a rerun", "committed: ('paper mill', 20)", "the same invoice", "Ana is asked"
    )
    rerun = lines[lines.index("a rerun") : lines.index("the same invoice, another amount")]
    assert not [line for line in rerun if line.startswith("Ana is asked")]
    assert not [line for line in run("durable_memo.py") if line.startswith("Ana is asked")], "a day later, still known"
    with closing(sqlite3.connect(tmp_path / "memo.sqlite")) as memo:
        assert memo.execute("SELECT amount FROM payments ORDER BY amount").fetchall() == [(20,), (25,)]


def test_a_killed_agents_approval_ends_with_it_and_what_nobody_decides_is_not_done(run, tmp_path):
    assert run("headless_agent.py") == [
        "Ana finds: delete requests write access",
        "the old one: cancelled via restart",
        "the agent: deleted monday.bak",
        "the agent: sunday.bak is undecided",
    ]
    assert [path.name for path in tmp_path.glob("*.bak")] == ["sunday.bak"]


def test_a_child_whose_host_is_killed_asks_anew_and_gets_one_answer(run, tmp_path):
    assert run("child_questions.py") == [
        "the agent is asked: builder: Which branch?",
        "the old one: cancelled via restart",
        "open: 1",
        "the child has built next",
    ]
    assert (tmp_path / "branch.txt").read_text() == "next"


def test_a_workflow_of_another_engine_waits_at_a_gate_and_goes_on_once(run, tmp_path):
    lines = run("gate_in_dbos.py")
    assert in_order(lines, "asked", "told", "release-8 is live: human deploy")
    assert lines[-1] == "release-8 is live: human deploy"
    assert (tmp_path / "live.txt").read_text() == "release-8"
