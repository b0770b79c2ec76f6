"""Values of JSON: refused at the door, or the same in every language."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions.gates.digests import fingerprint, hashed, sealed
from questions.gates.values import frozen, read_json, value_faults, write_json
from tests.named import named

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=10,
)
DIGEST = "sha256:e8d38819d39f705646bfb643368eca78f7db476c16471dbc33b941b27326410d"


def nested(levels):
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


def test_the_order_of_fields_makes_no_difference():  # case 26
    assert sealed({"b": 2, "a": 1}) == sealed({"a": 1, "b": 2}) == DIGEST
    assert fingerprint(DIGEST) == "e8d38819d39f"


def test_ids_are_made_without_the_line_feed():
    assert hashed({"a": 1, "b": 2}) == "43258cff783fe7036d8a43033f830adfc60ec037"


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"a": [math.nan]}, "$.subject.a[0]: must be a finite number"),
        (-math.inf, "$.subject: must be a finite number"),
        ([2**53], "$.subject[0]: a whole number beyond 2**53 - 1; give it as text"),
        ({"\ud800": 1}, "$.subject.\\ud800: its name has a lone surrogate"),
        (["\udfff"], "$.subject[0]: has a lone surrogate"),
        ({1: 2}, "$.subject.1: its name must be text, not int"),
        (b"x", "$.subject: must be a value of JSON, not bytes"),
        ({"x": {1, 2}}, "$.subject.x: must be a value of JSON, not set"),
        (nested(65), "$.subject" + "[0]" * 65 + ": more than 64 levels deep"),
        ("x" * 2**20, "$.subject: 1048578 bytes, and at most 1048576 are allowed"),
    ],
    ids=named,
)
def test_what_json_cannot_carry_is_refused_with_its_path(value, fault):
    assert value_faults("$.subject", value) == [fault]


def test_all_faults_are_told():
    assert len(value_faults("$", [math.nan, {"a": b"", 2: object()}, 2**60])) == 5


@pytest.mark.parametrize("value", [nested(64), 2**53 - 1, -(2**53) + 1, 1e300, 1e20, -0.0, (1, 2), {}])
def test_what_json_can_carry_is_taken(value):
    assert value_faults("$", value) == []


@given(JSON)
def test_a_value_keeps_its_digest_when_it_is_read_again(value):
    assert value_faults("$", value) == []
    assert frozen(read_json(frozen(value))) == frozen(value)
    assert sealed(read_json(write_json(value))) == sealed(value)


@pytest.mark.parametrize("text", ["", "{", "NaN", "[Infinity]", '{"a":1,"a":2}', "[" * 100_000])
def test_what_is_no_json_cannot_be_read(text):
    with pytest.raises(ValueError):  # noqa: PT011  # of several kinds
        read_json(text)


def test_a_number_beyond_all_numbers_is_found_when_it_is_checked():
    assert value_faults("$", read_json("1" * 5_000)) == ["$: must be a finite number"]
