"""Three requests with all their bytes and digests, computed by a way of its own (`golden.py`)."""

import json

import pytest

from questions.digest import canonical_json
from questions.gates import Response, Source, Submission, read_request, read_response, view_of, write_request
from questions.gates.resolution import accepted
from tests.questions.gates.golden import DATA, vectors

VECTORS = json.loads(DATA.read_text(encoding="utf-8"))
every_vector = pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])


def read(vector):
    return read_request(json.dumps(vector["record"]))


def answer_of(vector, answer):
    request, response = read(vector), read_response(read(vector).choices, answer["response"])
    if answer["source"] is None:
        return accepted(request, response, 0)
    source = Source(*(answer["source"][name] for name in ("channel", "actorId", "eventId")))
    ids = request.decision_id, request.request_digest
    return accepted(request, Submission(*ids, response, source, "event-a"), 0)


def test_the_file_is_what_it_is_computed_to_be():
    assert vectors() == VECTORS


@every_vector
def test_a_recorded_request_is_proven_by_its_digests(vector):
    request, record = read(vector), vector["record"]
    assert request.as_json() == record
    assert (request.decision_id, request.request_digest) == (record["decisionId"], record["requestDigest"])
    assert (request.subject_digest, request.presentation_digest) == (
        record["subjectDigest"],
        record["presentationDigest"],
    )


@every_vector
def test_the_bytes_are_the_recorded_ones(vector):
    request = read(vector)
    unsealed = {"createdAt", "decisionId", "requestDigest", "subjectDigest", "presentationDigest"}
    digested = {name: value for name, value in request.as_json().items() if name not in unsealed}
    assert canonical_json(digested).decode() == vector["digested"]
    assert request.subject_json == vector["subject"]
    assert canonical_json(request.presentation.as_json()).decode() == vector["presentation"]


@every_vector
def test_answers_and_attempts_have_the_recorded_digests(vector):
    request = read(vector)
    for answer in vector["answers"]:
        assert answer_of(vector, answer).answer_digest == answer["answerDigest"]
    ids = request.decision_id, request.request_digest
    submission = Submission(*ids, Response("x"), Source("terminal", "a", "e"), "event-a")
    assert submission.attempt_id == vector["attemptId"]


@every_vector
def test_what_is_read_can_be_written_and_read_again(vector):
    request = read(vector)
    assert read_request(write_request(request)) == request
    assert list(read_request(write_request(request)).choices) == list(vector["record"]["choices"])
    assert view_of(request).fingerprint == vector["record"]["presentationDigest"][7:19]
