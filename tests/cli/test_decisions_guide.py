"""The guide to decisions from scripts: what it shows runs, and goes on after a yes alone."""

import subprocess

import pytest

from questions.cli import main
from tests.cli.processes import PATIENCE, environment
from tests.cli.test_ask_guides import QUESTIONS, shown


@pytest.fixture
def release(tmp_path, monkeypatch):
    """Run release.sh for a version; returns its exit code and what it printed."""
    monkeypatch.setenv("QUESTIONS_ROOT", str(tmp_path))
    command = tmp_path / "questions"
    command.write_text(f'#!/bin/sh\nexec {QUESTIONS} "$@"\n')
    command.chmod(0o755)
    script = tmp_path / "release.sh"
    script.write_text(shown("decisions-from-scripts", "release.sh"))
    variables = {"QUESTIONS_ROOT": str(tmp_path), "STATE": str(tmp_path), "WAIT_MS": "0"}
    there = environment(**variables)
    there["PATH"] = f"{tmp_path}:{there['PATH']}"

    def released(version):
        done = subprocess.run(
            ["sh", script, version], capture_output=True, text=True, timeout=PATIENCE, env=there, check=False
        )
        return done.returncode, done.stdout

    return released


@pytest.mark.parametrize(("option", "ended"), [("yes", (0, "releasing v7\n")), ("no", (1, ""))])
def test_a_script_that_is_run_again_goes_on_with_its_decision(release, tmp_path, capsys, option, ended):
    assert release("v7") == (6, "")
    id = (tmp_path / "decision-v7").read_text().strip()
    assert main(["decisions", "answer", id, "--option", option, "--text", '"optionId": "yes"']) == 0
    assert release("v7") == ended
    assert release("v7") == ended
    main(["decisions", "list"])
    assert capsys.readouterr().out.endswith("No decisions\n")


def test_a_script_says_that_its_decision_was_cancelled(release, tmp_path):
    assert release("v8") == (6, "")
    assert main(["decisions", "cancel", (tmp_path / "decision-v8").read_text().strip()]) == 0
    assert release("v8") == (1, "")
