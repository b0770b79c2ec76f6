"""What a host's work is waiting for."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol

import attrs

from .principal import Who

__all__ = ["Waiting", "Waits"]


@attrs.frozen
class Waiting:
    """One piece of work that stands still until something outside it happens."""

    id: str
    what: str
    """What it waits for, in a line for people; for a question its message."""
    scope: Hashable
    """Where it belongs, or None for the host as a whole."""
    asker: Who
    """On whose behalf the work runs."""
    waiting_for: tuple[Who, ...]
    """Who could end the wait."""
    shown_to: tuple[Who, ...]
    """Who has been shown it; empty: nobody has seen it."""
    since: float
    """Epoch seconds."""


class Waits(Protocol):
    """What facets put into `Environment.waiting`: something that says, when asked, what it waits for."""

    def waiting(self) -> Waiting:
        """The wait as it stands now."""
