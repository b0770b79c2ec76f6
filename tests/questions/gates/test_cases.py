"""Every case of gates has a test: its number stands in a comment beside the test that plays it."""

import re
from pathlib import Path

CASES = {
    *(1, 2, 3, 5, 6, 8, 9, 11, 13, 14, 16),
    *(17, 18, 19, 20, 22, 24),
    *(25, 26, 27, 28, 30, 32, 34, 37),
    *(38, 40, 41, 42, 43, 44, 46, 47, 48, 50, 51, 52, 53, 55),
    *(56, 58, 59, 60, 62, 64, 65),
    *(67, 68, 69, 70, 72, 73, 75),
    *(76, 77, 78, 80, 82, 83, 85),
    *(86, 87, 88, 89, 90, 91, 92, 94, 95, 97, 98, 100, 101, 102, 105, 106),
    *(108, 110, 111),
    *(112, 113, 115),
    *(116, 117, 118, 121, 122, 123, 124),
    *(126, 127, 128, 129, 130, 132),
    *(136, 140, 141, 142, 146, 148),
}
TESTS = Path(__file__).parents[2]
OURS = [
    *(TESTS / "questions" / "gates").rglob("test_*.py"),
    *(TESTS / "cli").glob("test_gates*.py"),
    *(TESTS / "cli").glob("test_channels*.py"),
]
"""Other contracts have cases of their own, with the same numbers."""


def test_every_case_is_played():
    comments = [line.partition("# case")[2] for path in OURS for line in path.read_text().splitlines()]
    played = {int(number) for comment in comments for number in re.findall(r"\d+", comment)}
    assert sorted(CASES - played) == []
