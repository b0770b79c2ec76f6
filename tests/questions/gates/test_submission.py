"""A submission says who answers, where and by which event; what is recorded of it is read again as it was."""

import json

import pytest

from questions.gates import (
    Attempt,
    InvalidRecord,
    InvalidSubmission,
    ResolutionAltered,
    Source,
    Submission,
    read_attempt,
    write_attempt,
)
from tests.questions.gates.cases import CONTINUE, CREATED, REPLAN, faults_of, request, submission

REQ = request()


def refused(make, *args):
    with pytest.raises(InvalidSubmission) as error:
        make(*args)
    return faults_of(error)


@pytest.mark.parametrize("channel", ["bad/channel", "", ":x", "a" * 201, None])
def test_a_channel_is_named_properly(channel):  # case 22
    assert [fault[:17] for fault in refused(Source, channel, "a", "e")] == ["$.source.channel:"]


@pytest.mark.parametrize("channel", ["terminal", "web", "telegram:approval"])
def test_channels_of_every_kind_can_submit(channel):
    assert Source(channel, "-200", "1").channel == channel


def test_nobody_answers_as_nobody():
    assert refused(Source, "web", " ", "") == [
        "$.source.actorId: must be text that is not blank",
        "$.source.eventId: must be text that is not blank",
    ]
    assert refused(Submission, "", 1, "continue", {}, "\n") == [
        "$.response: must be a Response",
        "$.source: must be a Source",
        "$.decisionId: must be text that is not blank",
        "$.requestDigest: must be text that is not blank",
        "$.idempotencyKey: must be text that is not blank",
    ]
    assert refused(Source, "web", "x" * 501, "\ud800") == [
        "$.source.actorId: 501 code points, and at most 500 are allowed",
        "$.source.eventId: must be Unicode text, without lone surrogates",
    ]


def test_an_attempt_is_found_by_its_decision_and_its_key():
    one = submission(REQ)
    assert one.attempt_id == submission(REQ, REPLAN, source=Source("web", "b", "c")).attempt_id
    assert one.attempt_id != submission(REQ, key="event-b").attempt_id
    assert one.attempt_id != submission(request(title="Another")).attempt_id


@pytest.mark.parametrize("response", [CONTINUE, REPLAN])
def test_an_attempt_is_read_as_it_was_written(response):
    attempt = Attempt(submission(REQ, response), CREATED + 1, "conflict")
    assert read_attempt(write_attempt(attempt), REQ) == attempt


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"at": 5}, "$.at: an instant"),
        ({"source": {"channel": "web"}}, "$.source.actorId: missing"),
        ({"source": 1}, "$.source: must be an object"),
        ({"source": {"channel": "/", "actorId": "a", "eventId": "e"}}, "$.source.channel: a channel"),
        ({"response": {"choice": "no"}}, "$.response.choice: not available"),
        ({"outcome": None}, "$.outcome: must be text"),
        ({"idempotencyKey": ""}, "$.idempotencyKey: must be text"),
    ],
)
def test_an_attempt_that_was_edited_is_refused(fields, fault):
    record = {**json.loads(write_attempt(Attempt(submission(REQ), CREATED, "accepted"))), **fields}
    with pytest.raises(InvalidRecord) as error:
        read_attempt(json.dumps(record), REQ)
    assert faults_of(error)[0].startswith(fault)


def test_an_attempt_of_another_decision_is_refused():
    with pytest.raises(ResolutionAltered):
        read_attempt(write_attempt(Attempt(submission(REQ), CREATED, "accepted")), request(title="Another"))
