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

__all__ = ["FRESH", "STALE", "UNSEEN", "Pending"]

UNSEEN, STALE, FRESH = 0, 1, 2
"""What a board has shown of a question: nothing yet, an earlier value, the current one."""


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
    boards: dict[Board, int] = {}
    """The boards that it is on, and what each has shown of it: `UNSEEN`, `STALE` or `FRESH`."""
    gone: dict[Principal, None] | None = None
    """Whom it has been shown to, and whose board it is on no more."""
    fresh: bool = False
    """Whether any board has shown the current value, and has to be told of the next one (Q-VIEW-3)."""
    fresh_at_home: bool = False
    """The same of `host.waiting`."""
    timers: tuple[int, ...] = ()
    linger: int = 0
    """Of those, the one that ends it if nobody comes back to wait for it."""

    def __repr__(self) -> str:
        return f"Pending({self.entry.ask.id})"

    @property
    def seen(self) -> tuple[Principal, ...]:
        """Whom it has been shown to, leavers included (Q-POL-5)."""
        seen = dict(self.gone or {})
        for board, shown in self.boards.items():
            if shown:
                seen[board.principal] = None
        return tuple(seen)

    def swap(self, entry: Entry) -> None:
        """Take a new value, and tell whoever was shown the old one: once each, until they read again."""
        self.entry = entry
        self.tell_home()
        if self.fresh:
            self.fresh = False
            for board, shown in self.boards.items():
                if shown == FRESH:
                    self.boards[board] = STALE
                    board.open.touch(entry.ask.id)

    def tell_home(self) -> None:
        """Have `host.waiting` show it anew, if it was shown there."""
        if self.fresh_at_home:
            self.fresh_at_home = False
            self.home.touch(self.entry.ask.id)

    def take_off(self, board: Board, reason: str) -> None:
        """It is on this board no more; whether it was shown there stays known."""
        if self.boards.pop(board):
            self.gone = self.gone or {}
            self.gone[board.principal] = None
        board.open.drop(self.entry.ask.id, reason)

    def waiting(self) -> Waiting:
        """For `host.waiting`."""
        self.fresh_at_home = True
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
