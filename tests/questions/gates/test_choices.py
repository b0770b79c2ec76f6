"""What can be chosen: bad choices are refused where they are defined, each fault with its path."""

import pytest

from questions.gates import Choices, ChoiceTerms, InvalidGate, TextInput
from tests.questions.gates.cases import CH2, faults_of


def taking(**input):
    return {"replan": {"label": "Replan", "input": {"kind": "text", "name": "why", "prompt": "Why?", **input}}}


def test_choices_keep_their_order_and_are_read_as_they_are_written():
    assert list(CH2) == ["continue", "replan"]
    assert list(CH2.as_json()["replan"]["input"].values()) == ["text", "instructions", "What should change?", 1, 4000]
    assert Choices.read(CH2.as_json()) == CH2
    assert list(Choices.read({"b": {"label": "B"}, "a": {"label": "A"}})) == ["b", "a"]


def test_lengths_that_are_left_out_are_the_usual_ones():
    assert Choices.read(taking())["replan"].input == TextInput("why", "Why?", 1, 4_000)


@pytest.mark.parametrize(
    ("lengths", "fault"),
    [
        ({"minLength": -1}, "$.choices.replan.input.minLength: a whole number from 0 to 64000"),
        ({"maxLength": 0}, "$.choices.replan.input.maxLength: a whole number from 1 to 64000"),
        (
            {"minLength": 3, "maxLength": 2},
            "$.choices.replan.input.maxLength: at least minLength, which is 3; it is 2",
        ),
        ({"minLength": True}, "$.choices.replan.input.minLength: a whole number from 0 to 64000"),
    ],
)
def test_the_bound_that_is_wrong_is_named(lengths, fault):  # case 13
    with pytest.raises(InvalidGate) as error:
        Choices.read(taking(**lengths))
    assert faults_of(error) == [fault]


def test_there_is_something_to_choose():  # case 14
    with pytest.raises(InvalidGate, match="0 choices, and there must be 1 to 64"):
        Choices({})
    with pytest.raises(InvalidGate, match=r"\$\.choices\.go\.label: must not be empty or blank"):
        Choices({"go": ChoiceTerms("")})


@pytest.mark.parametrize("other", ["Same", " Same", "Same\u200b", "S\u00e4me"])
def test_no_two_labels_look_the_same(other):  # case 16
    first = "Sa\u0308me" if other == "S\u00e4me" else "Same"
    with pytest.raises(InvalidGate) as error:
        Choices({"yes": ChoiceTerms(first), "no": ChoiceTerms(other)})
    assert faults_of(error) == ["$.choices.no.label: the same as that of yes; people could not tell them apart"]


def test_every_fault_is_told_at_once():
    with pytest.raises(InvalidGate) as error:
        Choices.read(
            {"a.b": {"label": "x" * 65, "colour": "red"}, "go": 1, "ask": {"label": "?", "input": {"kind": "n"}}}
        )
    assert faults_of(error) == [
        "$.choices.a.b: 1 to 128 of letters, digits, _ and -, beginning with a letter or _",
        "$.choices.a.b.colour: not known",
        "$.choices.a.b.label: 65 code points, and at most 64 are allowed",
        "$.choices.go: must be an object, not int",
        "$.choices.ask.input.name: missing",
        "$.choices.ask.input.prompt: missing",
        "$.choices.ask.input.kind: text, the only kind there is",
    ]


@pytest.mark.parametrize("given", [["continue"], "continue", None])
def test_choices_are_an_object(given):
    with pytest.raises(InvalidGate, match=r"\$\.choices: must be an object, not"):
        Choices.read(given)


def test_a_label_has_one_line_and_shows_what_it_is():
    for label in ("two\nlines", "a\tb", "\x9b31m", "\u202eog"):
        with pytest.raises(InvalidGate, match=r"\$\.choices\.go\.label: U\+"):
            Choices({"go": ChoiceTerms(label)})


def test_names_of_inherited_things_are_no_choices():
    assert "__len__" not in CH2
    assert "toString" not in CH2
