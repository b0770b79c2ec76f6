"""The open entries of a store: swapped, settled once, and what time, audiences and lost waiters do to them.

All of it is plain: no await, so nothing comes between taking an entry out and waking who waits for it (Q-SET-2).
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from typing import Any, Literal

import attrs
import msgspec
import outcome
from trio import current_time
from trio.lowlevel import Task, reschedule

from facets.actor import Actor
from facets.facet import Environment
from facets.principal import Principal

from .audience import LiveAudience
from .audiences import LiveAudiences
from .config import QuestionsConfig
from .endings import Ending, Endings, KeyName
from .entry import Close, Due, Entry, Event, Joined, Left, State, Withdraw
from .errors import StoreClosed
from .pending import Pending, Waiter
from .publishing import Publishing
from .room import Room
from .timers import Timers

__all__ = ["IsAway", "OpenEntries"]

_log = logging.getLogger("questions")
_OPEN = State.OPEN
IsAway = Callable[[], bool] | None
"""Whether a waiter that is cancelled has lost its link, and may come back (Q-KEY-3)."""


class OpenEntries(Actor):
    """All open questions of one host, whoever has brought them in: `PendingQuestions` does."""

    def __init__(self, environment: Environment) -> None:
        super().__init__("pending questions")
        self._environment = environment
        self._logic = environment.logic
        self._now = environment.now
        self._who = environment.who
        self._config: QuestionsConfig = environment.config
        self._epoch = secrets.token_hex(5)  # Q-SET-4: no id is used again, across restarts too
        self._count = 0
        self._open: dict[str, Pending] = {}
        self._keys: dict[KeyName, Pending] = {}
        self._timers: Timers[tuple[str, Literal["deadline", "linger"]]] = Timers()
        self._audiences = LiveAudiences(self.wake)
        limits = self._config.limits
        self._room = Room(limits)
        self.endings = Endings(self._config.retain, limits.endings, limits.results)
        self.publishing = Publishing(environment, self.after)
        """Who is shown what."""
        self._closed: str | None = None
        environment.waiting.add_source(self._standing_still)

    def _standing_still(self) -> dict[str, Pending]:
        return {id: pending for id, pending in self._open.items() if pending.waiters or not pending.durable}

    def _arm(self, pending: Pending, at: float, what: Literal["deadline", "linger"]) -> int:
        number = self._timers.arm(at, (pending.entry.ask.id, what))
        pending.timers += (number,)
        self.alarm(at)
        return number

    def _wake(self, waiter: Waiter, result: outcome.Outcome[Any]) -> None:
        if type(waiter) is Task:
            reschedule(waiter, result)
        else:  # somebody's own code, which may call this store again
            self.after(waiter, result)

    def leave(self, pending: Pending, waiter: Waiter, is_away: IsAway) -> bool:
        """Take one waiter away, and with the last one the question (Q-KEY-5); False if it has its result already."""
        self._bring_up_to_date(pending)
        if waiter not in pending.waiters:
            return False
        pending.detach(waiter)
        if not pending.waiters and not pending.durable:
            if is_away is not None and is_away() and pending.is_kept:
                self._let_linger(pending)
            else:
                self._apply_surely(pending, Withdraw())  # Q-SET-6; an abort function must not raise
        return True

    def _bring_up_to_date(self, pending: Pending) -> None:
        """Q-ASK-3: the audience's current value, then what is due."""
        if pending.audience is not None:
            self._refresh(pending.audience)
        deadline = pending.entry.ask.deadline
        if deadline is None or pending.durable:  # what happens to a durable one happens to its record first
            return
        if pending.entry.ask.id in self._open and deadline.due(current_time()):
            self._apply_surely(pending, Due())

    def _refresh(self, audience: LiveAudience) -> None:
        change = audience.refresh()
        if change is None:
            return
        joined, left = change
        for id in list(audience.open):
            if joined:
                self._apply_surely(self._open[id], Joined(joined))
            if left and id in self._open:
                self._apply_surely(self._open[id], Left(left))

    def _apply(self, pending: Pending, event: Event) -> None:
        """The one place where entries are swapped."""
        entry: Entry = self._logic.settlement.step(pending.entry, event)
        if entry.state is not _OPEN:
            self._settle(pending, entry, event)
            return
        pending.swap(entry)
        if self._room.counts:
            self._room.changed(entry)
        if isinstance(event, Joined):
            self.publishing.joined(pending, event.principals)
        elif isinstance(event, Left):
            self.publishing.left(pending, event.principals)

    def _settle(self, pending: Pending, entry: Entry, event: Event | None = None) -> None:
        """Take the entry out, wake its waiters, tell the boards: once, with nothing in between (Q-SET-2)."""
        ask = entry.ask
        del self._open[ask.id]
        if self._room.counts:
            self._room.ended(ask)
        key = None
        if ask.key is not None and not pending.durable:
            key = (ask.scope, ask.asker.principal, ask.key)
            del self._keys[key]
        for number in pending.timers:
            self._timers.cancel(number)
        if pending.audience is not None:
            self._audiences.leave(pending.audience, ask.id)
        if isinstance(event, Left):
            self.publishing.left(pending, event.principals)
        pending.entry = entry
        seen = pending.seen
        self.endings.put(Ending(entry, seen), key, current_time())
        waiters = pending.detach_all()
        for waiter in waiters:
            self._wake(waiter, self._outcome(entry, seen))
        self.publishing.settled(pending, entry)

    def _outcome(self, entry: Entry, seen: tuple[Principal, ...]) -> outcome.Outcome[Any]:
        try:
            result = self._logic.settlement.result(entry, seen, self._who)
        except Exception:  # of new code; who waits must not wait for ever
            _log.exception("question %s: its result cannot be made", entry.ask.id)
            result = StoreClosed("its result cannot be made")
        return outcome.Error(result) if isinstance(result, Exception) else outcome.Value(result)

    def tick(self) -> float:
        """Apply what changed audiences and passed deadlines bring."""
        for audience in self._audiences.changed():
            self._refresh(audience)
        while (due := self._timers.pop_due(current_time())) is not None:
            id, what = due
            pending = self._open.get(id)
            if pending is not None and (what == "deadline" or not pending.waiters):
                self._apply_surely(pending, Due() if what == "deadline" else Withdraw())
        return self._timers.nearest()

    def _apply_surely(self, pending: Pending, event: Event) -> None:
        """As `_apply`, but a question whose logic fails is closed, rather than failing all the others with it."""
        try:
            self._apply(pending, event)
        except Exception:
            _log.exception("question %s cannot be settled and is closed", pending.entry.ask.id)
            if pending.entry.ask.id in self._open:
                self._cut_off(pending)

    def _cut_off(self, pending: Pending) -> None:
        """Close a question without asking its logic, which may be what has failed."""
        self._settle(pending, msgspec.structs.replace(pending.entry, state=State.CLOSED))

    def failed(self, error: Exception) -> None:  # noqa: ARG002  # it may quote an answer, and is not passed on
        """Q-KEY-3: a crash is no denial. Waiters get `StoreClosed`; keyed questions stay for a re-ask."""
        for pending in list(self._open.values()):
            if pending.is_kept:
                self._orphan(pending, StoreClosed("it crashed and was started again"))
            else:
                self._cut_off(pending)

    def _orphan(self, pending: Pending, error: StoreClosed) -> None:
        waiters = pending.detach_all()
        for waiter in waiters:
            self._wake(waiter, outcome.Error(attrs.evolve(error)))
        if waiters and not pending.durable:  # without any it lingers already
            self._let_linger(pending)

    def _let_linger(self, pending: Pending) -> None:
        if self._config.linger != float("inf"):
            pending.linger = self._arm(pending, current_time() + self._config.linger, "linger")

    def close(self) -> None:
        """Close every open question; later asks get `StoreClosed`. Again does nothing.

        Durable ones are only shown no more.
        """
        self._closed = "its host has closed"
        for pending in list(self._open.values()):
            self._close_one(pending)

    def _close_one(self, pending: Pending) -> None:
        if pending.durable:
            self._cut_off(pending)
            return
        try:
            self._bring_up_to_date(pending)
        except Exception:
            _log.exception("question %s: its last events are lost", pending.entry.ask.id)
        if pending.entry.ask.id in self._open:
            self._apply_surely(pending, Close())
