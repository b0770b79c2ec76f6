"""JSON that two programs could read differently is not read at all, and every fault has its path."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions.digest import canonical_json
from questions.rooms.errors import InvalidJson
from questions.rooms.json_text import DEEPEST, read_json

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=20,
)


def faults_of(data, **limits):
    with pytest.raises(InvalidJson) as refused:
        read_json(data, **limits)
    return list(refused.value.faults)


@given(PLAIN)
def test_what_is_canonical_is_read_and_known_to_be(value):
    text = read_json(canonical_json(value))
    assert text.value == value
    assert text.is_canonical


@given(PLAIN)
def test_what_is_written_in_another_way_is_never_taken_for_canonical(value):
    for data in (json.dumps(value).encode(), json.dumps(value, sort_keys=True, separators=(",", ":")).encode()):
        assert read_json(data).is_canonical == (data == canonical_json(value))


@pytest.mark.parametrize(
    "data", [b"1.0", b"-0", b"1e2", b"100000000000000000000", b'{"\xef\xbf\xae":1,"\xf0\x9f\x98\x80":2}']
)
def test_numbers_and_keys_have_one_form(data):
    assert read_json(data).is_canonical == (data == canonical_json(read_json(data).value))


def test_every_fault_is_told_with_its_path():
    data = b'{"a": [1e400, {"b": 1, "b": 2, "c": "\\ud800"}], "a": [NaN, -Infinity], "d\\udfff": 1}'
    assert faults_of(data) == [
        "$.a: is there twice",
        "$.a[0]: is no number that a double can hold",
        "$.a[1]: is no number that a double can hold",
        "$: has a key with half of a surrogate pair",
    ]
    assert faults_of(b'[{"b": 1, "b": 2, "c": "\\ud800"}]') == [
        "$[0].b: is there twice",
        "$[0].c: has half of a surrogate pair",
    ]


def test_a_pair_of_surrogates_is_a_character():
    assert read_json(b'"\\ud83d\\ude00"').value == "\U0001f600"


@pytest.mark.parametrize("number", [b"9" * 400, b"-" + b"9" * 5000, b"1e999"])
def test_a_number_beyond_the_doubles_is_refused(number):
    assert faults_of(b"[" + number + b"]") == ["$[0]: is no number that a double can hold"]


def test_nesting_has_an_end():
    assert read_json(b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1)).value
    for depth in (DEEPEST + 2, 500, 200_000):
        assert faults_of(b"[" * depth + b"]" * depth) == [f"$: is nested more than {DEEPEST} deep"]
        assert faults_of(b'{"a":' * depth + b"1" + b"}" * depth) == [f"$: is nested more than {DEEPEST} deep"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is no JSON, from character 0 on"),
        (b'{"a": 1,}', "is no JSON, from character 8 on"),
        (b"1 2", "is no JSON, from character 2 on"),
        (b"\xef\xbb\xbf1", "is no JSON, from character 0 on"),
        (b'"\xff"', "is not UTF-8, from byte 1 on"),
        (b"[1, 2]", "has 6 bytes, more than 5"),
    ],
)
def test_what_is_no_json_is_told_and_not_quoted(data, said):
    assert faults_of(data, largest=5 if data == b"[1, 2]" else 100) == [f"$: {said}"]


def test_the_list_of_faults_has_an_end():
    assert len(faults_of(b"[" + b",".join([b"NaN"] * 5000) + b"]")) == 100


@pytest.mark.parametrize(
    "written", ["0.5", "0.50", "1.0", "1", "-0.0", "0.00001", "1e-05", "1e-5", "0.0001", "1e21", "1E2", "12.25", "0.10"]
)
def test_a_number_is_canonical_if_it_is_written_as_rfc_8785_has_it(written):
    data = b"[" + written.encode() + b"]"
    assert read_json(data).is_canonical == (canonical_json([float(written)]) == data)
