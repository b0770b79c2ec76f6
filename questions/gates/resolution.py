"""How a decision ended: accepted, by a person or by its timeout policy; or cancelled. Written once, never changed."""

from __future__ import annotations

from typing import Any, Literal

import attrs

from .digests import sealed
from .instants import iso
from .request import Request
from .responses import Response
from .submission import Source, Submission
from .values import write_json

__all__ = [
    "RESOLUTION",
    "AcceptedDecision",
    "Cancellation",
    "Provenance",
    "Reason",
    "Resolution",
    "accepted",
    "cancelled",
    "cause",
    "write_resolution",
]

RESOLUTION = "questions.human-decision-resolution.v1"

Provenance = Literal["human", "timeout"]
Reason = Literal["cancelled", "expired"]


@attrs.frozen(kw_only=True)
class AcceptedDecision:
    """What was decided, over which request. Immutable; times are epoch milliseconds.

    `provenance`: human, or timeout: then nobody has decided, and there is neither a source nor a key.
    """

    decision_id: str
    request_digest: str
    subject_digest: str
    presentation_digest: str
    revision: int
    response: Response
    provenance: Provenance
    accepted_at: int
    """Of a person's: when it was first recorded."""
    source: Source | None = None
    idempotency_key: str | None = attrs.field(repr=False, default=None)

    @property
    def answer_digest(self) -> str:
        """Over the response, the request, and where it comes from."""
        answer = {"requestDigest": self.request_digest, "response": self.response.as_json()}
        if self.source is None:
            return sealed({**answer, "provenance": self.provenance})
        return sealed({**answer, "source": self.source.as_json()})

    def as_json(self) -> dict[str, Any]:
        """As it is stored."""
        decision: dict[str, Any] = {
            "decisionId": self.decision_id,
            "requestDigest": self.request_digest,
            "subjectDigest": self.subject_digest,
            "presentationDigest": self.presentation_digest,
            "revision": self.revision,
            "response": self.response.as_json(),
            "provenance": self.provenance,
            "acceptedAt": iso(self.accepted_at),
            "answerDigest": self.answer_digest,
        }
        if self.source is None:
            return decision
        return {**decision, "source": self.source.as_json(), "idempotencyKey": self.idempotency_key}


@attrs.frozen(kw_only=True)
class Cancellation:
    """The end without a decision. `reason`: cancelled (somebody took it back) or expired. Immutable."""

    decision_id: str
    request_digest: str
    cancelled_at: int
    """Epoch milliseconds."""
    reason: Reason

    def as_json(self) -> dict[str, Any]:
        """As it is stored."""
        ids = {"decisionId": self.decision_id, "requestDigest": self.request_digest}
        return {**ids, "cancelledAt": iso(self.cancelled_at), "reason": self.reason}


Resolution = AcceptedDecision | Cancellation


def cause(resolution: Resolution) -> str:
    """What has settled it: human, timeout_policy, explicit_cancel or expired_no_default."""
    if isinstance(resolution, AcceptedDecision):
        return "human" if resolution.provenance == "human" else "timeout_policy"
    return "expired_no_default" if resolution.reason == "expired" else "explicit_cancel"


def write_resolution(resolution: Resolution) -> str:
    """As it is stored: JSON."""
    if isinstance(resolution, AcceptedDecision):
        return write_json({"schema": RESOLUTION, "outcome": "accepted", "decision": resolution.as_json()})
    return write_json({"schema": RESOLUTION, "outcome": "cancelled", "cancellation": resolution.as_json()})


def accepted(request: Request, by: Submission | Response, at: int) -> AcceptedDecision:
    """The decision that a person's submission makes, or the response of the timeout policy."""
    response, source, key = (
        (by, None, None) if isinstance(by, Response) else (by.response, by.source, by.idempotency_key)
    )
    return AcceptedDecision(
        decision_id=request.decision_id,
        request_digest=request.request_digest,
        subject_digest=request.subject_digest,
        presentation_digest=request.presentation_digest,
        revision=request.revision,
        response=response,
        provenance="timeout" if source is None else "human",
        accepted_at=at,
        source=source,
        idempotency_key=key,
    )


def cancelled(request: Request, reason: Reason, at: int) -> Cancellation:
    """The end without a decision."""
    id, digest = request.decision_id, request.request_digest
    return Cancellation(decision_id=id, request_digest=digest, cancelled_at=at, reason=reason)
