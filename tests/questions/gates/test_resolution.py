"""How a decision ended is read as it was written, and nothing else is taken for it."""

import json
from typing import Any

import attrs
import pytest

from questions.gates import (
    AnswerAltered,
    DecisionCancelled,
    IncompatibleState,
    InvalidRecord,
    NotVerified,
    ResolutionAltered,
    ending,
    read_resolution,
    receipt_of,
    verified,
    view_of,
    write_resolution,
)
from questions.gates.instants import iso
from questions.gates.resolution import accepted, cancelled
from tests.questions.gates.cases import (
    AUTOMATIC,
    CONTINUE,
    CREATED,
    DEADLINE,
    REPLAN,
    faults_of,
    request,
    submission,
)

REQ = request(timeout=AUTOMATIC)
EXPIRING = request(expires_at=iso(DEADLINE))
HUMAN: Any = accepted(REQ, submission(REQ, REPLAN), CREATED + 1)
TIMED: Any = accepted(REQ, CONTINUE, DEADLINE)
ENDS: dict[str, Any] = {"human": HUMAN, "timeout": TIMED, "cancelled": cancelled(REQ, "cancelled", CREATED + 2)}


def edited(resolution, **fields):
    record = json.loads(write_resolution(resolution))
    (name,) = record.keys() - {"schema", "outcome"}
    return json.dumps({**record, name: {**record[name], **fields}})


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_it_is_read_as_it_was_written(end):
    assert read_resolution(write_resolution(end), REQ) == end


@pytest.mark.parametrize(
    "fields",
    [
        {"response": {"choice": "continue"}},
        {"answerDigest": "sha256:" + "0" * 64},
        {"source": {"channel": "terminal", "actorId": "forged", "eventId": "event-1"}},
        {"response": {"choice": "replan", "input": {"instructions": "other"}}},
    ],
)
def test_an_answer_that_was_edited_is_found(fields):
    with pytest.raises(AnswerAltered):
        read_resolution(edited(HUMAN, **fields), REQ)


def test_a_timeout_has_chosen_what_the_request_says():
    forged = accepted(REQ, REPLAN, DEADLINE)
    with pytest.raises(AnswerAltered):
        read_resolution(write_resolution(forged), REQ)


@pytest.mark.parametrize("name", ["decisionId", "requestDigest", "subjectDigest", "presentationDigest", "revision"])
def test_a_resolution_of_another_request_is_found(name):
    with pytest.raises(ResolutionAltered):
        read_resolution(edited(HUMAN, **{name: True if name == "revision" else "other"}), REQ)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (edited(HUMAN, provenance="model"), "$.decision.provenance: human or timeout"),
        (edited(HUMAN, provenance="timeout"), "$.decision.source: not with a timeout"),
        (edited(TIMED, provenance="human"), "$.decision.source: missing"),
        (edited(HUMAN, source=[]), "$.decision.source: must be an object, not list"),
        (edited(HUMAN, idempotencyKey=" "), "$.idempotencyKey: must be text that is not blank"),
        (edited(HUMAN, acceptedAt="now"), "$.decision.acceptedAt: an instant"),
        (edited(HUMAN, by="ana"), "$.decision.by: not known"),
        (edited(ENDS["cancelled"], reason="denied"), "$.cancellation.reason: cancelled or expired"),
        (write_resolution(HUMAN).replace('"accepted"', '"cancelled"'), "$.cancellation: missing"),
        (write_resolution(HUMAN).replace('"accepted"', '"denied"'), "$.outcome: accepted or cancelled"),
        ("{", "$: no JSON that can be read"),
    ],
)
def test_what_is_no_resolution_is_refused(text, fault):
    with pytest.raises(InvalidRecord) as error:
        read_resolution(text, REQ)
    assert faults_of(error)[0].startswith(fault)


def test_another_schema_has_to_be_reset():  # case 53
    with pytest.raises(IncompatibleState):
        read_resolution(write_resolution(HUMAN).replace("resolution.v1", "resolution.v0"), REQ)


def test_a_receipt_says_what_and_not_who():  # case 68
    receipt = receipt_of(REQ, HUMAN).as_json()
    assert (receipt["provenance"], receipt["response"]) == ("human", REPLAN.as_json())
    assert set(receipt) == {
        *("decisionId", "requestDigest", "subjectDigest", "presentationDigest", "revision", "nodeId", "response"),
        *("provenance", "acceptedAt", "answerDigest"),
    }
    assert not [word for word in ("session-a", "terminal", "event", "actorId") if word in json.dumps(receipt)]


def test_a_run_goes_on_with_the_stored_decision():
    again: Any = read_resolution(write_resolution(HUMAN), REQ)
    assert verified(REQ, HUMAN, again) == HUMAN


@pytest.mark.parametrize(
    ("stored", "given", "why"),
    [
        (None, attrs.evolve(HUMAN, source=attrs.evolve(HUMAN.source, actor_id="forged")), "none is stored"),  # case 69
        (HUMAN, attrs.evolve(HUMAN, accepted_at=0), "the given one is not the stored one"),
        (HUMAN, TIMED, "the given one is not the stored one"),
        (HUMAN, None, "none was given"),  # case 70
        (None, None, "none was given"),
    ],
)
def test_a_run_goes_on_with_nothing_else(stored, given, why):  # cases 69, 70
    with pytest.raises(NotVerified, match="needs a verified decision") as error:
        verified(REQ, stored, given)
    assert error.value.why == why


def test_a_run_does_not_go_on_with_the_decision_of_another_request():
    with pytest.raises(NotVerified, match="over another request"):
        verified(EXPIRING, HUMAN, HUMAN)
    with pytest.raises(DecisionCancelled):
        verified(REQ, ENDS["cancelled"], HUMAN)


def test_everybody_is_told_how_it_ended():
    view = view_of(REQ)
    assert ending(view, HUMAN) == "Chosen: Replan"
    assert ending(view, ENDS["cancelled"]) == "Cancelled. Nothing was chosen."
    expired = cancelled(EXPIRING, "expired", DEADLINE + 5)
    assert ending(view_of(EXPIRING), expired) == ("The time was over at 2026-08-19T00:10:00.000Z. Nothing was chosen.")


@pytest.mark.parametrize(
    "word", ["decided", "denied", "declined", "person", "you", "by", "approved", "reject", "refus"]
)
def test_a_timeout_is_never_put_as_a_decision_of_somebody(word):  # case 148
    texts = [ending(view_of(REQ), TIMED), ending(view_of(EXPIRING), cancelled(EXPIRING, "expired", DEADLINE))]
    assert texts[0] == "Automatic at the deadline, since there was no answer: Continue"
    assert not [text for text in texts if word in text.lower()]
