"""What a run gets to see of a decision, and whether it may go on with one."""

from __future__ import annotations

from typing import Any

import attrs

from .errors import DecisionCancelled, NotVerified
from .instants import iso
from .request import Request
from .resolution import AcceptedDecision, Cancellation, Provenance, Resolution
from .responses import Response

__all__ = ["Receipt", "receipt_of", "verified"]


@attrs.frozen(kw_only=True)
class Receipt:
    """A decision without who made it: no source, channel, event or key. Immutable; `accepted_at` in epoch ms."""

    decision_id: str
    request_digest: str
    subject_digest: str
    presentation_digest: str
    revision: int
    node_id: str
    response: Response
    provenance: Provenance
    accepted_at: int
    answer_digest: str

    def as_json(self) -> dict[str, Any]:
        """As it is stored with a run, and shown."""
        return {
            "decisionId": self.decision_id,
            "requestDigest": self.request_digest,
            "subjectDigest": self.subject_digest,
            "presentationDigest": self.presentation_digest,
            "revision": self.revision,
            "nodeId": self.node_id,
            "response": self.response.as_json(),
            "provenance": self.provenance,
            "acceptedAt": iso(self.accepted_at),
            "answerDigest": self.answer_digest,
        }


def receipt_of(request: Request, decision: AcceptedDecision) -> Receipt:
    """What the run of a request gets to see of its decision."""
    names = [field.name for field in attrs.fields(Receipt) if field.name != "node_id"]
    return Receipt(node_id=request.node_id, **{name: getattr(decision, name) for name in names})


def verified(waiting: Request, stored: Resolution | None, given: AcceptedDecision | None) -> AcceptedDecision:
    """The decision that a waiting run may go on with: the stored one, and no other, however well it is made.

    Raises `NotVerified` if none is given, none is stored, or they differ in anything; `DecisionCancelled` if it has
    ended without one. The run waits as before.
    """
    id = waiting.decision_id
    if given is None:
        raise NotVerified(id, "none was given")
    if stored is None:
        raise NotVerified(id, "none is stored")
    if isinstance(stored, Cancellation):
        raise DecisionCancelled(id, stored.reason)
    if given != stored:
        raise NotVerified(id, "the given one is not the stored one")
    if (stored.decision_id, stored.request_digest) != (id, waiting.request_digest):
        raise NotVerified(id, "the stored one is over another request")
    return stored
