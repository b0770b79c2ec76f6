"""`questions gates answer` on a real terminal: a person chooses, and nothing but a person does."""

import asyncio
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from questions.cli.arming import ARMING_DELAY
from questions.cli.gates.answering import Person
from questions.cli.gates.beside import open_beside
from questions.cli.machine_user import machine_user
from questions.gates import Accepted, AcceptedDecision, Adopted, Conflict, Paragraph, Presentation, Source, view_of
from tests.cli.gates import answering, ask, in_gates, now, root_of
from tests.cli.processes import run
from tests.cli.terminal import Terminal
from tests.questions.gates.cases import AUTOMATIC, CONTINUE, EXACT, TEN_MINUTES, submission

LONG = Presentation("Review.", [Paragraph(f"Paragraph number {number}.") for number in range(1, 31)])


def of(folder, asked):
    """How it has ended, if it has."""

    async def get(gates):
        return (await gates.get(asked.decision_id)).resolution

    return in_gates(folder, get)


def wait_until_armed(terminal):
    """Until the request is in view and keys count; the mark beside the first choice comes with the second frame."""
    terminal.wait_until(lambda terminal: "> 1 Continue" in terminal.text)
    wait_for_the_delay(terminal)


def wait_for_the_delay(terminal):
    end = time.monotonic() + 2 * ARMING_DELAY
    terminal.wait_until(lambda _: time.monotonic() > end)


def test_enter_answers_as_the_user_of_the_machine(tmp_path):
    asked = ask(tmp_path)  # case 113
    with answering(tmp_path, asked) as terminal:
        wait_until_armed(terminal)
        for words in ("Approve plan", "Review the plan.", asked.fingerprint, "2 Replan"):
            assert words in terminal.text
        terminal.type("\r")
        assert terminal.wait_for_exit() == 0
        assert "Chosen: Continue" in terminal.text
        assert terminal.is_as_before
    decision = of(tmp_path, asked)
    assert isinstance(decision, AcceptedDecision)
    assert isinstance(decision.source, Source)
    assert (decision.response, decision.source.channel) == (CONTINUE, "terminal")
    assert decision.source.actor_id == str(machine_user())


def test_what_was_in_the_buffer_before_settles_nothing(tmp_path):
    asked = ask(tmp_path)  # R58
    with answering(tmp_path, asked) as terminal:
        terminal.type("y\n")
        terminal.wait_until(lambda terminal: "Approve plan" in terminal.text)
        terminal.type("y\n\r")
        terminal.wait_until(lambda terminal: "is forgotten" in terminal.text)
        wait_for_the_delay(terminal)
        assert of(tmp_path, asked) is None
        terminal.type("1\r")
        assert terminal.wait_for_exit() == 0


def test_a_text_of_several_lines_arrives_exactly_on_forty_columns(tmp_path):
    asked = ask(tmp_path)  # case 73
    with answering(tmp_path, asked, columns=40, rows=20) as terminal:
        wait_until_armed(terminal)
        terminal.type("2\r")
        terminal.wait_until(lambda terminal: "Ctrl+S, F2: give" in terminal.text)
        terminal.type(EXACT.replace("\n", "\r") + "\x13")
        assert terminal.wait_for_exit() == 0
        assert "Chosen: Replan" in terminal.text
    assert of(tmp_path, asked).response.input.text == EXACT


def test_a_long_paste_with_a_line_end_is_taken_without_it_and_gives_nothing_by_itself(tmp_path):
    asked, code = ask(tmp_path), "13-" * 43 + "4"  # R59
    with answering(tmp_path, asked) as terminal:
        wait_until_armed(terminal)
        terminal.type("2\r")
        terminal.wait_until(lambda terminal: "Ctrl+S, F2: give" in terminal.text)
        terminal.type(f"\x1b[200~{code}\r\x1b[201~")
        terminal.wait_until(lambda terminal: code[-30:] in terminal.text)
        assert of(tmp_path, asked) is None
        terminal.type("\x13")
        assert terminal.wait_for_exit() == 0
    assert (len(code), of(tmp_path, asked).response.input.text) == (130, code)


def test_a_long_request_is_read_to_its_end_before_anything_is_chosen(tmp_path):
    asked = ask(tmp_path, presentation=LONG)  # case 112
    with answering(tmp_path, asked, rows=24) as terminal:
        wait_until_armed(terminal)
        assert "Paragraph number 12." not in terminal.text
        terminal.type("\r")
        terminal.wait_until(lambda terminal: "Read to the end first" in terminal.text)
        terminal.type(" ")
        terminal.wait_until(lambda terminal: "Paragraph number 9." in terminal.text)
        terminal.wait_until(lambda terminal: "• Replan: What should change?" in terminal.text or terminal.type(" "))
        assert "Paragraph number 30." in terminal.text
        terminal.type("\r")
        assert terminal.wait_for_exit() == 0
    assert of(tmp_path, asked).response == CONTINUE


@pytest.mark.parametrize(
    ("keys", "words"), [(["\x1b"], "Selection cancelled."), (["2\r", "draft", "\x1b"], "Input cancelled.")]
)
def test_who_leaves_leaves_the_decision_open(tmp_path, keys, words):
    asked = ask(tmp_path)  # case 115
    with answering(tmp_path, asked) as terminal:
        wait_until_armed(terminal)
        for one in keys:
            terminal.type(one)
            if one == "draft":
                terminal.wait_until(lambda terminal: "draft" in terminal.text)
        assert terminal.wait_for_exit() == 6
        assert f"{words} Nothing was answered, and the decision stays open." in terminal.text
        assert ("  | draft" in terminal.text) == ("draft" in keys)
        assert terminal.is_as_before
    assert of(tmp_path, asked) is None


@pytest.mark.parametrize("stop", [lambda terminal: terminal.type("\x03"), lambda terminal: terminal.terminate()])
def test_an_interrupt_leaves_the_decision_open_and_the_terminal_as_it_was(tmp_path, stop):
    asked = ask(tmp_path)
    with answering(tmp_path, asked) as terminal:
        wait_until_armed(terminal)
        stop(terminal)
        assert terminal.wait_for_exit() == 130
        assert "Interrupted; nothing was answered, and the decision stays open." in terminal.text
        assert terminal.is_as_before
    assert of(tmp_path, asked) is None


def test_what_somebody_else_has_settled_closes_the_dialog(tmp_path):
    asked = ask(tmp_path)  # case 111
    with answering(tmp_path, asked) as terminal:
        wait_until_armed(terminal)

        async def answer(gates):
            return await gates.submit(submission(asked))

        assert isinstance(in_gates(tmp_path, answer), Accepted)
        assert terminal.wait_for_exit() == 4
        assert "Settled elsewhere. Chosen: Continue" in terminal.text
        assert "cancelled" not in terminal.text
        assert terminal.is_as_before


def test_what_the_deadline_has_chosen_is_never_put_as_somebodys_choice(tmp_path):
    asked = ask(tmp_path, timeout=AUTOMATIC, now=now() - TEN_MINUTES)  # case 148
    with answering(tmp_path, asked) as terminal:
        wait_until_armed(terminal)
        assert "its deadline has come" in terminal.text
        with Terminal("gates", "serve", environment=root_of(tmp_path)) as server:
            assert terminal.wait_for_exit() == 4
            server.terminate()
            assert server.wait_for_exit() == 0
        told = "Settled elsewhere. Automatic at the deadline, since there was no answer: Continue"
        assert (told in terminal.text, "Chosen:" in terminal.text) == (True, False)


def test_a_server_on_a_terminal_says_what_it_waits_for(tmp_path):
    ask(tmp_path, timeout=AUTOMATIC)
    with Terminal("gates", "serve", environment=root_of(tmp_path)) as server:
        server.wait_until(lambda server: re.search(r"Leads; 1 open, the next deadline in \d:\d\d\.", server.text))
        server.type("\x03")
        assert server.wait_for_exit() == 130
        assert server.is_as_before


def test_a_decision_that_has_ended_opens_no_dialog(tmp_path):
    asked = ask(tmp_path)
    in_gates(tmp_path, partial(_cancel, id=asked.decision_id))
    with answering(tmp_path, asked, "--json") as terminal:
        assert terminal.wait_for_exit() == 4
        told = json.loads(terminal.text)
        assert (told["outcome"], told["cancellation"]["reason"]) == ("settled elsewhere", "cancelled")


async def _cancel(gates, id):
    return await gates.cancel(id)


@pytest.mark.parametrize("is_mine", [True, False])
def test_whose_answer_it_was_is_known_whoever_tells_of_it_first_and_the_same_one_again_is_adopted(tmp_path, is_mine):
    asked = ask(tmp_path)
    told: list[bool] = []
    dialog: Any = SimpleNamespace(settled=lambda resolution, by_this: told.append(by_this))

    async def answered():
        async with open_beside(str(tmp_path)) as beside:
            person, another = (Person(beside, view_of(asked)) for _ in range(2))
            first = person if is_mine else another
            assert isinstance(await first.submit(CONTINUE), Accepted)
            assert isinstance(await first.submit(CONTINUE), Adopted)
            await person.follow(dialog)
            assert isinstance(await (another if is_mine else person).submit(CONTINUE), Conflict)

    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(answered())).result()
    assert told == [is_mine]


async def test_a_pipe_is_no_person(tmp_path):
    done = await run("gates", "answer", "decision-x", given="1\n", QUESTIONS_ROOT=str(tmp_path))  # case 72
    assert (done.returncode, "a person at a terminal" in done.stderr) == (2, True)


def test_a_terminal_that_cannot_be_drawn_on_is_told(tmp_path):
    with Terminal("gates", "answer", "x", environment=root_of(tmp_path), kind="dumb") as terminal:
        assert terminal.wait_for_exit() == 2
        assert "can be drawn on" in terminal.text


def test_an_unknown_decision_is_told(tmp_path):
    with Terminal("gates", "answer", "decision-x", environment=root_of(tmp_path)) as terminal:
        assert terminal.wait_for_exit() == 1
        assert "there is no decision 'decision-x' here" in terminal.text
