"""The text that a server keeps for the channel."""

import pytest

from questions.gates.telegram.cursor import MOST_PROMPTS, Cursor, Prompt

CODE = "qg:" + "A" * 32
PROMPT = Prompt("-1001234567890", "17", CODE)


def test_it_comes_back_as_it_was_written():
    cursor = Cursor(6, (PROMPT, Prompt("7", "18", CODE)))
    assert Cursor.read(cursor.text) == cursor
    assert Cursor(6).text == "6"


@pytest.mark.parametrize("text", ["", "x", "6;", "6;-200/17", "-1", "6;a/b/c", "9" * 30])
def test_what_is_none_begins_again(text):
    assert Cursor.read(text) == Cursor()


def test_it_never_goes_back():
    assert Cursor(9).after(5) == Cursor(9)


def test_the_oldest_prompts_go_first_so_that_it_stays_within_its_bounds():
    cursor = Cursor()
    for number in range(MOST_PROMPTS + 3):
        cursor = cursor.after(number, Prompt("-" + "9" * 18, str(10**18 + number), CODE))
    assert len(cursor.prompts) == MOST_PROMPTS
    assert cursor.prompts[0].message_id == str(10**18 + 3)
    assert len(cursor.text) <= 4_000


def test_a_prompt_is_found_by_chat_and_message():
    cursor = Cursor(6, (PROMPT,))
    assert cursor.prompt("-1001234567890", "17") == PROMPT
    assert cursor.prompt("7", "17") is None
