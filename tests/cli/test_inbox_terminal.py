"""`questions inbox` on a real terminal, against a real server."""

import os
import sys
import time
from functools import partial

import pytest
import trio

from facets.link import Revocations
from questions import Confirm, Text
from questions.cli.arming import ARMING_DELAY
from tests.cli.house import ALICE, open_house
from tests.cli.processes import run
from tests.cli.terminal import Terminal

GO, WHY = Confirm("Really go?"), Text("Tell why")


def on_terminal(house, scene):
    """Play `scene(terminal, ask)` in a thread, with the inbox of Alice; `ask(question)` asks from there."""

    def play():
        with Terminal("inbox", rows=24, environment=house.environment()) as terminal:
            terminal.wait_until(lambda terminal: "0 open" in terminal.text)
            scene(terminal, partial(trio.from_thread.run, house.ask))

    return trio.to_thread.run_sync(play)


async def test_a_key_from_before_a_question_was_shown_does_not_answer_it(tmp_path):
    async with open_house(tmp_path) as house:

        def scene(terminal, ask):
            terminal.type("yyy")
            ask(GO)
            terminal.type("y")
            terminal.wait_until(lambda terminal: "Really go?" in terminal.text)
            assert not house.results
            end = time.monotonic() + 2 * ARMING_DELAY
            terminal.wait_until(lambda _: time.monotonic() > end)
            assert not house.results
            terminal.type("n")
            terminal.wait_until(lambda terminal: "Your answer counts" in terminal.text)
            ask(WHY)
            terminal.wait_until(lambda terminal: "Tell why" in terminal.text)
            end = time.monotonic() + 2 * ARMING_DELAY
            terminal.wait_until(lambda _: time.monotonic() > end)
            terminal.type("\rbecause\rit is so\x13")
            terminal.wait_until(lambda terminal: "Your answer counts: Tell why" in terminal.text)
            terminal.type("q")
            assert terminal.wait_for_exit() == 0
            assert terminal.is_as_before

        await on_terminal(house, scene)
        assert [result.answer for result in house.results] == [False, "because\nit is so"]


async def test_who_is_let_in_no_more_is_told_with_code_5(tmp_path):
    async with open_house(tmp_path) as house:

        def scene(terminal, ask):
            Revocations(tmp_path / "keys.json.revoked").revoke_principal(ALICE, house.host.now() + 1)
            assert terminal.wait_for_exit() == 5
            assert "the server did not accept the token" in terminal.text

        await on_terminal(house, scene)


async def test_a_signal_leaves_the_terminal_as_it_was(tmp_path):
    async with open_house(tmp_path) as house:

        def scene(terminal, ask):
            terminal.terminate()
            assert terminal.wait_for_exit() == 130
            assert terminal.is_as_before

        await on_terminal(house, scene)


async def test_it_needs_a_terminal():
    done = await run("inbox", QUESTIONS_TOKEN="x")
    assert (done.returncode, done.stderr.startswith("The inbox needs a terminal")) == (2, True)


def test_it_needs_one_that_can_be_drawn_on():
    with Terminal("inbox", environment={**os.environ, "QUESTIONS_TOKEN": "x"}, kind="dumb") as terminal:
        assert terminal.wait_for_exit() == 2
        assert "The inbox needs a terminal that can be drawn on" in terminal.text


@pytest.mark.parametrize("missing", [["textual"], ["textual", "rich"]])
async def test_without_the_library_it_says_what_to_install(tmp_path, missing):
    hook = f"""
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
"""
    (tmp_path / "sitecustomize.py").write_text(hook)
    path = f"{tmp_path}:{':'.join(filter(None, sys.path))}"
    done = await run("inbox", QUESTIONS_TOKEN="x", PYTHONPATH=path)
    assert (done.returncode, 'pip install "question-broker[inbox]"' in done.stderr) == (2, True)
