"""How a gate is defined, and how a request is made of a prompt: bad ones are refused before anything exists."""

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest

from questions.gates import (
    GateDefinition,
    InvalidGate,
    InvalidRequest,
    Place,
    Presentation,
    Response,
    TimeoutPolicy,
    make_request,
)
from questions.gates.instants import LATEST, iso, milliseconds
from tests.questions.gates.cases import AUTOMATIC, CH2, CONTINUE, CREATED, DEADLINE, PLACE, faults_of, request


def refused(make, *args, **kwargs):
    with pytest.raises((InvalidGate, InvalidRequest)) as error:
        make(*args, **kwargs)
    return faults_of(error)


def made(prompt, **definition):
    defined = GateDefinition(CH2, lambda context: None, **definition)
    return make_request(defined, prompt, place=PLACE, context={"audience": "operator"}, now=CREATED)


def test_a_presentation_is_needed():  # case 1
    assert refused(made, {"title": "Approve", "subject": 1}) == ["$.presentation: missing"]


def test_a_policy_is_kept_as_it_is_given():  # case 5
    definition: GateDefinition[None] = GateDefinition(CH2, print, timeout=TimeoutPolicy(600_000, Response("continue")))
    assert definition.timeout == AUTOMATIC
    for after in (0, -1, math.nan, math.inf, True, "600000", 10**400):
        assert refused(TimeoutPolicy, after, CONTINUE) == [
            "$.timeout.afterMs: a finite positive number of milliseconds"
        ]


def test_what_a_policy_chooses_is_checked_like_an_answer():
    faults = ["$.timeout.response.input: missing; this choice takes the text instructions"]
    policy = TimeoutPolicy(1, Response("replan"))
    assert refused(GateDefinition, CH2, print, timeout=policy) == faults
    assert refused(request, timeout=lambda context: policy) == [
        fault.replace("timeout.r", "defaultR") for fault in faults
    ]


def test_a_policy_makes_the_deadline_and_the_default():  # case 6
    asked = request(timeout=AUTOMATIC, now=milliseconds("2026-08-21T00:00:00.000Z"))
    assert iso(asked.expires_at) == "2026-08-21T00:10:00.000Z"
    assert (asked.default_response, asked.revision) == (CONTINUE, 1)
    assert asked.subject_digest.startswith("sha256:")
    assert asked.presentation_digest.startswith("sha256:")


def test_an_audience_may_be_computed():  # case 8
    assert request(audience=lambda context: "operator").audience == "operator"
    assert made({"title": "T", "subject": 1, "presentation": Presentation("S")}, audience=lambda c: c["audience"])
    assert refused(request, audience=lambda context: "bad/name")[0].startswith("$.audience: ")


def test_a_bad_audience_or_builder_is_refused_where_it_is_defined():  # case 9
    assert refused(GateDefinition, CH2, print, audience="bad/name") == [
        "$.audience: 1 to 128 of letters, digits, _ and -, beginning with a letter or _"
    ]
    assert refused(GateDefinition, CH2, "builder") == ["$.request: must be a function that returns a Prompt"]
    assert len(refused(GateDefinition, {}, 1, audience="", timeout=5)) == 4


NO_INSTANT_IN_UTC = datetime.max.replace(tzinfo=timezone(timedelta(hours=-12)))


@pytest.mark.parametrize(
    "when",
    ["invalid", "2026-08-20", 5, datetime(2027, 1, 1), "2026-13-01T00:00:00.000Z", NO_INSTANT_IN_UTC],  # noqa: DTZ001
)
def test_a_bad_expiry_is_refused(when):  # case 11
    assert refused(request, expires_at=when) == [
        "$.expiresAt: an aware datetime, or an instant such as 2026-08-21T00:10:00.000Z"
    ]


def test_an_expiry_is_an_instant_after_the_request():
    late = datetime.fromtimestamp(DEADLINE / 1_000, timezone(timedelta(hours=2)))
    assert request(expires_at=late).expires_at == DEADLINE
    assert request(expires_at=late).default_response is None
    assert refused(request, expires_at=datetime.fromtimestamp(CREATED / 1_000, UTC)) == [
        "$.expiresAt: must be after createdAt"
    ]


def test_a_prompt_with_an_expiry_has_no_policy():
    assert refused(request, expires_at=iso(DEADLINE), timeout=AUTOMATIC) == [
        "$.expiresAt: not beside a timeout policy; give one of them"
    ]


def test_a_computed_policy_may_be_none_and_nothing_else():
    assert request(timeout=lambda context: None).expires_at is None
    assert request(timeout=lambda context: AUTOMATIC).expires_at == DEADLINE
    assert refused(request, timeout=lambda context: 5) == ["$.timeout: must be a TimeoutPolicy or None, not int"]


def test_a_part_of_a_millisecond_counts_as_one():
    assert request(timeout=TimeoutPolicy(0.1, CONTINUE)).expires_at == CREATED + 1
    assert request(timeout=TimeoutPolicy(LATEST - CREATED, CONTINUE)).expires_at == LATEST
    assert refused(request, timeout=TimeoutPolicy(1e300, CONTINUE)) == ["$.timeout.afterMs: later than any date"]


def test_a_prompt_is_a_prompt():
    assert refused(made, None)[0] == "$: the builder must return a Prompt, not NoneType"
    assert "$.colour: not known" in refused(made, {"title": 1, "subject": 2, "presentation": {}, "colour": 3})


def test_every_fault_is_told_at_once():
    faults = refused(
        request,
        title="x" * 301,
        subject={"a": {1}},
        presentation={"summary": ""},
        revision=0,
        place=Place("/", " ", "a\nb", ""),
    )
    assert [fault.split(":")[0] for fault in faults] == [
        *("$.runId", "$.workflowName", "$.nodeId", "$.attemptId", "$.title"),
        *("$.presentation.schema", "$.presentation.blocks", "$.presentation.summary", "$.revision", "$.subject.a"),
    ]


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00.000Z", "1969-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"])
def test_an_instant_is_written_as_it_is_read(moment):
    assert iso(milliseconds(moment)) == moment
