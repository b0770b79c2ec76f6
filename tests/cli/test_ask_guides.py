"""The guides for git hooks, CI jobs and shell scripts: what they show runs, against a server and people who answer."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path
from queue import Queue

import pytest

from questions.cli import main
from tests.cli.processes import PATIENCE, environment
from tests.house.source import ROOT, text_of

QUESTIONS = f"{shlex.quote(sys.executable)} -W error -m questions.cli"
needs_git = pytest.mark.needs_tool("git")


def shown(guide, name):
    """A script that a guide shows: what is in its block."""
    page = text_of(ROOT / "docs" / "howto" / f"{guide}.md")
    [script] = re.findall(rf"^```sh {re.escape(name)}\n(.*?)^```$", page, re.M | re.S)
    return script


class Office:
    """A server, people, and everything that is needed to ask them from a script."""

    def __init__(self, folder):
        self.folder = folder
        self._asked: Queue = Queue()
        people = [part for name in ("ana", "bo", "cy") for part in ("--person", name)]
        self._server = self._start("serve", "--port", "0", "--json", "--auth-keys", folder / "keys.json", *people)
        told = json.loads(self._server.stdout.readline())
        self.url = told["url"]
        self.tokens = {one["principal"].split(":")[1]: one["token_file"] for one in told["people"]}
        self.worker_token = told["workers"][0]["token_file"]
        self._watch = self._start("watch", "--json", "--url", self.url, "--token-file", self.tokens["ana"])
        threading.Thread(target=self._hear, daemon=True).start()
        (folder / "bin").mkdir()
        command = folder / "bin" / "questions"
        command.write_text(f'#!/bin/sh\nexec {QUESTIONS} "$@"\n')
        command.chmod(0o755)

    def _start(self, *arguments):
        command = [sys.executable, "-W", "error", "-m", "questions.cli", *map(str, arguments)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=self.folder, env=environment())

    def _hear(self):
        for line in self._watch.stdout:
            event = json.loads(line)
            if event["event"] in ("opened", "gone"):
                self._asked.put(event)

    def heard(self, event):
        """What ana is shown next."""
        told = self._asked.get(timeout=PATIENCE)
        assert told["event"] == event, told
        return told

    def answer(self, id, **answers):
        """Have people answer, one after the other."""
        for name, answer in answers.items():
            assert main(["answer", id, answer, "--url", self.url, "--token-file", self.tokens[name]]) == 0

    def run(self, *command, folder=None, **variables):
        """Start a command that may ask."""
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        settings = {"QUESTIONS_URL": self.url, "QUESTIONS_TOKEN_FILE": self.worker_token}
        return subprocess.Popen(
            [*map(str, command)],
            cwd=folder or self.folder,
            env=environment(PATH=path, **{**settings, **variables}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def script(self, guide, name, *arguments, **variables):
        """Start a script of a guide."""
        file = self.folder / name
        file.write_text(shown(guide, name))
        return self.run("sh", file, *arguments, **variables)

    def close(self):
        for process in (self._watch, self._server):
            process.terminate()
            process.communicate(timeout=PATIENCE)


@pytest.fixture(scope="module")
def office(tmp_path_factory):
    office = Office(tmp_path_factory.mktemp("office"))
    yield office
    office.close()


def ended(process):
    out, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in err
    return process.returncode, out, err


@pytest.mark.parametrize(("answer", "is_left"), [("yes", False), ("no", True)])
def test_a_script_goes_on_after_a_yes_alone(office, answer, is_left):
    folder = office.folder / f"old-{answer}"
    folder.mkdir()
    (folder / "letter").touch()
    script = office.script("ask-in-a-shell-script", "clean.sh", folder)
    question = office.heard("opened")
    assert question["question"]["details"] == f"{folder}:\nletter\n"
    office.answer(question["id"], ana=answer)
    assert ended(script)[0] == 0
    assert (folder.exists(), office.heard("gone")["how"]) == (is_left, "answered")


def test_a_script_tells_a_choice_silence_and_an_interrupt_apart(office):
    script = office.script("ask-in-a-shell-script", "where.sh", "v1")
    office.answer(office.heard("opened")["id"], ana="us")
    assert ended(script)[:2] == (0, "deploying v1 to us\n")
    office.heard("gone")

    script = office.script("ask-in-a-shell-script", "where.sh", "v2", WAIT="1s")
    assert ended(script)[:2] == (3, "nobody has answered in time\n")
    assert [office.heard("opened")["event"], office.heard("gone")["how"]] == ["opened", "expired"]

    script = office.script(
        "ask-in-a-shell-script", "where.sh", "v3", QUESTIONS_URL="ws://127.0.0.1:1", QUESTIONS_WAIT="0.1"
    )
    assert ended(script)[:2] == (5, "no server can be reached; nobody was asked\n")


def test_a_script_reads_several_answers_line_by_line(office):
    script = office.script("ask-in-a-shell-script", "votes.sh")
    office.answer(office.heard("opened")["id"], bo="the\ttests", ana="lunch")
    assert ended(script)[1] == "user:bo: the\\ttests\nuser:ana: lunch\n"
    office.heard("gone")


def git(*arguments, folder):
    identity = ["-c", "user.name=Eve", "-c", "user.email=eve@example.org", "-c", "init.defaultBranch=main"]
    command = ["git", *identity, *map(str, arguments)]
    return subprocess.run(command, check=True, cwd=folder, capture_output=True, text=True, timeout=PATIENCE).stdout


@pytest.fixture
def checkout(tmp_path):
    """A repository with the hook in it, and one to push to."""
    git("init", "--bare", tmp_path / "shop.git", folder=tmp_path)
    git("init", tmp_path / "shop", folder=tmp_path)
    folder = tmp_path / "shop"
    git("remote", "add", "origin", tmp_path / "shop.git", folder=folder)
    hook = folder / ".git" / "hooks" / "pre-push"
    hook.write_text(shown("ask-in-a-git-hook", "pre-push"))
    hook.chmod(0o755)
    git("commit", "--allow-empty", "-m", "Open the shop", folder=folder)
    return folder


@needs_git
def test_a_hook_asks_before_a_push_to_main_and_for_nothing_else(office, checkout, tmp_path):
    git("push", "origin", "HEAD:refs/heads/elsewhere", folder=checkout)  # nobody is asked, and no `questions` is there
    settings = tmp_path / "config.toml"
    settings.write_text('to = ["ana"]\ntimeout = "10m"\n')
    push = office.run("git", "push", "origin", "HEAD:refs/heads/main", folder=checkout, QUESTIONS_CONFIG=str(settings))
    question = office.heard("opened")
    assert question["question"]["message"] == "Push to main of origin?"
    assert "Open the shop" in question["question"]["details"]
    office.answer(question["id"], ana="no")
    code, _, err = ended(push)
    assert (code, "Denied by ana." in err) == (1, True)
    office.heard("gone")
    assert "main" not in git("ls-remote", "--heads", "origin", folder=checkout)

    git("commit", "--allow-empty", "-m", "Close the shop", folder=checkout)
    push = office.run("git", "push", "origin", "HEAD:refs/heads/main", folder=checkout, QUESTIONS_CONFIG=str(settings))
    question = office.heard("opened")
    assert "Close the shop" in question["question"]["details"]
    office.answer(question["id"], ana="yes")
    assert ended(push)[0] == 0
    office.heard("gone")
    assert "refs/heads/main" in git("ls-remote", "--heads", "origin", folder=checkout)


def test_a_job_goes_on_when_two_agree_and_a_second_run_gets_the_kept_answer(office):
    job = office.script("ask-in-a-ci-job", "deploy.sh", VERSION="3f9c")
    office.answer(office.heard("opened")["id"], bo="yes", ana="yes")
    assert ended(job)[:2] == (0, "deploying 3f9c\n")
    office.heard("gone")
    decision = json.loads((office.folder / "decision.json").read_text())
    assert [one["by"]["principal"] for one in decision["answers"]] == ["user:bo", "user:ana"]
    assert ended(office.script("ask-in-a-ci-job", "deploy.sh", VERSION="3f9c"))[0] == 0


def test_a_job_fails_with_a_code_of_its_own_for_a_no_for_silence_and_for_an_end(office):
    job = office.script("ask-in-a-ci-job", "deploy.sh", VERSION="1")
    office.answer(office.heard("opened")["id"], bo="yes", ana="no")
    assert ended(job)[:2] == (1, "")
    office.heard("gone")
    assert ended(office.script("ask-in-a-ci-job", "deploy.sh", VERSION="2", WAIT="1s"))[0] == 3
    assert [office.heard("opened")["event"], office.heard("gone")["how"]] == ["opened", "expired"]

    job = office.script("ask-in-a-ci-job", "deploy.sh", VERSION="3")
    office.heard("opened")
    os.killpg(job.pid, signal.SIGTERM)
    ended(job)
    assert office.heard("gone")["how"] == "withdrawn"
    decision = office.folder / "decision.json"
    assert Path(decision).exists()
