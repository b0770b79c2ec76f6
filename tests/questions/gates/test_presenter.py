"""Any value of JSON can be presented, within the limits of a presentation."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from questions.gates import Bullets, Field, Fields, InvalidRequest, Paragraph, Presentation, Section, present_value
from questions.gates.digests import sealed

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), inner, max_size=4)
    ),
    max_leaves=15,
)


def presented(value: Any, **limits: int) -> Any:
    """Its blocks, of whatever kinds they are, as a presentation takes them."""
    blocks = present_value(value, **limits)
    assert Presentation("Look.", blocks).blocks == blocks
    return blocks


def text_of(blocks):
    return str(Presentation("Look.", blocks).as_json()["blocks"])


def test_names_become_labels_and_values_words():  # case 37
    value = {"planDigest": "abc", "steps": ["First this.", "Then that."], "nested": {"enabled": True}}
    blocks = presented(value)
    assert blocks == (
        Fields([Field("Plan Digest", "abc")]),
        Section("Nested"),
        Fields([Field("Enabled", "Yes")]),
        Section("Steps"),
        Bullets(["First this.", "Then that."]),
    )
    assert "planDigest" not in text_of(blocks)


def test_several_lines_and_nothing_can_be_presented():  # case 142
    assert presented({"note": "two\nlines", "empty": ""}) == (
        Fields([Field("Empty", "(empty)")]),
        Section("Note"),
        Paragraph("two\nlines"),
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (False, "No"),
        (1.0, "1"),
        (1e21, "1e+21"),
        (0, "0"),
        ("", "(empty)"),
        (" \n ", "(blank)"),
        ([], "(empty)"),
        ({}, "(empty)"),
        ("a\x1bb\u202ec", "a\ufffdb\ufffdc"),
        ("a\r\nb", "a\nb"),
    ],
)
def test_plain_values_are_put_into_words(value, text):
    assert presented(value) == (Paragraph(text),)


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("plan_digest", "Plan Digest"),
        ("HTTPServer-name", "HTTP Server Name"),
        ("größe", "Größe"),
        ("step2", "Step2"),
        ("", "(empty)"),
        ("a\nb\x00", "A B\ufffd"),
    ],
)
def test_labels_are_the_words_of_names(name, label):
    assert presented({name: 1}) == (Fields([Field(label, "1")]),)


def test_members_stand_in_the_order_of_their_code_units():
    (fields,) = presented({"\ue000": 1, "😀": 2, "10": 3, "9": 4})
    assert [item.value for item in fields.items] == ["3", "4", "2", "1"]


def test_a_list_keeps_its_order_and_nested_things_say_where_they_are():
    assert presented({"list": ["a", {"deepDown": [1]}, "b"]}) == (
        Section("List"),
        Bullets(["a"]),
        Section("List / 2"),
        Section("List / 2 / Deep Down"),
        Bullets(["1"]),
        Bullets(["b"]),
    )


def test_long_things_are_cut_into_whole_blocks():
    assert [len(block.items) for block in presented([1] * 600)] == [256, 256, 88]
    assert [len(block.text) for block in presented("😀" * 33_000)] == [16_000, 16_000, 1_000]


@pytest.mark.parametrize("value", [["x" * 16_000] * 9, {"a": {"k" * 17_000: [[1]]}}, [[0]] * 400])
def test_what_does_not_fit_is_said_with_digest_and_size(value):
    blocks = presented(value)
    assert blocks[-1].text.startswith("Not everything is shown here.")
    assert sealed(value) in blocks[-1].text
    assert not isinstance(blocks[-2], Section) if len(blocks) > 1 else True


def test_less_room_can_be_given():
    blocks = presented(["x" * 100, "y" * 100], longest=150)
    assert len(blocks) == 1
    assert "Not everything" in blocks[0].text


def test_what_is_no_json_is_refused_with_its_path():
    with pytest.raises(InvalidRequest, match=r"\$\.value\.a\[0\]: must be a value of JSON, not set"):
        presented({"a": [set()]})


@settings(max_examples=60)
@given(JSON)
def test_any_value_of_json_is_presented(value):
    assert presented(value)
