"""What one end of a link holds, calls and follows at the other, and where the link is."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from msgspec import UnsetType

from facets.principal import Principal

from .backoff import Backoff
from .messages import Received

__all__ = ["CallingState", "Event", "Followed", "Held", "Item", "Made"]


class CallingState(enum.Enum):
    """Where a link is."""

    AWAY = "away"
    """There is no connection now."""
    GREETING = "greeting"
    OPEN = "open"
    REFUSED = "refused"
    """The other side does not want this one; it is not tried again."""


class Held:
    """An object of the other side."""

    def __init__(self, kind: str, input: bytes, principal: Principal | UnsetType, name: str) -> None:
        self.name = name
        self.kind = kind
        self.input = input
        self.principal = principal
        self.wire = 0
        self.owner: Any = None
        """Whoever is to be told what happens to it; as for the other two, the caller's to set."""
        self.is_known = False
        """Whether it has been got at least once: then it is got again after a lost connection."""
        self.gone = False
        self.followed: dict[Followed, None] = {}
        """What is followed of it: found at once, however much is followed of others."""


class Made:
    """A call under way. `again(now)` makes the arguments of another try; None: it is not tried again."""

    def __init__(self, object: Held, method: str, again: Callable[[float], bytes] | None, backoff: Backoff) -> None:
        self.object = object
        self.method = method
        self.again = again
        self.backoff = backoff
        self.owner: Any = None
        self.wire = 0
        self.is_cancelled = False


class Followed:
    """A readable of the other side that is followed, and how far it has been told."""

    def __init__(self, object: Held, readable: str) -> None:
        self.object = object
        object.followed[self] = None
        self.readable = readable
        self.owner: Any = None
        self.wire = 0
        self.epoch = ""
        self.revision = -1
        self.is_confirmed = False
        """Whether anything has come of it over this connection, so that the revision is one of the other side's."""


Item = Held | Made | Followed
Event = tuple[Item | None, Received]
"""What a message means, and for whom; None: for the link as a whole."""
