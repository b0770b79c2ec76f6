"""The line that a swap leaves: values after it, one line for all of it."""

import json

import pytest
from msgspec.structs import replace

from questions.durable.expiry import catch_up
from questions.durable.hints import hint
from questions.durable.steps import Answering, Cancelling, Escalating, step
from tests.questions.durable.cases import ALICE, HOP, ID, WORKER, T, climbing, raised


def test_a_raise_and_an_answer_leave_a_line_each():  # case 92
    decision = raised()
    data = {"id": ID, "kind": "question", "holder": "user", "status": "open", "title": "Ship it?"}
    opened, closed = hint(None, decision), hint(decision, step(decision, Answering(text="x"), ALICE, T))
    assert (opened.kind, closed.kind) == ("decision.raised", "decision.answered")
    assert json.loads(opened.data) == data
    assert json.loads(closed.data) == data | {"status": "answered"}
    assert [(line.table, line.key, line.version) for line in (opened, closed)] == [
        ("decisions", ID, 1),
        ("decisions", ID, 2),
    ]


@pytest.mark.parametrize(
    ("change", "kind", "holder", "hop"),
    [
        (lambda decision: step(decision, Escalating(), WORKER, T), "escalated", "root", 1),
        (lambda decision: step(decision, Cancelling(), ALICE, T), "cancelled", "supervisor:run-worker", 0),
        (lambda decision: catch_up(decision, T + HOP), "escalated", "root", 1),  # case 53
        (lambda decision: catch_up(decision, T + 2 * HOP + 5), "escalated", "user", 2),  # case 54
        (lambda decision: catch_up(decision, T + 9 * HOP), "expired", "user", 2),  # case 55
    ],
)
def test_a_swap_over_several_hops_is_one_line_with_what_is_then(change, kind, holder, hop):
    decision = replace(raised(**climbing()), version=3)
    line = hint(decision, change(decision))
    data = json.loads(line.data)
    assert (line.kind, line.version, data["holder"], data["hop"]) == (f"decision.{kind}", 4, holder, hop)


def test_a_line_tells_neither_the_answer_nor_the_body():
    decision = raised(body="hush")
    line = hint(decision, step(decision, Answering(text="hush"), ALICE, T))
    assert "hush" not in line.data


def test_a_malformed_chain_has_no_hop():
    line = hint(None, replace(raised(**climbing()), escalation=None))
    assert "hop" not in json.loads(line.data)
