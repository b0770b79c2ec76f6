"""One pending question in the store: its current value, and who waits for it, has seen it and is shown it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
import outcome
import trio

from facets.facet import Environment
from facets.keyed import KeyedCell
from facets.principal import Principal
from facets.waiting import Waiting

from .audience import LiveAudience
from .entry import Entry
from .figures import Tally
from .open_ask import OpenAsk

if TYPE_CHECKING:
    from .board import Board

__all__ = ["FRESH", "SENT", "STALE", "UNSEEN", "DurablePending", "Pending", "Waiter"]

UNSEEN, STALE, FRESH, SENT = 0, 1, 2, 3
"""What a board has shown of a question: nothing yet, an earlier value, the current one, or nothing that is known of:
the current value has gone out over a link, and nobody has said yet that it has arrived (Q-POL-5)."""


Waiter = trio.lowlevel.Task | Callable[[outcome.Outcome[Any]], None]
"""Who waits for the result: a task, or what is called with it by whoever has no task to wait in, such as a link."""


class Pending(msgspec.Struct, eq=False):
    """A slot whose value, the entry, is swapped. Belongs to the store."""

    durable: ClassVar[bool] = False
    """Whether its value is that of a record, which outlives this process, and which all that happens to it goes to."""
    entry: Entry
    environment: Environment
    """Says who is who, and has `host.waiting`, which shows it as work that waits."""
    tally: Tally
    """Of its store."""
    waiters: tuple[Waiter, ...]
    audience: LiveAudience | None = None
    boards: dict[Board, int] = {}
    """The boards that it is on, and what each has shown of it: `UNSEEN`, `STALE` or `FRESH`."""
    gone: dict[Principal, None] | None = None
    """Whom it has been shown to, and whose board it is on no more."""
    is_seen: bool = False
    """Whether anybody has been shown it."""
    fresh: bool = False
    """Whether any board has shown the current value, and has to be told of the next one (Q-VIEW-3)."""
    fresh_at_home: bool = False
    """The same of `host.waiting`."""
    timers: tuple[int, ...] = ()
    written: Any = None
    """What a surface has made of the current value, to be made once for all viewers (Q-VIEW-3); gone with the value."""
    asking: KeyedCell[str, Any, OpenAsk] | None = None
    """What its asker is shown of its own questions, if it looks."""
    linger: int = 0
    """Of those, the one that ends it if nobody comes back to wait for it."""

    def __repr__(self) -> str:
        return f"Pending({self.entry.ask.id})"

    @property
    def seen(self) -> tuple[Principal, ...]:
        """Whom it has been shown to, leavers included (Q-POL-5)."""
        seen = dict(self.gone or {})
        for board, shown in self.boards.items():
            if shown in (STALE, FRESH):
                seen[board.principal] = None
        return tuple(seen)

    @property
    def moves(self) -> bool:
        """Whether something else than an event can change it: a live audience, or a deadline."""
        return self.audience is not None or self.entry.ask.deadline is not None

    @property
    def is_kept(self) -> bool:
        """Whether it stays for a re-ask: it has a key, and no secret answer that must not wait for one (Q-KEY-4)."""
        ask = self.entry.ask
        return ask.key is not None and not (ask.question.secret and self.entry.answers.count > 0)

    def attach(self, waiter: Waiter) -> None:
        """One more waits for it."""
        self.tally.orphaned -= not self.waiters
        self.waiters += (waiter,)

    def detach(self, waiter: Waiter) -> None:
        """One of those that wait waits no more."""
        self.waiters = tuple(other for other in self.waiters if other is not waiter)
        self.tally.orphaned += not self.waiters

    def detach_all(self) -> tuple[Waiter, ...]:
        """Nobody waits for it any more. Returns who did."""
        waiters, self.waiters = self.waiters, ()
        self.tally.orphaned += bool(waiters)
        return waiters

    def swap(self, entry: Entry) -> None:
        """Take a new value, and tell whoever was shown the old one: once each, until they read again."""
        self.entry, self.written = entry, None
        self.tell_home()
        if self.fresh:
            self.fresh = False
            for board, shown in self.boards.items():
                if shown >= FRESH:
                    self.boards[board] = STALE if shown == FRESH else UNSEEN
                    board.open.touch(entry.ask.id)

    def send(self, board: Board) -> None:
        """A link sends the current value of it to whoever this board belongs to."""
        self.boards[board] = SENT if self.boards[board] in (UNSEEN, SENT) else FRESH
        self.fresh = True

    def arrived(self, board: Board) -> None:
        """What was sent has been shown there."""
        shown = self.boards.get(board)
        if shown in (UNSEEN, SENT):
            self.show(board, FRESH if shown == SENT else STALE)

    def show(self, board: Board, shown: int) -> None:
        """It has been shown there for the first time."""
        del self.boards[board]  # and put at the end: in the order of seeing it
        self.boards[board] = shown
        if not self.is_seen:
            self.is_seen = True
            self.tally.unseen -= 1
        self.tell_home()

    def tell_home(self) -> None:
        """Have `host.waiting`, if it was shown there, and its asker shown it anew."""
        if self.fresh_at_home:
            self.fresh_at_home = False
            self.environment.waiting.touch(self.entry.ask.id)
        if self.asking is not None:
            self.asking.touch(self.entry.ask.id)

    def take_off(self, board: Board, reason: str) -> None:
        """It is on this board no more; whether it was shown there stays known."""
        if self.boards.pop(board) in (STALE, FRESH):
            self.gone = self.gone or {}
            self.gone[board.principal] = None
        board.open.drop(self.entry.ask.id, reason)

    def waiting(self) -> Waiting:
        """For `host.waiting`."""
        self.fresh_at_home = True
        entry, ask, who = self.entry, self.entry.ask, self.environment.who
        missing, shown = tuple(map(who, entry.missing)), tuple(map(who, self.seen))
        return Waiting(ask.id, ask.question.message, ask.scope, ask.asker, missing, shown, ask.opened)

    def asked(self, now: Callable[[], float]) -> OpenAsk:
        """For its asker."""
        entry, ask, who = self.entry, self.entry.ask, self.environment.who
        answered, missing, seen = (tuple(map(who, some)) for some in (entry.answers.by, entry.missing, self.seen))
        message, limit = ask.question.message, ask.deadline
        return OpenAsk(ask.id, ask.key, message, answered, missing, seen, ask.opened, limit, now)

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
            "tasks": [waiter.name for waiter in self.waiters if isinstance(waiter, trio.lowlevel.Task)],
            "opened": ask.opened,
            "deadline": None if ask.deadline is None else ask.deadline.epoch,
        }


def _nobody_notes(_: str, __: Principal) -> None:
    return None


class DurablePending(Pending, eq=False):
    """The slot of a question whose value comes from a record. It is there whether anybody waits for it or not."""

    durable: ClassVar[bool] = True
    version: int = 0
    """Of the record that the value was read from."""
    recorded: tuple[Principal, ...] = ()
    """Who has been shown it by the record, on whichever host."""
    saw: Callable[[str, Principal], None] = _nobody_notes
    """Called with its id and whom it is shown to here."""

    @property
    def seen(self) -> tuple[Principal, ...]:
        """Whom it has been shown to, anywhere."""
        return tuple(dict.fromkeys([*self.recorded, *super().seen]))

    def note(self, version: int, seen: tuple[Principal, ...]) -> None:
        """What its record says beside the value."""
        self.version, self.recorded = version, seen
        if seen and not self.is_seen:
            self.is_seen = True
            self.tally.unseen -= 1
        self.tell_home()

    def attach(self, waiter: Waiter) -> None:
        """One more waits for it here; it is work of this host that waits, then."""
        self.waiters += (waiter,)
        if self.environment.waiting.fed:
            self.environment.waiting.put(self.entry.ask.id, self)

    def detach(self, waiter: Waiter) -> None:
        """One of those that wait here waits no more."""
        self.waiters = tuple(other for other in self.waiters if other is not waiter)
        self._stand_still_no_more()

    def detach_all(self) -> tuple[Waiter, ...]:
        """Nobody waits for it here any more. Returns who did."""
        waiters, self.waiters = self.waiters, ()
        self._stand_still_no_more()
        return waiters

    def _stand_still_no_more(self) -> None:
        if not self.waiters and self.environment.waiting.fed:
            self.environment.waiting.drop(self.entry.ask.id, "left")

    def show(self, board: Board, shown: int) -> None:
        """It has been shown there for the first time."""
        super().show(board, shown)
        if board.principal not in self.recorded:
            self.saw(self.entry.ask.id, board.principal)
