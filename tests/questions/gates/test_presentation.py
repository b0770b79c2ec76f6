"""A presentation is normalized, never repaired; what it cannot be is refused with every fault and its path."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions.gates import (
    Bullets,
    Field,
    Fields,
    InvalidRequest,
    Paragraph,
    Preformatted,
    Presentation,
    Section,
    read_presentation,
)
from questions.gates.digests import sealed
from questions.gates.presentation import presentation_faults
from tests.questions.gates.cases import faults_of

SCHEMA = "questions.decision-presentation.v1"
ALL_KINDS = [
    Section("Where"),
    Paragraph("one\n\ttwo"),
    Bullets(["a", "b"]),
    Fields([Field("Host", "web-1")]),
    Preformatted("npm run check"),
]


def document(*blocks, **more):
    return {"schema": SCHEMA, "summary": "Look.", "blocks": list(blocks), **more}


def refused(given):
    with pytest.raises(InvalidRequest) as error:
        read_presentation(given)
    return faults_of(error)


def test_it_is_read_as_it_is_written():
    presentation = Presentation("Look.", ALL_KINDS)
    assert read_presentation(presentation.as_json()) == presentation
    assert [block["kind"] for block in presentation.as_json()["blocks"]] == [
        *("section", "paragraph", "bullets", "fields", "preformatted")
    ]


def test_line_ends_become_line_feeds():  # case 25
    block = Preformatted("npm run check\r\nnpm run test:e2e\rend")
    assert block.text == "npm run check\nnpm run test:e2e\nend"
    read = read_presentation(document({"kind": "preformatted", "text": "npm run check\r\nnpm run test:e2e"}))
    assert read.blocks == (Preformatted("npm run check\nnpm run test:e2e"),)


def test_texts_are_composed_and_nothing_is_trimmed():
    assert Presentation("  Cafe\u0301 ").summary == "  Caf\u00e9 "
    assert sealed(Presentation("Cafe\u0301").as_json()) == sealed(Presentation("Caf\u00e9").as_json())


def test_a_field_too_many_is_named():  # case 27
    assert refused(document(extra=1)) == ["$.presentation.extra: not known"]


@pytest.mark.parametrize("char", ["\x1b", "\x9b", "\u202e", "\u2066", "\x7f", "\x00", "\u200f", "\ud800"])
def test_what_is_not_shown_as_it_is_is_refused(char):  # cases 28, 141
    with pytest.raises(InvalidRequest, match="a control or bidirectional character"):
        Presentation("Look.", [Preformatted(f"a{char}")])
    with pytest.raises(InvalidRequest) as error:
        Presentation(f"a{char}")
    place = f"U+{ord(char):04X} at 1"
    assert faults_of(error) == [f"$.presentation.summary: {place} is not allowed: a control or bidirectional character"]


@pytest.mark.parametrize("line_end", ["\r\n", "\n", "\r", "\t"])
@pytest.mark.parametrize("make", [lambda text: Section(text), lambda text: Bullets([text])])
def test_a_text_of_one_line_has_one_line(make, line_end):
    with pytest.raises(InvalidRequest, match="at 1 is not allowed: this text has one line"):
        Presentation("Look.", [make(f"a{line_end}b")])


def test_numbers_and_their_limits_are_told():
    long = "x" * 16_001
    block = {"kind": "paragraph", "text": long}
    assert refused(document(*[{"kind": "section", "title": "a"}] * 257)) == [
        "$.presentation.blocks: 257 blocks, and at most 256 are allowed"
    ]
    assert refused(document({"kind": "bullets", "items": ["a"] * 257})) == [
        "$.presentation.blocks[0].items: 257 items, and there must be 1 to 256"
    ]
    assert refused(document({"kind": "fields", "items": []})) == [
        "$.presentation.blocks[0].items: 0 items, and there must be 1 to 256"
    ]
    assert refused(document(block)) == [
        "$.presentation.blocks[0].text: 16001 code points, and at most 16000 are allowed"
    ]


def test_everything_up_to_the_limits_is_taken():
    texts = [Paragraph("x" * 16_000)] * 3 + [Paragraph("😀" * 15_995)]
    assert len(Presentation("Look.", texts).blocks) == 4
    assert len(Presentation("Look.", [Section("a")] * 256).blocks) == 256
    with pytest.raises(InvalidRequest, match="64001 code points in all, and at most 64000 are allowed"):
        Presentation("Look!!", texts)


def test_every_fault_is_told_with_its_path():
    faults = refused(
        {
            "schema": "other",
            "blocks": [
                {"kind": "paragraph", "text": "  \n"},
                {"kind": "fields", "items": [{"label": "a"}, {"label": 1, "value": "b", "c": 2}]},
                {"kind": "table"},
                {"kind": "section", "text": "a"},
                {"kind": "bullets", "items": "abc"},
                "text",
            ],
        }
    )
    assert faults == [
        "$.presentation.summary: missing",
        f"$.presentation.schema: must be {SCHEMA}",
        "$.presentation.blocks[0].text: must not be empty or blank",
        "$.presentation.blocks[1].items[0].value: missing",
        "$.presentation.blocks[1].items[1].c: not known",
        "$.presentation.blocks[1].items[1].label: must be text, not int",
        "$.presentation.blocks[2].kind: one of paragraph, section, bullets, fields, preformatted",
        "$.presentation.blocks[3].title: missing",
        "$.presentation.blocks[3].text: not known",
        "$.presentation.blocks[4].items: must be a list",
        "$.presentation.blocks[5]: must be an object, not str",
    ]


@pytest.mark.parametrize("blocks", [[1], ["text"], [Field("a", "b")], [Bullets("abc")], [Fields(["a"])], "text", None])
def test_what_is_no_block_is_refused(blocks):
    with pytest.raises(InvalidRequest):
        Presentation("Look.", blocks)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["kind", "text", "items", "x"]), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["schema", "summary", "blocks", "x"]), anything))
def test_whatever_is_given_is_read_or_refused(given):
    given = {
        name: [{"kind": "fields", "items": [value]}, value] if name == "blocks" else value
        for name, value in given.items()
    }
    with contextlib.suppress(InvalidRequest):
        read_presentation(given)
    assert all(fault.startswith("$.presentation") for fault in presentation_faults("$.presentation", given))
