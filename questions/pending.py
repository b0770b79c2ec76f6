"""One pending question in the store: its current value, and who waits for it, has seen it and is shown it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec
import trio

from facets.keyed import KeyedCell
from facets.principal import Principal, Who
from facets.waiting import Waiting

from .audience import LiveAudience
from .entry import Entry

if TYPE_CHECKING:
    from .board import Board

__all__ = ["Pending"]


class Pending(msgspec.Struct, eq=False):
    """A slot whose value, the entry, is swapped. Belongs to the store."""

    entry: Entry
    who: Callable[[Principal], Who]
    home: KeyedCell[str, Any, Waiting]
    """`host.waiting`, which shows it as work that waits."""
    waiters: tuple[trio.lowlevel.Task, ...]
    moves: bool
    """Whether something else than an event can change it: a live audience, or a deadline."""
    audience: LiveAudience | None = None
    seen: dict[Principal, None] = {}
    """Whom it has been shown to, leavers included (Q-POL-5)."""
    boards: dict[Board, None] = {}
    """The boards that it is on."""
    cells: dict[KeyedCell[str, Any, Any], None] = {}
    """The readables that have shown its current value, and have to be told of the next one (Q-VIEW-3)."""
    timers: tuple[int, ...] = ()
    linger: int = 0
    """Of those, the one that ends it if nobody comes back to wait for it."""

    def __repr__(self) -> str:
        return f"Pending({self.entry.ask.id})"

    def swap(self, entry: Entry) -> None:
        """Take a new value, and tell whoever was shown the old one: once each, until they read again."""
        self.entry = entry
        if self.cells:
            cells, self.cells = self.cells, {}
            for cell in cells:
                cell.touch(entry.ask.id)

    def waiting(self) -> Waiting:
        """For `host.waiting`."""
        self.cells[self.home] = None
        entry, ask = self.entry, self.entry.ask
        missing, shown = tuple(map(self.who, entry.missing)), tuple(map(self.who, self.seen))
        return Waiting(ask.id, ask.question.message, ask.scope, ask.asker, missing, shown, ask.opened)

    def describe(self) -> dict[str, Any]:
        """As plain data, for people. No answers in it."""
        entry, ask = self.entry, self.entry.ask
        return {
            "id": ask.id,
            "scope": str(ask.scope),
            "message": ask.question.message,
            "policy": repr(ask.policy),
            "asker": str(ask.asker.principal),
            "key": ask.key,
            "audience": list(map(str, entry.members)),
            "answered": list(map(str, entry.answers.by)),
            "seen": list(map(str, self.seen)),
            "waiters": len(self.waiters),
            "tasks": [task.name for task in self.waiters],
            "opened": ask.opened,
            "deadline": None if ask.deadline is None else ask.deadline.epoch,
        }
