"""What a decision is found by."""

import json

import pytest

from questions.durable.decision import decode, encode
from questions.durable.expiry import catch_up
from questions.durable.steps import Answering, step
from questions.durable.table import DECISIONS, columns
from tests.questions.durable.cases import ALICE, HOP, ID, WORKER, T, climbing, raised


def test_an_open_one_is_found_by_its_holder_and_its_deadline():
    assert columns(raised(WORKER, **climbing())) == {
        "status": "open",
        "holder": "supervisor:run-worker",
        "raiser": "run-worker",
        "created": T,
        "deadline": T + HOP,
        "final": None,
        "resolved": None,
    }


def test_a_moved_one_is_found_by_where_it_is():
    found = columns(catch_up(raised(**climbing()), T + HOP))
    assert (found["holder"], found["deadline"]) == ("root", T + 2 * HOP)


@pytest.mark.parametrize(("dropped", "resolved"), [([], T + 9), (["resolvedAt"], T + 9), (["resolvedAt", "answer"], T)])
def test_an_ended_one_is_found_by_when_it_ended_as_far_as_is_known(dropped, resolved):
    record = json.loads(encode(step(raised(), Answering(text="x"), ALICE, T + 9)))
    found = columns(decode(json.dumps({name: value for name, value in record.items() if name not in dropped})))
    assert (found["status"], found["final"], found["resolved"], found["deadline"]) == ("answered", 1, resolved, None)


def test_the_columns_are_those_of_the_table_with_their_types():
    for decision in (raised(**climbing()), step(raised(), Answering(text="x"), ALICE, T)):
        found = columns(decision)
        assert found.keys() == DECISIONS.columns.keys()
        assert all(value is None or type(value) is DECISIONS.columns[name] for name, value in found.items())


def test_the_indexes_look_at_columns_of_the_table():
    for index in DECISIONS.indexes:
        assert {*index.equal, index.order} <= DECISIONS.columns.keys()
    assert len(ID) <= 500
