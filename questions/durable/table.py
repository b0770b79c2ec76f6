"""The tables of decisions, and what a decision is found by."""

from __future__ import annotations

from .backend import Column, Index, Table
from .decision import Decision, Status

__all__ = ["DECISIONS", "META", "columns"]

DECISIONS = Table(
    "decisions",
    {
        "status": str,
        "holder": str,
        "raiser": str,
        "created": int,
        "deadline": int,
        "final": int,
        "resolved": int,
    },
    (
        Index("all", (), "created", descending=True, counted=True),
        Index("status", ("status",), "created", descending=True, counted=True),
        Index("holder", ("holder",), "created", descending=True),
        Index("holder_status", ("holder", "status"), "created", descending=True),
        Index("due", ("status",), "deadline"),
        Index("final", ("final",), "resolved"),
        Index("raiser", ("raiser", "status"), "created", counted=True),
    ),
)
"""Keys are the ids of decisions."""

META = Table("meta", {})
"""What all who open a store share: its settings."""


def columns(decision: Decision) -> dict[str, Column]:
    """What the row of a decision is found by. Without a deadline it is never due; `final` is 1 once it has ended.

    Once it has ended it is not looked for by its raiser or its deadline, and every place in an index costs its commit.
    """
    is_final = decision.status is not Status.OPEN
    return {
        "status": decision.status.value,
        "holder": decision.holder,
        "raiser": None if is_final else decision.raised_by.participant_id,
        "created": decision.created_at,
        "deadline": None if is_final else decision.deadline,
        "final": 1 if is_final else None,
        "resolved": _resolved(decision) if is_final else None,
    }


def _resolved(decision: Decision) -> int:
    """When it ended; older records say so in their answer alone, or not at all."""
    if decision.resolved_at is not None:
        return decision.resolved_at
    return decision.created_at if decision.answer is None else decision.answer.at
