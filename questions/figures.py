"""Figures about a store: how it stands, and what must never be."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .entry import State

if TYPE_CHECKING:
    from .pending import Pending

__all__ = ["Tally", "describe", "figures", "violations"]


class Tally:
    """What the open questions of a store come to, kept as they change, so that reading it takes no time."""

    __slots__ = ("orphaned", "unseen")

    def __init__(self) -> None:
        self.orphaned = 0
        """How many have nobody who waits for them; durable ones have no need of anybody."""
        self.unseen = 0
        """How many nobody has been shown."""

    def ended(self, pending: Pending) -> None:
        """One that has no waiters any more is open no more."""
        self.orphaned -= not pending.durable
        self.unseen -= not pending.is_seen

    def miscounted(self, open: Collection[Pending]) -> int:
        """By how much it differs from what is open; always 0."""
        orphaned = sum(1 for pending in open if not (pending.waiters or pending.durable))
        unseen = sum(1 for pending in open if not pending.seen)
        return abs(orphaned - self.orphaned) + abs(unseen - self.unseen)


def figures(open: Collection[Pending], tally: Tally, now: float) -> dict[str, Any]:
    """How many questions are open, the age of the oldest in seconds (None: nothing is open), how many have nobody
    who waits for them, and how many nobody has been shown. `now`: epoch seconds."""
    oldest = next(iter(open), None)  # they stand in the order of asking
    return {
        "open": len(open),
        "oldest_age": None if oldest is None else now - oldest.entry.ask.opened,
        "orphaned": tally.orphaned,
        "never_shown": tally.unseen,
    }


def violations(open: Mapping[str, Pending], tally: Tally, elsewhere: Iterable[Pending]) -> dict[str, int]:
    """Counts of what a fault of the program would leave behind; each is 0.

    `elsewhere`: the questions that keys and boards refer to, which must be open ones.
    """
    every = {id(pending): pending for pending in (*open.values(), *elsewhere)}
    settled = [pending for pending in every.values() if pending.entry.state is not State.OPEN]
    return {
        "settled_with_waiter": sum(1 for pending in settled if pending.waiters),
        "settled_but_referred_to": len(settled),
        "referred_to_but_not_open": sum(1 for one in every.values() if open.get(one.entry.ask.id) is not one),
        "mistallied": tally.miscounted(open.values()),
    }


def describe(
    open: Mapping[str, Pending], tally: Tally, armed: Sequence[tuple[float, tuple[str, str]]], now: float, epoch: float
) -> dict[str, Any]:
    """What is open and what is due, as plain data. `now` is on the clock of `armed`, `epoch` in epoch seconds."""
    return {
        "open": [pending.describe() for pending in open.values()],
        "timers": len(armed),
        "due": [{"id": id, "what": what, "in": at - now} for at, (id, what) in armed],
        "figures": figures(open.values(), tally, epoch),
    }
