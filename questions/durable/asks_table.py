"""The tables of durable questions, and what a question is found by."""

from __future__ import annotations

from .backend import Index, Table

__all__ = ["ASKS", "ASK_NAMES"]

ASKS = Table(
    "asks",
    {
        "open": int,
        "asker": str,
        "scope": str,
        "opened": int,
        "deadline": int,
        "name": str,
        "final": int,
        "ended": int,
    },
    (
        Index("open", ("open",), "opened", counted=True),
        Index("asker", ("open", "asker"), "opened", counted=True),
        Index("scope", ("open", "scope"), "opened", counted=True),
        Index("due", ("open",), "deadline"),
        Index("name", ("name",), "opened"),
        Index("final", ("final",), "ended"),
    ),
)
"""Keys are the ids of questions. `name`: of the key of the ask, while the question stands for it."""

ASK_NAMES = Table("ask_names", {})
"""A few rows that say nothing: who takes a name writes the one for it, so that of two who take it at once one does."""
