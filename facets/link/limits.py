"""What protects one side of a link from the other: a bound for everything that a peer can make grow."""

from __future__ import annotations

import attrs

from facets.errors import InvalidFacet

__all__ = ["Allowance", "LinkLimits", "check_above_zero"]


def check_above_zero(facet: str, limits: attrs.AttrsInstance) -> None:
    """Raise `InvalidFacet` for bounds of which any is not above 0."""
    bounds = attrs.asdict(limits).items()
    if faults := [f"$.limits.{name}: above 0, not {bound!r}" for name, bound in bounds if not bound > 0]:
        raise InvalidFacet(facet, faults)


@attrs.frozen
class LinkLimits:
    """Bounds of a link server, each above 0 (else `InvalidFacet`).

    What would go over one is refused with `LinkLimitExceeded`, or ends the connection where nothing can be told.
    """

    frame: int = 2**20
    """Bytes of one message; a longer one ends the connection (close code 1009)."""
    objects: int = 1_000
    """Objects held over one connection."""
    calls: int = 1_000
    """Calls under way over one connection."""
    watches: int = 1_000
    """Readables watched over one connection."""
    messages: int = 1_000
    """Messages a second from one connection, over the long run; as many again may come at once."""
    patience: int = 1_000
    """Messages refused in a row for being too many, or for being none, after which the connection is closed."""
    connections: int = 100
    """Connections of one principal."""
    strangers: int = 1_000
    """Connections that have not authenticated yet."""
    greeting: float = 5.0
    """Seconds that a connection has to authenticate."""
    replies: int = 20_000
    """Messages a second from a worker, whose replies are for all who use its session; above it, it is cut off."""
    unread: int = 2**20
    """Bytes of replies that wait for a slow reader; above it, nothing more is read from that connection."""
    unasked: int = 2**24
    """Bytes of what users ask that wait for a worker which does not read; above it, it is cut off."""
    stalled: float = 60.0
    """Seconds for which a reader may take nothing at all while something waits for it; then it is cut off."""

    def __attrs_post_init__(self) -> None:
        check_above_zero("link", self)


class Allowance:
    """So many a second, and as many again at once: a token bucket. Time is the caller's, in seconds."""

    __slots__ = ("_left", "_most", "_rate", "_when")

    def __init__(self, rate: float, now: float) -> None:
        self._rate = rate
        self._most = self._left = 2.0 * rate
        self._when = now

    def take(self, now: float) -> bool:
        """Take one, if there is one left."""
        self._left = min(self._most, self._left + (now - self._when) * self._rate)
        self._when = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True
