"""`questions answer`: what counts, what is refused and changes nothing, and that no secret is ever an argument."""

import subprocess
import sys
from typing import Any

import pytest
import trio

from questions import Confirm, Option, Quorum, Select, Text
from tests.cli.house import ALICE, BOB, open_house
from tests.cli.processes import PATIENCE, environment
from tests.cli.terminal import Terminal

BUILD = Confirm("Run the build?", allow="Run", deny="Wait")
WHERE = Select("Where to?", [Option("staging", "Staging"), Option("prod", "Production")])
CODE = Text("Login code", secret=True, min_length=4)
NAME = Text("What is it called?", max_bytes=20)


@pytest.mark.parametrize(
    ("question", "value", "answer"),
    [
        (BUILD, "yes", True),
        (BUILD, "Allow", True),
        (BUILD, "TRUE", True),
        (BUILD, "no", False),
        (BUILD, "deny", False),
        (BUILD, "false", False),
        (WHERE, "prod", "prod"),
        (NAME, " Zoë ", " Zoë "),
        (NAME, "", ""),
    ],
)
async def test_an_answer_counts(tmp_path, question, value, answer):
    async with open_house(tmp_path) as house:
        id = await house.ask(question)
        done = await house.run("answer", id, value)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"Your answer to {id} counts.\n", "")
        (result,) = await house.settled()
        assert (result.answer, result.by.principal) == (answer, ALICE)


@pytest.mark.parametrize(
    ("question", "value", "words"),
    [
        (BUILD, "maybe", "answered with yes or no (yes: Run, no: Wait)"),
        (BUILD, "1", "answered with yes or no"),
        (BUILD, "", "answered with yes or no"),
        (WHERE, "Production", "answered with one of staging: Staging, prod: Production"),
        (NAME, "x" * 21, "The answer: at most 20 bytes; it has 21."),
    ],
)
async def test_what_does_not_fit_is_told_and_the_question_stays(tmp_path, question, value, words):
    async with open_house(tmp_path) as house:
        id = await house.ask(question)
        done = await house.run("answer", id, value)
        assert (done.returncode, done.stdout) == (2, "")
        assert words in done.stderr
        assert id in house.host.waiting.value


async def test_a_secret_on_the_command_line_is_refused_and_not_quoted(tmp_path):
    async with open_house(tmp_path) as house:
        id = await house.ask(CODE)
        done = await house.run("answer", id, "canary-123")
        assert (done.returncode, done.stdout) == (2, "")
        assert "can see the command line" in done.stderr
        assert "canary" not in done.stderr
        assert id in house.host.waiting.value


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
async def test_a_secret_comes_from_standard_input(tmp_path, ending):
    async with open_house(tmp_path) as house:
        id = await house.ask(CODE)
        done = await house.run("answer", id, "-", given=f"canary-123{ending}")
        assert (done.returncode, done.stderr) == (0, "")
        assert "canary" not in done.stdout
        assert (await house.settled())[0].answer == "canary-123"


async def test_a_secret_that_does_not_fit_is_not_quoted(tmp_path):
    async with open_house(tmp_path) as house:
        id = await house.ask(CODE)
        done = await house.run("answer", id, "-", given="cry")
        assert (done.returncode, done.stderr) == (2, "The answer: at least 4 code points.\n")


async def test_an_answer_comes_from_a_file(tmp_path):
    async with open_house(tmp_path) as house:
        file = tmp_path / "answer.txt"
        file.write_text("one\ntwo\n")
        done = await house.run("answer", await house.ask(NAME), "--file", file)
        assert (done.returncode, (await house.settled())[0].answer) == (0, "one\ntwo")


async def test_files_and_input_that_are_no_answer_are_told(tmp_path):
    async with open_house(tmp_path) as house:
        id, latin = await house.ask(NAME), tmp_path / "latin.txt"
        latin.write_bytes(b"\xe9")
        for arguments, words in [
            (["--file", tmp_path / "none"], "none cannot be read: No such file or directory"),
            (["--file", latin], "The answer is not text in UTF-8."),
            (["x", "--file", latin], "A VALUE or --file, not both."),
            ([], "What is the answer?"),
        ]:
            done = await house.run("answer", id, *arguments)
            assert (done.returncode, done.stdout) == (2, "")
            assert words in done.stderr
        assert id in house.host.waiting.value


async def test_a_late_answer_is_told_how_it_ended_with_code_4(tmp_path):
    async with open_house(tmp_path) as house:
        id = await house.ask(BUILD, [ALICE, BOB])
        await (await house.view(BOB)).answer(id, True)
        done = await house.run("answer", id, "no")
        assert (done.returncode, done.stdout) == (4, "")
        assert done.stderr == f"question '{id}' was answered (by Bob B.); your answer was not counted.\n"


async def test_a_second_answer_is_told_with_code_4(tmp_path):
    async with open_house(tmp_path) as house:
        id = await house.ask(BUILD, [ALICE, BOB], policy=Quorum(2))
        assert (await house.run("answer", id, "yes")).returncode == 0
        done = await house.run("answer", id, "no")
        assert (done.returncode, "already has your answer" in done.stderr) == (4, True)


async def test_what_is_not_there_and_what_is_not_ones_own_are_told_apart(tmp_path):
    async with open_house(tmp_path) as house:
        id = await house.ask(BUILD, [BOB])
        unknown = await house.run("answer", id, "yes")
        assert (unknown.returncode, f"There is no question '{id}' for you here" in unknown.stderr) == (2, True)
        seen = await house.run("answer", id, "yes", who="user:eve")
        assert (seen.returncode, "is not yours to answer" in seen.stderr) == (2, True)
        elsewhere = await house.run("answer", id, "yes", "--session", "other", who="user:bob")
        assert (elsewhere.returncode, "--session S looks into another session" in elsewhere.stderr) == (2, True)
        assert id in house.host.waiting.value


ASKER = """
import sys
import trio
from facets import Principal
from facets.link.client import open_link
from questions import Questions, SessionScope, Text

async def main():
    async with open_link(sys.argv[1], sys.stdin.read()) as link:
        asker = await link.get(Questions, SessionScope("main"))
        await asker.ask(Text("Login code", secret=True), audience=[Principal.user("alice")], key="login")

trio.run(main)
"""


async def test_a_secret_is_not_taken_while_nobody_is_there_for_it(tmp_path):
    async with open_house(tmp_path) as house, house.keep("watch", "--json") as watch:
        await watch.event("connected")
        asker: Any = await trio.lowlevel.open_process(
            [sys.executable, "-c", ASKER, house.server.url], stdin=subprocess.PIPE, env=environment()
        )
        try:
            await asker.stdin.send_all(house.token("server:bot").encode())
            await asker.stdin.aclose()
            id = (await watch.event("opened"))["id"]
        finally:
            asker.kill()
            await asker.wait()
        with trio.fail_after(PATIENCE):
            while house.server.describe()["connections"] > 1:  # the watcher's stays
                await trio.lowlevel.checkpoint()
        done = await house.run("answer", id, "-", given="canary-123")
        assert (done.returncode, done.stdout) == (5, "")
        assert "is away, and a secret is not kept for it" in done.stderr


async def on_terminal(house, id, *typed, before=""):
    """What a terminal has shown, and the exit code, of an answer that is typed. `before`: before it was asked for."""

    def type_it(environment):
        with Terminal("answer", id, environment=environment) as terminal:
            terminal.type(before)
            terminal.wait_until(lambda terminal: terminal.text.endswith("? "))
            for keys in typed:
                terminal.type(keys)
            code = terminal.wait_for_exit()
            assert terminal.is_as_before
            return terminal.text, code

    return await trio.to_thread.run_sync(type_it, house.environment())


async def test_a_terminal_is_asked_and_shows_what_it_is_about(tmp_path):
    async with open_house(tmp_path) as house:
        id = await house.ask(Confirm("Run?", details="make\x1b[2K"))
        text, code = await on_terminal(house, id, "yes\n")
        assert code == 0
        assert r"| make\x1b[2K" in text
        assert (await house.settled())[0].answer is True


async def test_what_was_typed_before_a_question_was_shown_does_not_answer_it(tmp_path):
    async with open_house(tmp_path) as house:
        id = await house.ask(BUILD)
        text, code = await on_terminal(house, id, "no\n", before="yes\n")
        assert (text.startswith("yes"), code) == (True, 0)
        assert (await house.settled())[0].answer is False


async def test_what_is_typed_as_soon_as_a_question_is_shown_does_not_answer_it(tmp_path):
    async with open_house(tmp_path) as house:
        id = await house.ask(BUILD)

        def type_it(environment):
            with Terminal("answer", id, environment=environment) as terminal:
                terminal.wait_until(lambda terminal: "Run the build?" in terminal.text)
                terminal.type("yes\n")
                terminal.wait_until(lambda terminal: terminal.text.endswith("? "))
                terminal.type("no\n")
                return terminal.wait_for_exit()

        assert await trio.to_thread.run_sync(type_it, house.environment()) == 0
        assert (await house.settled())[0].answer is False


async def test_a_secret_is_typed_unseen(tmp_path):
    async with open_house(tmp_path) as house:
        text, code = await on_terminal(house, await house.ask(CODE), "canary-123\n")
        assert (code, "canary" in text) == (0, False)
        assert (await house.settled())[0].answer == "canary-123"


@pytest.mark.parametrize(("keys", "code"), [("\n", 2), ("\x04", 2), ("\x03", 130)])
@pytest.mark.parametrize("question", [CODE, NAME])
async def test_nothing_typed_answers_nothing(tmp_path, question, keys, code):
    async with open_house(tmp_path) as house:
        id = await house.ask(question)
        assert (await on_terminal(house, id, keys))[1] == code
        assert id in house.host.waiting.value
