"""What has gone over the links of a server, in plain numbers: no names, no ids, nothing of what was said."""

from __future__ import annotations

from collections import Counter

from facets.errors import FacetError, InternalError

__all__ = ["Traffic"]


class Traffic:
    """Counts that only grow. Belongs to one server, and lives as long as that."""

    __slots__ = ("accepted", "received", "refused", "sent")

    def __init__(self) -> None:
        self.accepted = 0
        """Connections that were taken, strangers included."""
        self.received = 0
        """Messages that came over connections which have ended."""
        self.sent = 0
        """Messages that went over them, and what was asked of workers."""
        self.refused: Counter[str] = Counter()
        """What was refused, and who was sent away, by the `code` of the error. As many codes as there are classes."""

    def refuse(self, error: Exception) -> None:
        """Something is refused."""
        self.refused[error.code if isinstance(error, FacetError) else InternalError.code] += 1
