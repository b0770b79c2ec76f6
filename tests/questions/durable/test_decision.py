"""The record: read as it was written, and written with all that is not known in it."""

import json

import msgspec
import pytest
from msgspec.structs import replace

from questions.durable.decision import Answer, Escalation, Move, Option, RaisedBy, Status, decode, encode, flat
from questions.durable.errors import Unreadable
from questions.durable.expiry import catch_up
from questions.durable.steps import Answering, Due, Escalating, step
from tests.questions.durable.cases import ALICE, HOP, ID, MAIN, OPTS, WORKER, T, climbing, raised, stored

PLAIN = {
    "id": ID,
    "kind": "question",
    "title": "Ship it?",
    "input": "text",
    "raisedBy": {"participantId": "run-lead"},
    "holder": "root",
    "createdAt": T,
    "onExpire": "cancel",
    "status": "open",
}
CHAIN = {"chain": ["root", "user"], "hop": 0, "hopTimeoutMs": HOP, "onFinal": "cancel"}
CLIMBING = PLAIN | {"deadline": T + HOP, "onExpire": "escalate", "escalation": CHAIN}


def read(record, version=1):
    return decode(json.dumps(record), version)


def written(decision):
    return json.loads(encode(decision))


def test_every_field_is_read_as_it_was_written():
    decision = replace(
        raised(MAIN, body="", options=OPTS, kind="approval", default_option_id="keep", run_id="r", **climbing()),
        history=(Move("user", T, "escalated", "why", "a"), Move("root", T, "expired")),
        status=Status.ANSWERED,
        answer=Answer(option_id="keep", text="", answered_by="ana", via="web", at=T),
        resolved_at=T,
    )
    again = stored(decision, 1)
    assert again == decision
    assert not again != decision  # noqa: SIM202  # each has a method of its own
    for name in ("options", "raised_by", "escalation", "history", "status", "answer"):
        assert getattr(again, name) == getattr(decision, name)


def test_the_fields_have_their_types():
    decision = read(CLIMBING | {"options": [*OPTS], "history": [{"holder": "a", "until": T, "reason": "expired"}]})
    assert decision.raised_by == RaisedBy("run-lead")
    assert decision.options == (Option("keep", "Keep"), Option("drop", "Drop"))
    assert decision.escalation == Escalation(("root", "user"), 0, HOP, "cancel")
    assert decision.history == (Move("a", T, "expired"),)
    assert decision.status is Status.OPEN


def test_what_is_absent_stays_absent():  # case 61
    older = read(PLAIN | {"deadline": T + 1_000})
    assert flat(older) == PLAIN | {"deadline": T + 1_000, "version": 1}
    expired = written(catch_up(older, T + 1_000))
    assert expired == PLAIN | {"deadline": T + 1_000, "status": "expired", "resolvedAt": T + 1_000}


def test_what_is_not_known_is_kept_in_every_place():
    option, move = {"id": "a", "label": "A", "hint": "?"}, {"holder": "x", "until": T - 1, "reason": "lost", "n": None}
    record = CLIMBING | {
        "raisedBy": {"participantId": "run-lead", "host": {"epoch": 3}},
        "options": [option],
        "escalation": CHAIN | {"pace": [1, 2.5]},
        "history": [move],
        "colour": {"deep": [None, 10**30]},
        "version": 7,
        "raw": "?",
        "schema": 2,
    }
    moved = read(record)
    assert written(moved) == record
    moved = step(step(moved, Escalating("up"), MAIN, T), Answering("a"), ALICE, T + 5)
    changed = {
        "holder": "user",
        "deadline": T + HOP,
        "escalation": CHAIN | {"pace": [1, 2.5], "hop": 1},
        "history": [move, {"holder": "root", "until": T, "reason": "escalated", "text": "up", "by": "session:main"}],
        "status": "answered",
        "answer": {"optionId": "a", "answeredBy": "alice", "via": "cli", "at": T + 5},
        "resolvedAt": T + 5,
    }
    assert written(moved) == record | changed
    assert stored(moved, 1) == moved


def test_an_ended_record_that_a_newer_version_wrote_is_kept():
    answer = {"answeredBy": "ana", "via": "phone", "at": T, "signature": "x"}
    record = PLAIN | {"kind": "poll", "input": "slider", "status": "answered", "answer": answer}
    assert written(read(record)) == record


def test_a_field_that_goes_away_is_not_written():
    decision = replace(read(PLAIN | {"body": "x", "colour": "red"}), body=None)
    assert written(decision) == PLAIN | {"colour": "red"}


@pytest.mark.parametrize(
    "escalation",
    [
        "root",  # case 59
        None,
        [],
        {},
        CHAIN | {"chain": "root"},
        CHAIN | {"chain": []},
        CHAIN | {"chain": ["root"] * 9},
        CHAIN | {"chain": ["root", None]},
        CHAIN | {"chain": ["root", "admin"]},
        CHAIN | {"hop": -1},
        CHAIN | {"hop": 2},
        CHAIN | {"hop": 0.5},
        CHAIN | {"hop": "0"},
        CHAIN | {"hop": False},
        CHAIN | {"hop": None},
        CHAIN | {"hopTimeoutMs": 999},
        CHAIN | {"hopTimeoutMs": "60000"},
        CHAIN | {"hopTimeoutMs": True},
        CHAIN | {"hopTimeoutMs": 1e300},
        {"chain": ["root"], "hop": 0},
    ],
)
def test_a_malformed_chain_is_kept_and_counts_as_none(escalation):  # case 59
    record = CLIMBING | {"options": [*OPTS], "defaultOptionId": "keep", "escalation": escalation}
    decision = read(record)
    assert decision.is_malformed
    assert decision.escalation is None
    assert decision.next_holder is None
    assert written(decision) == record
    for late in (T + HOP, T + HOP + 1, T + 10**12):
        ended = written(step(decision, Due(), None, late))
        assert ended == record | {"status": "expired", "resolvedAt": late}


@pytest.mark.parametrize("change", [{"hopTimeoutMs": 1_000}, {"hop": 1}, {"chain": ["root", *"abcdefg"], "hop": 7}])
def test_a_chain_at_its_limits_is_well_formed(change):
    chain = [holder if len(holder) > 1 else f"supervisor:{holder}" for holder in change.get("chain", CHAIN["chain"])]
    decision = read(CLIMBING | {"escalation": CHAIN | change | {"chain": chain}})
    assert not decision.is_malformed
    assert decision.escalation is not None
    assert list(decision.escalation.chain) == chain


def test_a_chain_of_another_language_s_numbers_is_rounded_and_kept():
    record = CLIMBING | {"escalation": CHAIN | {"hopTimeoutMs": 1_500.5, "onFinal": "later"}}
    moved = catch_up(read(record), T + HOP)
    assert moved.deadline == T + HOP + 1_500
    assert written(moved)["escalation"] == CHAIN | {"hop": 1, "hopTimeoutMs": 1_500.5, "onFinal": "later"}


def test_a_chain_that_does_not_escalate_is_no_chain():
    record = CLIMBING | {"onExpire": "default", "options": [*OPTS], "defaultOptionId": "drop"}
    decision = read(record)
    assert not decision.is_malformed
    assert decision.next_holder is None
    answer = catch_up(decision, T + HOP).answer
    assert answer is not None
    assert answer.option_id == "drop"


def test_a_malformed_chain_ends_without_an_answer_whatever_expiry_says():
    record = CLIMBING | {"onExpire": "default", "options": [*OPTS], "defaultOptionId": "drop", "escalation": "root"}
    assert catch_up(read(record), T + HOP).answer is None


MANGLED: list = [
    *({name: value for name, value in PLAIN.items() if name != missing} for missing in PLAIN),
    PLAIN | {"status": "paused"},
    PLAIN | {"createdAt": 1.5},
    PLAIN | {"createdAt": True},
    PLAIN | {"deadline": "soon"},
    PLAIN | {"deadline": 2**53 + 1},
    PLAIN | {"raisedBy": {}},
    PLAIN | {"raisedBy": {"participantId": "a\0b"}},
    PLAIN | {"raisedBy": {"participantId": "x" * 513}},
    PLAIN | {"holder": "admin"},
    PLAIN | {"holder": "user\n"},
    PLAIN | {"holder": "us\0er"},
    PLAIN | {"holder": f"supervisor:{'x' * 129}"},
    PLAIN | {"options": ["a"]},
    PLAIN | {"history": {}},
    PLAIN | {"answer": "yes"},
    [],
    None,
    "text",
]


@pytest.mark.parametrize("record", MANGLED)
def test_what_is_no_record_is_unreadable(record):
    with pytest.raises(Unreadable):
        read(record)


@pytest.mark.parametrize("text", ["", "{", "NaN", "\ud800", '{"id": "\\ud800"}', "[" * 100_000, '{"createdAt": 1e999}'])
def test_what_is_no_json_is_unreadable(text):
    with pytest.raises(Unreadable):
        decode(text)


def test_a_returned_record_is_a_copy():  # case 36
    decision = raised(WORKER, options=OPTS)
    flat(decision)["options"][0]["label"] = flat(decision)["title"] = "Other"
    assert flat(decision)["options"][0]["label"] == "Keep"
    with pytest.raises(AttributeError):
        setattr(decision, "title", "Other")  # noqa: B010


def test_decisions_are_equal_by_what_is_written_and_by_their_version():
    decision = raised()
    assert decision == stored(decision, 1)
    assert hash(decision) == hash(stored(decision, 1))
    assert decision != stored(decision, 2)
    assert decision != replace(decision, title="Other")
    assert decision != read(PLAIN)
    assert decision != "decision"


def test_a_decision_is_shown_as_it_is_written():
    decision = raised()
    assert repr(decision) == f"Decision({flat(decision)})"


def test_numbers_outside_64_bits_in_unknown_fields_survive():
    text = msgspec.json.encode(PLAIN).decode()[:-1] + ',"big":123456789012345678901234567890,"small":1e-300}'
    assert encode(replace(decode(text), title="Ship it?")) == text
