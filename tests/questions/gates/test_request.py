"""A stored request is proven each time that it is read, and what was edited is found."""

import json

import attrs
import pytest

from questions.gates import (
    DecisionIdAltered,
    IncompatibleState,
    InvalidRecord,
    Presentation,
    PresentationAltered,
    RecordAltered,
    RequestAltered,
    SubjectAltered,
    read_request,
    write_request,
)
from tests.questions.gates.cases import AUTOMATIC, CH2, CREATED, PLACE, faults_of, request

DIGESTS = ("request_digest", "subject_digest", "presentation_digest", "decision_id")


def differing(one, other):
    return {name for name in DIGESTS if getattr(one, name) != getattr(other, name)}


def edited(**fields):
    return json.dumps({**request(timeout=AUTOMATIC).as_json(), **fields})


def test_the_same_question_has_the_same_bytes():
    assert write_request(request()) == write_request(request())
    assert request() == request(subject={"plan": "a"})
    assert request(subject=1) != request(subject=True)


def test_each_part_has_its_digest():  # case 30
    assert differing(request(), request(subject={"plan": "b"})) == {"request_digest", "subject_digest", "decision_id"}
    other = request(presentation=Presentation("Another."))
    assert differing(request(), other) == {"request_digest", "presentation_digest", "decision_id"}


@pytest.mark.parametrize("change", [{"title": "T"}, {"revision": 2}, {"audience": "others"}, {"timeout": AUTOMATIC}])
def test_all_that_was_asked_is_in_the_digest(change):
    assert differing(request(), request(**change)) == {"request_digest", "decision_id"}


def test_when_it_was_asked_is_not_in_the_digest():
    assert differing(request(), request(now=CREATED + 1)) == set()


def test_a_deadline_that_moves_makes_another_request():
    """Why a request is made once an attempt, and adopted afterwards."""
    assert differing(request(timeout=AUTOMATIC), request(timeout=AUTOMATIC, now=CREATED + 1)) == {
        *("request_digest", "decision_id")
    }


def test_nobody_can_change_a_subject_behind_its_digest():
    subject = {"plan": ["a"]}
    asked = request(subject=subject)
    subject["plan"].append("b")
    asked.subject["plan"].append("c")
    assert asked.subject == {"plan": ["a"]}


@pytest.mark.parametrize(
    ("fields", "altered"),
    [
        ({"subject": {"plan": "tampered"}}, SubjectAltered),  # case 32
        ({"presentation": Presentation("Harmless.").as_json()}, PresentationAltered),
        ({"title": "Another title"}, RequestAltered),
        ({"defaultResponse": {"choice": "replan", "input": {"instructions": "x"}}}, RequestAltered),
        ({"choices": {**CH2.as_json(), "more": {"label": "More"}}}, RequestAltered),
        ({"decisionId": "decision-" + "0" * 40}, DecisionIdAltered),
        ({"subject": 1, "presentation": Presentation("Harmless.").as_json(), "title": "T"}, SubjectAltered),
        ({"presentation": Presentation("Harmless.").as_json(), "title": "T"}, PresentationAltered),
    ],
)
def test_what_was_edited_is_found_in_order(fields, altered):
    with pytest.raises(RecordAltered) as error:
        read_request(edited(**fields))
    assert type(error.value) is altered
    assert error.value.part in str(error.value)


def test_an_edited_text_that_means_the_same_is_the_same():
    written = request(presentation=Presentation("Caf\u00e9")).as_json()
    written["presentation"]["summary"] = "Cafe\u0301"
    assert read_request(json.dumps(written)) == request(presentation=Presentation("Caf\u00e9"))


@pytest.mark.parametrize("schema", ["questions.human-decision-request.v0", "other", None, 3])
def test_another_schema_has_to_be_reset(schema):  # case 53
    with pytest.raises(IncompatibleState, match=r"incompatible state: .* it has to be reset"):
        read_request(edited(schema=schema))


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", ["$: no JSON that can be read: "]),
        ("[]", ["$: must be an object, not list"]),
        (edited(extra=1), ["$.extra: not known"]),
        (edited(createdAt="now"), ["$.createdAt: an instant"]),
        (edited(requestDigest="bad", decisionId=""), ["$.decisionId: 1 to 200", "$.requestDigest: sha256: and 64"]),
        (edited(expiresAt="2026-08-19T00:00:00.000Z"), ["$.expiresAt: must be after createdAt"]),
        (edited(defaultResponse={"choice": "no"}), ["$.defaultResponse.choice: not available"]),
    ],
)
def test_what_is_no_request_is_refused_with_every_fault(text, faults):
    with pytest.raises(InvalidRecord) as error:
        read_request(text)
    found = faults_of(error)
    assert len(found) == len(faults)
    assert all(fault.startswith(start) for fault, start in zip(found, faults, strict=True))


def test_a_default_needs_a_deadline():
    record = request(timeout=AUTOMATIC).as_json()
    del record["expiresAt"]
    with pytest.raises(InvalidRecord, match=r"\$\.defaultResponse: only with expiresAt"):
        read_request(json.dumps(record))


def test_an_id_belongs_to_one_attempt_of_one_run():
    places = [attrs.evolve(PLACE, **{name: "other"}) for name in ("run_id", "node", "attempt_id")]
    assert len({request(place=place).decision_id for place in [PLACE, *places]}) == 4
