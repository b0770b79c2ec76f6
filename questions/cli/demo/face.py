"""What the demo needs of a presentation. There are three: rich text, plain text, JSON lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from questions.reports import Settled

from .events import Event

__all__ = ["Face"]


class Face(Protocol):
    """Shows the demo to somebody, or to a program."""

    def show(self, event: Event) -> None:
        """Show one event, right after it happened."""

    def finish(self, settled: Sequence[Settled]) -> None:
        """Show the end: `settled` are all settlement events of the run."""
