"""Requests as messages: all of it, in parts that Telegram takes."""

import pytest

from questions.gates import Paragraph, Preformatted, Presentation, document
from questions.gates.adapter import Ended
from questions.gates.telegram.errors import TooManyParts
from questions.gates.telegram.rendering import LONGEST_MESSAGE, parts_of, units
from questions.gates.telegram.words import ended_text
from tests.questions.gates.telegram.stage import view

EMOJI = "\N{ROCKET}"


def long(*texts, kind=Paragraph):
    return view(presentation=Presentation("Review.", [kind(text) for text in texts]))


def bodies(parts):
    return [part.split("\n\n", 1)[1] for part in parts]


def test_a_short_request_is_one_part_with_header_and_fingerprint():
    asked = view()
    assert parts_of(asked) == (f"Part 1/1\nFingerprint {asked.fingerprint}\n\n" + "\n\n".join(document(asked).parts),)


def test_emoji_are_counted_as_telegram_counts_and_none_is_lost():  # case 88
    text = "\n".join(EMOJI * 71 for _ in range(98)) + "\n" + EMOJI * 42
    parts = parts_of(long(text))
    assert 2 <= len(parts) <= 20
    assert all(units(part) <= LONGEST_MESSAGE for part in parts)
    assert "".join(parts).count(EMOJI) == text.count(EMOJI) == 7_000
    assert not [part for part in parts if "…" in part or "..." in part]
    assert "Choices" in parts[-1]
    assert "What should change?" in parts[-1]


def test_every_part_says_which_it_is():
    asked = long("word " * 3_000)
    parts = parts_of(asked)
    headers = [
        f"Part {number}/{len(parts)}\nFingerprint {asked.fingerprint}\n\n" for number in range(1, len(parts) + 1)
    ]
    assert [part[: len(header)] for part, header in zip(parts, headers, strict=True)] == headers


def test_a_long_text_is_cut_at_the_last_line_end_that_fits():
    lines = [f"{number:04} " + "x" * 60 for number in range(150)]
    parts = bodies(parts_of(long("\n".join(lines), kind=Preformatted)))
    cut = [line for part in parts for line in part.split("\n") if line[:4].isdigit()]
    assert cut == lines


def test_without_a_line_end_it_is_cut_between_code_points():
    text = "a" + EMOJI * 7_000
    parts = bodies(parts_of(long(text)))
    assert text in "".join(parts)
    assert not [part for part in parts if "\ufffd" in part]


def test_the_widest_header_is_reserved_so_that_no_part_can_outgrow_its_message():
    parts = parts_of(long(*("y" * 15_000 for _ in range(4))))
    assert len(parts) > 9
    assert max(map(units, parts)) <= LONGEST_MESSAGE


def test_the_last_part_has_room_for_every_ending():
    asked = long("z" * 3_900)
    last = parts_of(asked)[-1]
    assert units(last + ended_text(asked, Ended("expired"))) <= LONGEST_MESSAGE


def test_more_than_twenty_parts_are_an_error_and_never_cut_short():
    asked = long(*(EMOJI * 16_000 for _ in range(3)))
    with pytest.raises(TooManyParts, match=r"takes 2\d messages, and at most 20"):
        parts_of(asked)
