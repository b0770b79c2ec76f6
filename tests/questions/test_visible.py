"""What is shown can be trusted: no character hides, or reorders what people read."""

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from questions import visible
from questions.visible import text_within, unshowable
from tests.rules import rule

# The page in the browser has the same rule, and is held to the same vectors.
VECTORS = json.loads((Path(__file__).parents[1] / "data" / "visible.json").read_text())

# Any code point, lone surrogates too, and the awkward ones often.
AWKWARD = st.sampled_from("\x00\t\n\r\x1b\x7f\x85\u00ad\u034f\u115f\u200b\u200d\u202e\u2028\u2069\ud800\ufe0f\ufeff")
TEXTS = st.lists(st.characters(exclude_categories=()) | AWKWARD).map("".join)


SEEN = set("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
SEEN |= set(map(chr, range(0x13430, 0x13440)))  # formats that have a shape: Arabic signs, joiners of hieroglyphs
BLANK_LETTERS = set("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")


def is_dangerous(char):
    """By what Unicode says of it, and not by a list of ours: controls, formats, surrogates, separators, selectors."""
    if char in "\t\n" or char in SEEN:
        return False
    invisible = unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") or char in BLANK_LETTERS
    return invisible or "VARIATION SELECTOR" in unicodedata.name(char, "")


@rule("Q-TYPE-2")
def test_every_dangerous_code_point_of_unicode_is_escaped():
    dangerous = [chr(code) for code in range(0x110000) if is_dangerous(chr(code))]
    assert [hex(ord(char)) for char in dangerous if not visible(char).isascii()] == []
    assert len(dangerous) > 2_000  # surrogates alone are 2,048


@rule("Q-TYPE-2")
@given(TEXTS)
@example("ok\u202egnp.exe")
def test_what_is_visible_holds_nothing_dangerous_and_stays_as_it_is(text):
    shown = visible(text)
    assert not [char for char in shown if is_dangerous(char)]
    assert visible(shown) == shown


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"], exclude_characters=BLANK_LETTERS)))
def test_letters_digits_signs_and_blanks_stay_as_they_are(text):
    assert visible(text) == text


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: ascii(vector["text"])[:20])
def test_escapes_name_the_code_point(vector):
    assert visible(vector["text"]) == vector["shown"]


@rule("Q-TYPE-2")
@pytest.mark.parametrize(
    "char", "\x00 \x08 \x0b \r \x1b \x1f \x7f \x80 \x9f \u061c \u200e \u200f \u202a \u202e \u2066 \u2069".split(" ")
)
@pytest.mark.parametrize("lines", [True, False])
def test_control_and_bidirectional_characters_are_unshowable(char, lines):
    found = unshowable(f"ab{char}c{char}", lines=lines)
    assert found
    assert (found[0], found.start()) == (char, 2)


@pytest.mark.parametrize("char", "\t\n")
def test_tab_and_line_feed_are_shown_in_lines_only(char):
    assert unshowable(f"a{char}", lines=True) is None
    found = unshowable(f"a{char}", lines=False)
    assert found
    assert found.start() == 1


@pytest.mark.parametrize("text", ["", " ~", "\xa0", "\u200d\ufe0f", "\u2029\u2065\u206a", "日本 🦔", "\ue000\uffff"])
def test_everything_else_may_be_shown_as_it_is(text):
    """Emoji are made of joiners and selectors, so these are not refused; `visible` shows them where it matters."""
    assert unshowable(text, lines=False) is None


@pytest.mark.parametrize("text", ["a", "0", " ", "日" * 5])
def test_text_of_that_length_is_within(text):
    assert text_within(text, 5)


@pytest.mark.parametrize("text", ["", "a" * 6, "\n", "\ud800", None, 5, b"a", ["a"]])
def test_anything_else_is_not_within(text):
    assert not text_within(text, 5)
