"""What comes in where something else was meant."""

import enum

from hypothesis import strategies as st

from questions import Option


class Nickname(str):
    """Text that is not plain `str`, as enumerations and markup libraries have it."""


class Colour(enum.StrEnum):
    RED = "red"


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)  # lone surrogates and controls too
_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | ANY_TEXT
    | ANY_TEXT.map(Nickname)
    | st.binary(max_size=5)
    | st.sampled_from(["red", "0", "Allow", Colour.RED, "\x1b", " ", "x" * 5000, "ü" * 40_000, 65_536, 2**53])
)
OPTIONS = st.lists(st.builds(Option, _LEAVES | st.sampled_from("ab"), _LEAVES | st.just("Label")), max_size=4)
GARBAGE = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
)
