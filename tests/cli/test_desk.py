"""Keys count for one question at a time, and only once it has been in view for a while."""

from types import SimpleNamespace

import pytest

from questions.cli.demo.desk import ARMING_DELAY, Answer, Desk
from questions.question import Confirm, Option, Select, Text


def opened(id, question=None, *, may_answer=True, answered_by_me=False):
    question = question or Confirm(f"{id}?")
    return SimpleNamespace(id=id, question=question, may_answer=may_answer, answered_by_me=answered_by_me)


def desk_with(*questions, pages=1):
    """A desk whose first question came into view at 0, and was drawn."""
    desk = Desk()
    desk.look(questions, 0)
    desk.turn_to(pages)
    return desk


def press(desk, *keys, now=10.0):
    return desk.press(keys, now)


def test_the_oldest_question_is_in_front():
    first, second = opened("q1"), opened("q2")
    desk = desk_with(first, second)
    assert (desk.front, desk.waiting) == (first, (second,))


def test_only_questions_that_are_mine_come_to_the_front():
    others, done, mine = opened("q1", may_answer=False), opened("q2", answered_by_me=True), opened("q3")
    desk = desk_with(others, done, mine)
    assert (desk.front, desk.waiting) == (mine, (others, done))


@pytest.mark.parametrize(("key", "value"), [("y", True), ("Y", True), ("n", False), ("N", False)])
def test_one_key_answers(key, value):
    assert press(desk_with(opened("q1")), key) == Answer("q1", value)


def test_other_keys_answer_nothing():
    assert press(desk_with(opened("q1")), *"aé1", "enter", "backspace") is None


def test_a_key_that_comes_too_early_is_dropped():
    desk = desk_with(opened("q1"))
    assert press(desk, "y", now=ARMING_DELAY - 0.01) is None
    assert press(desk, now=ARMING_DELAY) is None
    assert press(desk, "n", now=ARMING_DELAY) == Answer("q1", False)


def test_the_delay_begins_anew_with_the_next_question():
    desk = desk_with(opened("q1"), opened("q2"))
    assert desk.look([opened("q2")], 10)
    desk.turn_to(1)
    assert press(desk, "y", now=10.4) is None
    assert press(desk, "y", now=10.5) == Answer("q2", True)


def test_another_question_elsewhere_delays_nothing():
    desk = desk_with(opened("q1"))
    assert not desk.look([opened("q1"), opened("q2")], 10)
    assert press(desk, "y", now=10) == Answer("q1", True)


def test_keys_after_an_answer_are_dropped():
    desk = desk_with(opened("q1"), opened("q2"))
    assert press(desk, "y", "y", "y") == Answer("q1", True)
    assert desk.front.id == "q1"


def test_without_a_question_keys_do_nothing():
    assert press(Desk(), "y") is None


def test_what_was_left_to_others_does_not_come_back():
    questions = opened("q1"), opened("q2")
    desk = desk_with(*questions)
    assert press(desk, "tab", "y") is None
    desk.look(questions, 11)
    assert desk.front.id == "q2"
    assert "Left to others" in desk.note


def test_nobody_allows_what_they_have_not_seen_to_its_end():
    desk = desk_with(opened("q1"), pages=3)
    assert press(desk, "y") is None
    assert "Read to the end" in desk.note
    for page in (1, 2):
        press(desk, " ")
        assert desk.turn_to(3) == page
    assert press(desk, "y") == Answer("q1", True)


def test_denying_needs_no_reading():
    assert press(desk_with(opened("q1"), pages=3), "n") == Answer("q1", False)


def test_a_key_before_the_first_drawing_allows_nothing():
    desk = Desk()
    desk.look([opened("q1")], 0)
    assert press(desk, "y") is None


def test_a_smaller_window_shows_the_last_page_there_is():
    desk = desk_with(opened("q1"), pages=5)
    press(desk, "down", "down", "down")
    assert desk.turn_to(2) == 1


def test_a_digit_chooses():
    select = Select("Which?", [Option("0", "none"), Option("b", "both")])
    assert press(desk_with(opened("q1", select)), "1") == Answer("q1", "0")
    assert press(desk_with(opened("q1", select)), "2") == Answer("q1", "b")
    assert press(desk_with(opened("q1", select)), "0", "3", "²", "y") is None


def test_text_is_submitted_with_enter():
    desk = desk_with(opened("q1", Text("Code?")))
    assert press(desk, *"7 3x", "backspace", "é") is None
    assert desk.typed == "7 3é"
    assert press(desk, "enter") == Answer("q1", "7 3é")
    assert desk.typed == ""


def test_an_empty_text_is_refused_as_empty():
    desk = desk_with(opened("q1", Text("Code?")))
    assert press(desk, "enter") is None
    assert desk.note == "Nothing typed yet."


def test_a_long_paste_with_a_line_end_arrives_whole():
    """130 characters and a trailing newline are 130 characters."""
    code = "x" * 129 + "y"
    assert press(desk_with(opened("q1", Text("Code?"))), *code, "enter") == Answer("q1", code)


def test_half_a_text_is_never_submitted_for_the_next_question():
    desk = desk_with(opened("q1", Text("Code?")))
    press(desk, *"123")
    desk.look([opened("q2", Text("Other code?"))], 10)
    assert desk.typed == ""


def test_an_answer_is_not_in_its_repr():
    assert "735" not in repr(Answer("q1", "735"))
