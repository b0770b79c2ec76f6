"""Every choice has a case and every case a choice; classes say so to mypy too (tests/typing/gates.py)."""

import pickle

import pytest

from questions.gates import (
    Choice,
    ChoiceTerms,
    GivenText,
    InvalidGate,
    InvalidResponse,
    OneOf,
    Response,
    Routes,
    TextInput,
    text_input,
)
from tests.questions.gates.cases import CH2, CONTINUE, REPLAN, faults_of


class Continue(Choice):
    """Go on."""


class PlanAgain(Choice, label="Replan", id="replan"):
    instructions: str = text_input("What should change?")


OFFERED: OneOf[Continue | PlanAgain] = OneOf(Continue, PlanAgain)


def test_an_edge_starts_at_the_gate_and_holds_exactly_its_cases():  # case 2
    routes = Routes("approve", CH2, {"continue": "implement", "replan": "revise"})
    assert (routes.node, dict(routes.cases)) == ("approve", {"continue": "implement", "replan": "revise"})
    assert [routes.target(CONTINUE), routes.target(REPLAN)] == ["implement", "revise"]


def test_a_choice_without_a_case_is_named():  # case 3
    with pytest.raises(InvalidGate) as error:
        Routes("approve", CH2, {"continue": "implement"})
    assert faults_of(error) == ["$.cases.replan: missing; every choice needs a case"]


def test_a_case_without_a_choice_is_named():
    with pytest.raises(InvalidGate) as error:
        Routes("approve", CH2, {"continue": 1, "replan": 2, "stop": 3})
    assert faults_of(error) == ["$.cases.stop: no such choice"]


def test_cases_may_be_named_by_their_classes():
    assert Routes("approve", OFFERED.choices, {Continue: 1, PlanAgain: 2}).target(REPLAN) == 2


def test_classes_are_the_same_choices():
    assert OFFERED.choices == CH2
    assert list(OFFERED.choices) == ["continue", "replan"]


def test_a_class_is_called_what_its_name_says():
    class StopHTTPServer(Choice): ...

    assert OneOf(StopHTTPServer).choices == {"stop_http_server": ChoiceTerms("Stop HTTP Server")}


@pytest.mark.parametrize("answer", [Continue(), PlanAgain("  keep\nthis ")])
def test_an_answer_is_an_instance_of_its_class_and_a_response_again(answer):
    assert OFFERED.read(OFFERED.write(answer)) == answer
    assert pickle.loads(pickle.dumps(answer)) == answer


def test_an_answer_cannot_be_changed():
    with pytest.raises(AttributeError):
        PlanAgain("a").instructions = "b"  # type: ignore[misc]


def test_a_response_of_another_gate_is_refused():
    with pytest.raises(InvalidResponse):
        OFFERED.read(Response("stop"))
    with pytest.raises(InvalidResponse):
        OFFERED.read(Response("replan", GivenText("instructions", "")))
    with pytest.raises(InvalidResponse):
        OneOf(Continue).write(PlanAgain("a"))  # type: ignore[arg-type]


def test_what_is_no_choice_is_refused_where_it_is_defined():
    for kinds in ((Continue, Continue), (Choice,), (int,), ()):
        with pytest.raises(InvalidGate):
            OneOf(*kinds)


@pytest.mark.parametrize("fields", [{"a": str, "b": str}, {"a": int}])
def test_a_class_has_one_text_at_most(fields):
    with pytest.raises(InvalidGate, match="at most one field"):
        type("Bad", (Choice,), {"__annotations__": fields, **{name: text_input("?") for name in fields}})


def test_a_field_that_asks_for_nothing_is_refused():
    with pytest.raises(InvalidGate, match="at most one field"):

        class Bad(Choice):
            why: str = "because"


def test_a_class_needs_a_label_that_can_be_read():  # case 14
    with pytest.raises(InvalidGate, match="must not be empty or blank"):

        class Bad(Choice, label=""):
            pass


def test_the_prompt_and_the_lengths_of_a_text_are_checked_with_the_class():
    with pytest.raises(InvalidGate, match="minLength"):

        class Bad(Choice):
            why: str = text_input("Why?", min_length=-1)

    class Good(Choice):
        why: str = text_input("Why?", min_length=0, max_length=10)

    assert OneOf(Good).choices["good"].input == TextInput("why", "Why?", 0, 10)
