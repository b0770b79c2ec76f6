"""The same data gives the same digest, in any order and any language."""

import hashlib
import json

import pytest
import rfc8785
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


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**54), 2**54)
    | st.sampled_from([1e-4, 1e-5, 1e15, 1e16, -0.0, 0.5, 1.0, 10**15, 10**16, 123456.25, 1e21, 1e22, 0.1 + 0.2])
    | st.floats()
    | st.text()
    | st.sampled_from(
        ["\ue000", "\U0001f600", "\ud800", "\x7f", "\u2028", '"1.0', "\\", "1e5", '\\"', "1234567890123456"]
    ),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.text() | st.sampled_from(["\ue000", "\U0001f600", "é", "z", '"', "1.0"]), inner)
        | st.dictionaries(st.integers() | st.booleans() | st.none() | st.floats(), inner, max_size=1)
    ),
    max_leaves=12,
)


@given(ANYTHING)
def test_the_short_way_writes_what_rfc_8785_says_and_refuses_the_same(value):
    try:
        expected = rfc8785.dumps(value)
    except ValueError:
        with pytest.raises(ValueError):  # noqa: PT011  # of several kinds
            canonical_json(value)
    else:
        assert canonical_json(value) == expected


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
