"""The request that most cases are about, and answers to it."""

from typing import Any

from questions.gates import (
    Choices,
    ChoiceTerms,
    GateDefinition,
    GivenText,
    Place,
    Presentation,
    Prompt,
    Response,
    Source,
    Submission,
    TextInput,
    TimeoutPolicy,
    make_request,
)
from questions.gates.instants import milliseconds

CH2 = Choices(
    {
        "continue": ChoiceTerms("Continue"),
        "replan": ChoiceTerms("Replan", TextInput("instructions", "What should change?", 1, 4_000)),
    }
)
CREATED = milliseconds("2026-08-19T00:00:00.000Z")
TEN_MINUTES = 600_000
DEADLINE = CREATED + TEN_MINUTES
PLACE = Place("run-a", "workflow-a", "approve", "attempt-a")
CONTINUE = Response("continue")
EXACT = "  use the smaller API\nkeep this line  "
REPLAN = Response("replan", GivenText("instructions", EXACT))
AUTOMATIC = TimeoutPolicy(TEN_MINUTES, CONTINUE)


def request(*, timeout=None, choices=CH2, now=CREATED, place=PLACE, audience="operator", **prompt: Any):
    """REQ, or what it is with some of it changed."""
    usual: dict[str, Any] = {
        "title": "Approve plan",
        "subject": {"plan": "a"},
        "presentation": Presentation("Review the plan."),
    }
    definition = GateDefinition(choices, lambda context: Prompt(**usual | prompt), audience, timeout)
    return make_request(definition, definition.request({}), place=place, context={}, now=now)


def submission(to, response=CONTINUE, key="event-a", **changes):
    source = Source("terminal", "session-a", "event-1")
    ids = {"decision_id": to.decision_id, "request_digest": to.request_digest}
    return Submission(**{**ids, "response": response, "source": source, "idempotency_key": key, **changes})


def faults_of(error):
    return list(error.value.faults)
