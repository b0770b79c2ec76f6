"""What becomes of a candidate for a decision."""

from __future__ import annotations

import attrs

from questions.errors import QuestionError

from .resolution import AcceptedDecision, Cancellation, Resolution

__all__ = ["Accepted", "Adopted", "Cancelled", "Conflict", "Refused", "Verdict"]


@attrs.frozen
class Accepted:
    """It is the decision."""

    decision: AcceptedDecision


@attrs.frozen
class Cancelled:
    """It has ended the decision without an answer."""

    cancellation: Cancellation


@attrs.frozen
class Adopted:
    """The very same had settled it before: nothing new happens."""

    resolution: Resolution


@attrs.frozen
class Conflict:
    """Another one was first: `winner`. Not an error, and nothing new happens."""

    winner: AcceptedDecision
    same_response: bool
    """Whether both have chosen the same: then there is nothing to tell anybody. A press may be sent twice."""


@attrs.frozen
class Refused:
    """It cannot settle the decision, which is as it was."""

    error: QuestionError


Verdict = Accepted | Cancelled | Adopted | Conflict | Refused
