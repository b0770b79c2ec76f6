"""What protects a host from its peers: a bound for everything that can grow."""

from __future__ import annotations

import attrs

from facets.errors import InvalidFacet

__all__ = ["Limits"]


@attrs.frozen
class Limits:
    """Bounds of one store, each 1 or more (else `InvalidFacet`).

    What would go over one is refused with `LimitExceeded`, or the oldest is forgotten.
    """

    open: int = 100_000
    """Open questions."""
    audience: int = 10_000
    """Members of one fixed audience."""
    waiters: int = 10_000
    """Tasks that wait for one question, through its key."""
    results: int = 1_000
    """Settled results that are kept for their keys; the oldest are forgotten."""
    endings: int = 1_000
    """Ended questions of which it is remembered how they ended; the oldest are forgotten."""
    closed: int = 100
    """Entries of one viewer's `closed`; the oldest are forgotten."""
    closed_seconds: float = 60.0
    """For how long they are shown there."""

    def __attrs_post_init__(self) -> None:
        limits = attrs.asdict(self)
        if faults := [f"$.limits.{name}: 1 or more, not {limit!r}" for name, limit in limits.items() if not limit >= 1]:
            raise InvalidFacet("questions", faults)
