"""A response is checked against the choices, and its text is passed on byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions.gates import Choices, ChoiceTerms, GivenText, InvalidResponse, Response, TextInput, read_response
from tests.questions.gates.cases import CH2, EXACT, REPLAN, faults_of


def replan(text):
    return {"choice": "replan", "input": {"instructions": text}}


def test_the_exact_text_comes_back():  # case 17
    assert read_response(CH2, replan(EXACT)) == REPLAN
    assert read_response(CH2, replan(EXACT)).as_json() == replan(EXACT)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50))
def test_any_text_comes_back_as_it_was_given(text):
    response = read_response(CH2, replan(text))
    assert response.input == GivenText("instructions", text)
    assert response.as_json() == replan(text)


@pytest.mark.parametrize(
    ("response", "fault"),
    [
        ({"choice": "continue", "input": {"instructions": "x"}}, "$.response.input: this choice takes no input"),  # 18
        ({"choice": "continue", "input": None}, "$.response.input: this choice takes no input"),
        ({"choice": "unknown"}, "$.response.choice: not available; there are continue, replan"),  # case 19
        ({"choice": "__class__"}, "$.response.choice: not available; there are continue, replan"),
        ({"choice": ["continue"]}, "$.response.choice: not available; there are continue, replan"),
        ({"choice": "replan"}, "$.response.input: missing; this choice takes the text instructions"),  # case 20
        ({"choice": "replan", "input": None}, "$.response.input: must be an object, not NoneType"),
        ({"choice": "replan", "input": {"other": "text"}}, "$.response.input: only instructions, and nothing else"),
        ({"choice": "replan", "input": {}}, "$.response.input: only instructions, and nothing else"),
        (replan(3), "$.response.input.instructions: must be text"),
        (replan(""), "$.response.input.instructions: 0 code points, and at least 1 are needed"),
        (replan("x" * 4_001), "$.response.input.instructions: 4001 code points, and at most 4000 are allowed"),
        (replan("\ud800"), "$.response.input.instructions: must be Unicode text, without lone surrogates"),
        ({}, "$.response.choice: missing"),
        ("continue", "$.response: must be an object, not str"),
    ],
)
def test_each_bad_response_has_its_own_reason(response, fault):  # cases 18, 19, 20
    with pytest.raises(InvalidResponse) as error:
        read_response(CH2, response)
    assert faults_of(error) == [fault]


def test_nobody_supplies_a_source_with_a_response():
    with pytest.raises(InvalidResponse) as error:
        read_response(CH2, {"choice": "continue", "source": {"actorId": "me"}})
    assert faults_of(error) == ["$.response.source: not known"]


def test_lengths_are_code_points_and_blanks_are_text():
    short = Choices({"why": ChoiceTerms("Why", TextInput("text", "Why?", 1, 2))})
    for text in ("😀😀", " \n"):
        assert read_response(short, Response("why", GivenText("text", text))).input == GivenText("text", text)
    with pytest.raises(InvalidResponse, match="3 code points"):
        read_response(short, Response("why", GivenText("text", "😀😀😀")))
