"""What is drawn fits the window, escapes what cannot be seen, and never shows a secret."""

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from questions.cli.demo.desk import Desk
from questions.cli.demo.screen import draw
from questions.question import Confirm, Option, Select, Text


def opened(question, **more):
    known = {"id": "q1", "may_answer": True, "answered_by_me": False, "remaining": 59.2, "asker": "the agent"}
    people = {"answered": (), "waiting_for": ("Alice", "Bob")}
    return SimpleNamespace(question=question, **{**known, **people, **more})


def drawn(*questions, desk=None, now=1.0, rows=40):
    """The text of the view at `now`; the first question came into view at 0."""
    desk = desk or Desk()
    desk.look(questions, 0)
    output = io.StringIO()
    console = Console(file=output, width=80, height=rows)
    console.print(draw(desk, console, now))
    return output.getvalue()


def test_a_question_is_shown_with_everything_to_judge_it_by():
    text = drawn(opened(Confirm("Run it?", details="command: rm -rf build"), answered=("Carol",)))
    for words in ("Run it?", "rm -rf build", "the agent", "Answered: Carol", "Waiting for: Alice, Bob", "60 s left"):
        assert words in text
    assert " y  Allow    n  Deny" in text


def test_hidden_characters_are_shown_escaped():
    assert r"ls\u200b\x1b[2K" in drawn(opened(Confirm("Run it?", details="ls\u200b\x1b[2K")))


def test_rich_markup_is_shown_as_it_is():
    text = drawn(opened(Confirm("[red]rm[/red]", details="[bold"), asker="[x]"))
    assert "[red]rm[/red]" in text
    assert "[bold" in text
    assert "Asked by [x]" in text


def test_options_are_numbered():
    text = drawn(opened(Select("Which?", [Option("a", "Half up"), Option("b", "Half to even")])))
    assert " 1  Half up" in text
    assert " 2  Half to even" in text


@pytest.mark.parametrize(("secret", "shown"), [(True, "***_"), (False, "735_")])
def test_only_a_secret_is_typed_unseen(secret, shown):
    desk, question = Desk(), opened(Text("Code?", secret=secret))
    desk.look([question], 0)
    desk.press(["7", "3", "5"], 1)
    text = drawn(question, desk=desk)
    assert f"then Enter: {shown}" in text
    assert ("735" in text) is not secret


def test_it_says_when_keys_do_not_count_yet():
    assert "in a moment" in drawn(opened(Confirm("Run it?")), now=0.4)
    assert "in a moment" not in drawn(opened(Confirm("Run it?")), now=0.6)


def test_a_long_text_comes_in_pages_that_fit():
    question = opened(Confirm("Run it?", details="\n".join(f"line {number}" for number in range(100))))
    desk = Desk()
    seen = ""
    while "line 99" not in seen:
        text = drawn(question, desk=desk, rows=24)
        assert len(text.splitlines()) <= 24
        assert "page " in text
        seen += text
        desk.press(["down"], 1)
    assert all(f"line {number}" in seen for number in range(100))


def test_others_wait_in_a_line_each():
    more = [opened(Confirm(f"Then {number}?"), id=f"q{number}", remaining=None) for number in range(2, 9)]
    text = drawn(opened(Confirm("First?")), *more)
    assert "Then 2?  (waits its turn; waiting for Alice, Bob; no time limit)" in text
    assert "and 3 more" in text


def test_without_a_question_it_says_so():
    done = opened(Confirm("Done?"), answered_by_me=True)
    text = drawn(done, opened(Confirm("Theirs?"), id="q2", may_answer=False))
    assert "Nothing for you to answer" in text
    assert "Done?  (answered by you;" in text
    assert "Theirs?  (not yours;" in text
