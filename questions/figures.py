"""Figures about a store: how it stands, and what must never be."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from .entry import State
from .pending import Pending

__all__ = ["describe", "figures", "violations"]


def figures(open: Collection[Pending], now: float) -> dict[str, Any]:
    """How many questions are open, the age of the oldest in seconds (None: nothing is open), how many have nobody
    who waits for them, and how many nobody has been shown. `now`: epoch seconds."""
    oldest = next(iter(open), None)  # they stand in the order of asking
    return {
        "open": len(open),
        "oldest_age": None if oldest is None else now - oldest.entry.ask.opened,
        "orphaned": sum(1 for pending in open if not pending.waiters),
        "never_shown": sum(1 for pending in open if not pending.is_seen),
    }


def violations(open: Mapping[str, Pending], elsewhere: Iterable[Pending]) -> dict[str, int]:
    """Counts of what a fault of the program would leave behind; each is 0.

    `elsewhere`: the questions that keys and boards refer to, which must be open ones.
    """
    every = {id(pending): pending for pending in (*open.values(), *elsewhere)}
    settled = [pending for pending in every.values() if pending.entry.state is not State.OPEN]
    return {
        "settled_with_waiter": sum(1 for pending in settled if pending.waiters),
        "settled_but_referred_to": len(settled),
        "referred_to_but_not_open": sum(1 for one in every.values() if open.get(one.entry.ask.id) is not one),
    }


def describe(
    open: Mapping[str, Pending], armed: Sequence[tuple[float, tuple[str, str]]], now: float, epoch: float
) -> dict[str, Any]:
    """What is open and what is due, as plain data. `now` is on the clock of `armed`, `epoch` in epoch seconds."""
    return {
        "open": [pending.describe() for pending in open.values()],
        "timers": len(armed),
        "due": [{"id": id, "what": what, "in": at - now} for at, (id, what) in armed],
        "figures": figures(open.values(), epoch),
    }
