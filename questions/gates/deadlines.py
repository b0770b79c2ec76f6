"""When a deadline has come, and which request is first."""

from __future__ import annotations

from collections.abc import Iterable

from .asked import Asked
from .request import Request

__all__ = ["due_in_order", "is_due"]


def is_due(asked: Asked, now: int) -> bool:
    """Whether its deadline has come. `now`: epoch milliseconds. The exact instant belongs to the deadline."""
    return asked.expires_at is not None and now >= asked.expires_at


def due_in_order(requests: Iterable[Request], now: int) -> list[Request]:
    """Those whose deadline has come: the oldest deadline first, then by the id of the decision."""
    due = [(request.expires_at or 0, request.decision_id, request) for request in requests if is_due(request, now)]
    return [request for *_, request in sorted(due, key=lambda one: one[:2])]
