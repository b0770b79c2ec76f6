"""What protects an HTTP port from those who use it: a bound for everything that they can make grow."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

import attrs

from facets.link.limits import Allowance, check_above_zero

__all__ = ["Allowances", "HttpLimits"]

_MOST_KNOWN = 10_000


@attrs.frozen
class HttpLimits:
    """Bounds of an HTTP port, each above 0 (else `InvalidFacet`)."""

    head: int = 2**14
    """Bytes of the line and the headers of a request."""
    body: int = 2**20
    """Bytes of the body of a request, unless its endpoint takes less."""
    connections: int = 10_000
    """Connections in all."""
    strangers: int = 1_000
    """Connections over which nobody has authenticated yet."""
    greeting: float = 30.0
    """Seconds for which a connection of a stranger lasts."""
    requests: int = 200
    """Requests a second of one principal, over the long run; as many again may come at once."""
    stranger_requests: int = 20
    """The same of all strangers at one address (IPv6: in one network of 64 bits)."""
    at_once: int = 100
    """Requests of one principal that are under way."""
    reading: float = 10.0
    """Seconds in which the body of a request has to arrive."""
    idle: float = 30.0
    """Seconds for which a connection stays between two requests."""
    stalled: float = 60.0
    """Seconds for which a reader may take nothing while something waits for it; then it is cut off."""

    def __attrs_post_init__(self) -> None:
        check_above_zero("http", self)


class Allowances:
    """An `Allowance` for each of many: who has not asked for longest is forgotten first, and starts anew."""

    def __init__(self, rate: float, most: int = _MOST_KNOWN) -> None:
        self._rate = rate
        self._most = most
        self._known: OrderedDict[Hashable, Allowance] = OrderedDict()

    def take(self, who: Hashable, now: float) -> bool:
        """Take one of theirs, if there is one left."""
        allowance = self._known.pop(who, None) or Allowance(self._rate, now)
        self._known[who] = allowance  # as the latest
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        return allowance.take(now)
