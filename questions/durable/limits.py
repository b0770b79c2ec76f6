"""How many decisions a store keeps, and for how long. The settings live in the store: whoever opens it keeps them."""

from __future__ import annotations

from typing import Any

import attrs
import msgspec

from .errors import BadArgument, Unreadable

__all__ = ["StoreLimits", "read_limits", "write_limits"]

_MOST_OPEN, _MOST_STORED, _LONGEST_MS = 100_000, 1_000_000, 365 * 86_400_000
_ROOM = 300
"""What is kept of ended decisions at least, so that those who wait for one still find it."""


@attrs.frozen
class StoreLimits:
    """Bounds of one store. Raises `BadArgument`, with every fault, for what is out of range."""

    max_open: int = 200
    """Decisions that are open, 1 to 100,000; a raise above that is `TooManyOpen`."""
    max_stored: int = 500
    """Decisions in all, 1 to 1,000,000 and at least `max_open` and 300: a raise above that drops the oldest that have
    ended. Open ones are never dropped."""
    retention_ms: int = 604_800_000
    """For how long one that has ended is kept at most, milliseconds, 0 to 365 days; a raise drops older ones."""
    max_open_per_raiser: int | None = None
    """Decisions that one participant has open, 1 to 100,000; None: not kept."""

    def __attrs_post_init__(self) -> None:
        faults = [
            *_faults("max_open", self.max_open, 1, _MOST_OPEN),
            *_faults("max_stored", self.max_stored, 1, _MOST_STORED),
            *_faults("retention_ms", self.retention_ms, 0, _LONGEST_MS),
        ]
        if self.max_open_per_raiser is not None:
            faults += _faults("max_open_per_raiser", self.max_open_per_raiser, 1, _MOST_OPEN)
        if not faults and self.max_stored < self.max_open + _ROOM:
            faults.append(f"$.max_stored: at least max_open and {_ROOM}, which is {self.max_open + _ROOM}")
        if faults:
            raise BadArgument(faults)


def read_limits(text: str) -> StoreLimits:
    """The limits that are stored as `text`. Raises `Unreadable`: settings that are not understood are not guessed."""
    try:
        return StoreLimits(**msgspec.json.decode(text, type=dict[str, Any]))
    except (msgspec.MsgspecError, UnicodeError, TypeError, BadArgument) as error:
        raise Unreadable(f"limits: {error}") from None


def write_limits(limits: StoreLimits) -> str:
    """As they are stored: JSON."""
    return msgspec.json.encode(limits).decode()


def _faults(name: str, number: object, least: int, most: int) -> list[str]:
    is_within = type(number) is int and least <= number <= most
    return [] if is_within else [f"$.{name}: a whole number from {least} to {most}"]
