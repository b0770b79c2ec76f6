"""Reading and replacing the records of durable questions: a swap that was overtaken starts again."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from random import random

import trio
from msgspec.structs import replace

from facets.principal import Principal
from questions.durable_port import Step
from questions.entry import Due, Entry, Event, State
from questions.errors import UnknownQuestion

from .asks_record import Clocks, Record, read_record, written_record
from .asks_table import ASKS
from .backend import Backend, Before, Commit, Conflict, Found, Guard, Notice, Row, Scan, TooLate, Write
from .errors import ChangedConcurrently, Unreadable
from .swapping import committed
from .tokens import new_token

__all__ = ["AskRecords", "noticed"]

_ROUNDS = 40
"""How often a swap is begun, when other hosts are quicker each time; those of this host come one after the other."""
_PATIENT_ROUNDS = 4
"""After these there is a pause before each, up to so many seconds:"""
_PAUSE = 0.02
_REMEMBERED = 1_000
"""Unreadable records of which it is known that they have been logged."""

_log = logging.getLogger("questions")


class AskRecords:
    """The durable questions of an engine, for one host. `step` is the table of states; `now` the host's wall clock."""

    def __init__(self, backend: Callable[[], Backend], step: Step, now: Callable[[], float]) -> None:
        self._backend = backend
        self._step = step
        self._now = now
        self._unreadable: dict[str, int] = {}
        self._turns: dict[str, _Turn] = {}
        self._shown: dict[str, dict[Principal, None]] = {}

    @property
    def backend(self) -> Backend:
        """The engine. Raises `StoreUnavailable` once the store is closed."""
        return self._backend()

    @property
    def unsaved(self) -> Sequence[str]:
        """The ids of questions that somebody has been shown, which their records do not say yet."""
        return list(self._shown)

    def saw(self, id: str, principal: Principal) -> None:
        """Somebody was shown a question: goes into its record with whatever is written next."""
        self._shown.setdefault(id, {})[principal] = None

    def forget(self, id: str) -> None:
        """Who was shown a question is not to be written down, since that cannot be."""
        self._shown.pop(id, None)

    def clocks(self, now: int) -> Clocks:
        """A moment of the store's clock that is just now."""
        return Clocks.of(now, self._now())

    def readable(self, found: Found) -> list[Record]:
        """What is in these rows; what cannot be read is logged once, left out, and never written over."""
        clocks = self.clocks(found.now)
        records = (self._read(row, clocks) for row in found.rows)
        return [record for record in records if record is not None]

    def _read(self, row: Row, clocks: Clocks) -> Record | None:
        try:
            return read_record(row, clocks)
        except Unreadable as fault:
            if self._unreadable.get(row.key) != row.version and len(self._unreadable) < _REMEMBERED:
                self._unreadable[row.key] = row.version
                _log.warning("durable question %s cannot be read and is left as it is: %s", row.key, fault)
        return None

    async def named(self, name: str) -> tuple[int, Record | None]:
        """The question that stands for a name, if any does, and the moment at which it was read.

        Raises `Unreadable` for one of a newer version: to ask beside it would be to ask twice.
        """
        found = await self.backend.scan(Scan(ASKS, "name", (name,), 1))
        return found.now, read_record(found.rows[0], self.clocks(found.now)) if found.rows else None

    async def swap(self, id: str, event: Event | None) -> tuple[Record, bool]:
        """Apply its deadline if that has come, then the event: the record after that, and whether the event counted.

        What the deadline made of it stays when the event is refused. An event does not count for what has ended, and
        a `Due` only if it is. None: only who was shown it is written down. Raises `UnknownQuestion`, what the step
        raises, and `ChangedConcurrently`.
        """
        async with self.turn(id):
            for round in range(_ROUNDS):
                if round >= _PATIENT_ROUNDS:
                    await trio.sleep(_PAUSE * random())
                with suppress(Conflict, TooLate):
                    return await self._swap_once(id, event)
        raise ChangedConcurrently(id)

    async def _swap_once(self, id: str, event: Event | None) -> tuple[Record, bool]:
        found = await self.backend.get(ASKS, [id])
        if not (records := self.readable(found)):
            self._shown.pop(id, None)
            raise UnknownQuestion(id)
        [record] = records
        if record.is_due(found.now):
            return await self._put(record, Due(), found.now), isinstance(event, Due)
        if event is None or isinstance(event, Due) or not record.is_open:
            return await self._put(record, None, found.now), False
        return await self._put(record, event, found.now), True

    async def _put(self, record: Record, event: Event | None, now: int) -> Record:
        shown = [who for who in self._shown.get(record.id, ()) if who not in record.seen]
        if event is None and (not shown or not record.is_open):
            self._shown.pop(record.id, None)
            return record
        after = self.stepped(record, event, now) if event is not None else record
        after = replace(after, version=record.version + 1, seen=(*record.seen, *shown))
        # Q-SET-5: what was judged before the deadline must also happen before it.
        guards = [] if record.deadline is None or isinstance(event, Due) else [Before(record.deadline)]
        await self.commit([written_record(after)], [noticed(after)], guards)
        for who in shown:
            self._shown.get(record.id, {}).pop(who, None)
        if not self._shown.get(record.id, True):
            del self._shown[record.id]
        return after

    def stepped(self, record: Record, event: Event, now: int) -> Record:
        """The record after an event at a moment of the store's clock; not the version."""
        entry: Entry = self._step(record.entry, event)
        return replace(record, entry=entry, ended=None if entry.state is State.OPEN else now)

    async def commit(self, writes: Sequence[Write], notices: Sequence[Notice], guards: Sequence[Guard] = ()) -> None:
        """Commit under a name of its own, and find out what came of it. Raises what the engine refuses."""
        await committed(self.backend, Commit(new_token(), writes, notices, guards))

    @asynccontextmanager
    async def turn(self, id: str) -> AsyncIterator[None]:
        """One swap of a row after the other in this host: those would only be in each other's way."""
        turn = self._turns.setdefault(id, _Turn())
        turn.wanted += 1
        try:
            async with turn.lock:
                yield
        finally:
            turn.wanted -= 1
            if not turn.wanted:
                del self._turns[id]


class _Turn:
    def __init__(self) -> None:
        self.lock = trio.Lock()
        self.wanted = 0


def noticed(record: Record) -> Notice:
    """The line of the feed that a write of a record leaves. Nothing of what was asked or answered is in it."""
    return Notice(ASKS.name, record.id, record.version, f"ask.{record.entry.state.value}")
