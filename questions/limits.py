"""What protects a host from its peers: a bound for everything that can grow."""

from __future__ import annotations

import attrs

from facets.errors import InvalidFacet

__all__ = ["Limits"]

_OPTIONAL = frozenset({"open_per_asker", "open_per_scope", "open_per_person"})


@attrs.frozen
class Limits:
    """Bounds of one store, each 1 or more (else `InvalidFacet`); the three that may be None are not kept then.

    What would go over one is refused with `LimitExceeded`, or the oldest is forgotten.
    """

    open: int = 100_000
    """Open questions."""
    open_per_asker: int | None = None
    """Open questions of one asking principal, in all scopes."""
    open_per_scope: int | None = None
    """Open questions in one scope."""
    open_per_person: int | None = None
    """Open questions whose audience holds one person, answered by them or not. An ask of several people is refused if
    one of them is at the limit. Who joins a live audience is counted, and refused nothing."""
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
        limits = attrs.asdict(self).items()
        if faults := [
            f"$.limits.{name}: 1 or more, not {limit!r}" for name, limit in limits if not _is_kept(name, limit)
        ]:
            raise InvalidFacet("questions", faults)


def _is_kept(name: str, limit: float | None) -> bool:
    return name in _OPTIONAL if limit is None else limit >= 1
