"""The same data gives the same digest, in any order and any language."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions import canonical_json, digest
from tests.named import named

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def turned_around(value):
    """The same data with every object's keys in the opposite order."""
    if isinstance(value, dict):
        return {key: turned_around(inner) for key, inner in reversed(value.items())}
    return [turned_around(inner) for inner in value] if isinstance(value, list) else value


def test_the_example_of_rfc_8785_comes_out_byte_for_byte():
    data = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
        "literals": [None, True, False],
    }
    expected = (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
    assert canonical_json(data) == expected.encode()


@given(JSON)
def test_the_order_of_keys_makes_no_difference(value):
    assert digest(value) == digest(turned_around(value))


@given(JSON)
def test_canonical_json_is_json_of_the_same_data(value):
    assert json.loads(canonical_json(value)) == value


@given(JSON, JSON)
def test_different_data_has_different_digests(one, other):
    assert (digest(one) == digest(other)) == (json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True))


def test_digest_is_the_sha256_of_the_canonical_json():
    assert digest({"b": 1, "a": "ü"}) == "sha256:" + hashlib.sha256('{"a":"ü","b":1}'.encode()).hexdigest()


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), 2**53, -(2**53), "\ud800", {"\ud800": 1}, {1: 2}, b"x", {1, 2}, object()],
    ids=named,
)
def test_what_json_cannot_carry_is_refused(value):
    with pytest.raises(ValueError):  # noqa: PT011  # of several kinds
        digest([value])
