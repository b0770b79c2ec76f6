"""What is shown of an open decision: its question, its holders, what happens by itself; and nothing that hides."""

import pytest

from questions.deadlines import Deadline
from questions.durable.decision import decode, encode
from questions.durable.open_decision import OpenDecision, plainly
from questions.question import Confirm, Option, Select, Text
from tests.questions.durable.cases import HOP, OPTS, T, climbing, raised

NAMES = {"supervisor:run-worker": "the worker", "user:ana": "Ana"}
YES_NO = ({"id": "no", "label": "Leave it"}, {"id": "yes", "label": "Do it"})


def shown(decision, at=100.0):
    return OpenDecision(
        decision=decision,
        may_answer=True,
        may_escalate=True,
        may_cancel=True,
        names=NAMES,
        _deadline=None if decision.deadline is None else Deadline(at, T / 1000),
        _now=lambda: 90.0,
    )


QUESTIONS = [
    ({"input": "confirm"}, Confirm("Ship it?", "Yes", "No")),
    ({"input": "confirm", "options": YES_NO}, Confirm("Ship it?", "Do it", "Leave it")),
    ({"input": "confirm", "options": OPTS}, Select("Ship it?", [Option("keep", "Keep"), Option("drop", "Drop")])),
    ({"options": OPTS}, Select("Ship it?", [Option("keep", "Keep"), Option("drop", "Drop")])),
    ({"input": "editor", "body": "all"}, Text("Ship it?", details="all", max_bytes=16_000)),
]


@pytest.mark.parametrize(("fields", "question"), QUESTIONS)
def test_each_input_is_asked_as_a_question_and_only_yes_and_no_as_such(fields, question):
    assert shown(raised(**fields)).question == question


@pytest.mark.parametrize(
    ("fields", "value", "answer"),
    [
        ({"input": "confirm"}, True, {"option": "yes"}),
        ({"input": "confirm"}, False, {"option": "no"}),
        ({"options": OPTS}, "drop", {"option": "drop"}),
        ({}, "", {"text": ""}),
    ],
)
def test_an_answer_to_the_question_is_an_option_or_a_text(fields, value, answer):
    assert shown(raised(**fields)).answer_of(value) == answer


def test_what_hides_in_titles_and_labels_is_made_visible():
    one = shown(raised(title="a\x1b[2K\u202eb", options=[{"id": "x", "label": "k\neep"}]))
    assert one.message == "a\\x1b[2K\\u202eb"
    assert one.question.options[0].label == "k\\neep"
    assert plainly("\t\u200b") == "\\t\\u200b"


def test_where_it_is_in_its_chain_and_who_comes_next():
    one = shown(raised(**climbing()))
    assert (one.hop, one.next_holders) == ((1, 3), ("root", "user"))
    assert [one.name_of(holder) for holder in (one.decision.holder, *one.next_holders)] == [
        "the worker (run-worker)",
        "root",
        "a person",
    ]
    assert (one.name_of("user:ana"), one.name_of("nobody")) == ("Ana (user:ana)", "nobody")


def test_when_it_ends_by_itself_counts_all_who_are_still_to_come():
    one = shown(raised(**climbing()))
    assert one.remaining == 10.0
    assert one.ends_at.timestamp() - one.deadline.timestamp() == 2 * HOP / 1000


def test_what_it_gets_by_itself_is_named_only_if_it_gets_it():
    final = {"hop_timeout_ms": HOP, "on_final": "default"}
    escalating = climbing(options=OPTS, default_option_id="drop", escalation=final)
    assert shown(raised(**escalating)).default == Option("drop", "Drop")
    assert shown(raised(options=OPTS, default_option_id="drop")).default is None
    assert (shown(raised()).ends_at, shown(raised()).remaining, shown(raised()).hop) == (None, None, None)


def test_a_chain_that_cannot_be_used_is_shown_as_none():
    decision = raised(**climbing(options=OPTS, default_option_id="drop"))
    broken = decode('{"escalation": {"chain": []}, ' + text_of(decision), 1)
    one = shown(broken)
    assert (one.hop, one.next_holders, one.default) == (None, (), None)


def text_of(decision):
    return encode(decision).replace('"escalation"', '"before"')[1:]


def test_two_are_equal_when_they_show_the_same_and_none_shows_what_it_is_about():
    one, same = shown(raised(body="secret plans")), shown(raised(body="secret plans"), at=1.0)
    assert one == same
    assert hash(one) == hash(same)
    assert one != shown(raised(title="Another?"))
    assert "secret" not in repr(one) + repr(list(one.__rich_repr__()))
