"""Every case of decisions has a test: its number stands in a comment beside the test that plays it."""

import re
from pathlib import Path

CASES = {
    *(1, 2, 4, 5, 6, 8, 9, 11, 12, 13, 14, 15, 16, 17, 20),
    *(22, 23, 25, 26, 29),
    *(30, 31, 34, 36, 39),
    *(40, 41, 44, 45, 46, 47),
    *(48, 49, 50, 51, 52, 53, 54, 55, 58, 59, 61, 62, 64, 65),
    *(66, 67, 68, 70),
    *(72, 73, 74, 75, 78),
    *(80, 81, 83),
    *(85, 87, 90),
    *(92, 93, 95),
    *(96, 97, 99, 100, 101),
    *(103, 104, 105, 106),
    *(109, 110, 111),
    *(114, 115, 116, 117, 119),
    *(122, 123, 125, 126, 128),
}
TESTS = Path(__file__).parents[2]
OURS = (TESTS / "questions" / "durable", TESTS / "cli")
"""Other contracts have cases of their own, with the same numbers."""


def test_every_case_is_played():
    paths = [path for folder in OURS for path in folder.rglob("test_*.py")]
    comments = [line for path in paths for line in path.read_text().splitlines() if "# case" in line]
    played = {int(number) for line in comments for number in re.findall(r"\bcase (\d+)", line.partition("#")[2])}
    assert sorted(CASES - played) == []
