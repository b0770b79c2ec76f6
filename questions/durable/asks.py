"""`durable_asks`: what `questions_facet.configured(durable=...)` takes, over a store that is open."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import NoReturn

import trio

from facets.errors import Retryable
from facets.principal import Principal
from questions.durable_port import DurableAsk, Kept, Step
from questions.entry import Due, Event
from questions.errors import UnknownQuestion
from questions.scopes import Scope

from .asks_opening import AskOpening
from .asks_record import Record, name_of
from .asks_records import AskRecords
from .asks_table import ASKS
from .backend import Conflict, Found, Notice, Row, Scan, Write
from .repeating import repeat
from .settings import Settings
from .store import Store

__all__ = ["DurableAskStore", "durable_asks"]

_AT_ONCE = 100
"""Records that are read, or written, in one go."""
_DROPPED_AT_ONCE = 100
_DROPPING_SECONDS = 60.0

_log = logging.getLogger("questions")


def durable_asks(store: Store) -> DurableAskStore:
    """Keep durable questions in a store: `questions_facet.configured(durable=durable_asks(store))`.

    Any number of hosts may have the same store, here and in other processes: each shows all that is open in it, to
    those who may view it, and takes answers. The store has to be open for longer than the hosts. Results are kept for
    the `retention_ms` of its limits.
    """
    return DurableAskStore(store)


class DurableAskStore:
    """A store as the questions facet takes it. Made by `durable_asks`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def asks(self, step: Step, now: Callable[[], float]) -> _HostAsks:
        """For one host. See `DurableStore`."""
        return _HostAsks(self._store, step, now)


class _HostAsks:
    """The durable questions of a store as one host sees them. See `DurableAsks`."""

    def __init__(self, store: Store, step: Step, now: Callable[[], float]) -> None:
        self._store = store
        self._records = AskRecords(lambda: store.backend, step, now)
        self._opening = AskOpening(self._records)
        self._heard: dict[str, None] = {}
        self._open: dict[str, None] = {}
        self._missed = False
        self._nudged = trio.Event()
        self._next_dropping = 0.0

    async def begin(self) -> Sequence[Kept]:
        """See `DurableAsks`."""
        self._store.follower.listen(ASKS.name, self._hear)  # first listen, then read
        records = await self._all_open()
        now = await self._records.backend.now()
        # What has ended while nothing ran is shown to nobody; it is settled once this follows.
        return [self._known(record) for record in records if not record.is_due(now)]

    async def follow(self, take: Callable[[Kept], object]) -> NoReturn:
        """See `DurableAsks`."""
        self._store.follower.listen(ASKS.name, self._hear)
        try:
            await repeat(lambda: self._look(take), "following durable questions")
        finally:
            self._missed = True  # what is said while nobody follows
            self._store.follower.unlisten(ASKS.name, self._hear)

    async def ask(self, ask: DurableAsk) -> Sequence[Kept]:
        """See `DurableAsks`."""
        found = await self._opening.ask(ask)
        self._nudged.set()  # its deadline may be the next one
        return found

    async def report(self, id: str, event: Event) -> tuple[Kept, bool]:
        """See `DurableAsks`."""
        record, counts = await self._records.swap(id, event)
        return record.kept, counts

    async def find(self, id: str) -> Kept | None:
        """See `DurableAsks`."""
        try:
            record, _ = await self._records.swap(id, None)
        except UnknownQuestion:
            return None
        return record.kept

    async def named(self, asker: Principal, scope: Scope, key: str) -> str | None:
        """See `DurableAsks`."""
        _, found = await self._records.named(name_of(asker, scope, key))
        return None if found is None else found.id

    def saw(self, id: str, principal: Principal) -> None:
        """See `DurableAsks`."""
        self._records.saw(id, principal)
        self._nudged.set()

    def _hear(self, id: str | None) -> None:
        if id is None:
            self._missed = True
        else:
            self._heard[id] = None
        self._nudged.set()

    def _known(self, record: Record) -> Kept:
        if record.is_open:
            self._open[record.id] = None
        else:
            self._open.pop(record.id, None)
        return record.kept

    async def _all_open(self) -> list[Record]:
        found: list[Record] = []
        after: tuple[int | str, str] | None = None
        limit = _AT_ONCE
        while True:
            page = await self._records.backend.scan(Scan(ASKS, "open", (1,), limit, after=after))
            records = self._records.readable(page)
            found += records
            if len(page.rows) < limit:
                return found
            if records:
                after = (records[-1].opened, records[-1].id)
            else:  # what cannot be read must not hide what stands behind it
                limit *= 2

    async def _look(self, take: Callable[[Kept], object]) -> None:
        """Once: what was heard of, what is due, who was shown what; then wait for more of that."""
        self._nudged = trio.Event()
        if self._missed:
            await self._rescan()
        await self._read_heard(take)
        wait = await self._move_on(take)
        await self._write_seen(take)
        await self._drop_old()
        with trio.move_on_after(0 if self._records.unsaved else wait):
            await self._nudged.wait()

    async def _write_seen(self, take: Callable[[Kept], object]) -> None:
        """Some at a time, so that hundreds of cards that somebody opens do not hold up what others do."""
        ids = self._records.unsaved[:_AT_ONCE]
        for id in set(ids) - await self._swap_all(ids, None, take):
            self._records.forget(id)

    async def _swap_all(self, ids: Sequence[str], event: Due | None, take: Callable[[Kept], object]) -> set[str]:
        """Swap records, side by side so that they share commits. Returns those with which nothing is wrong."""
        done: set[str] = set()
        lost: list[Exception] = []

        async def swap(id: str) -> None:
            try:
                record, _ = await self._records.swap(id, event)
                take(self._known(record))
                done.add(id)
            except Retryable as error:
                lost.append(error)
            except UnknownQuestion:  # dropped meanwhile
                pass
            except Exception:  # of new code; all the others are not to wait for it
                _log.exception("durable question %s cannot be settled, and stays as it is", id)

        async with trio.open_nursery() as nursery:
            for id in ids:
                nursery.start_soon(swap, id)
        if lost:
            raise lost[0]
        return done

    async def _rescan(self) -> None:
        self._missed = False
        try:
            for record in await self._all_open():
                self._open[record.id] = None
        except BaseException:
            self._missed = True
            raise
        self._heard |= self._open

    async def _read_heard(self, take: Callable[[Kept], object]) -> None:
        while ids := list(self._heard)[:_AT_ONCE]:
            for id in ids:
                del self._heard[id]
            try:
                found = await self._records.backend.get(ASKS, ids)
            except BaseException:
                self._heard |= dict.fromkeys(ids)
                raise
            for record in self._records.readable(found):
                take(self._known(record))

    async def _move_on(self, take: Callable[[Kept], object]) -> float:
        """Settle what is due, and say after how many seconds to look again."""
        poll = self._store.follower.safety_poll
        stuck: set[str] = set()
        while True:
            limit = _AT_ONCE + len(stuck)
            found = await self._records.backend.scan(Scan(ASKS, "due", (1,), limit))
            fresh = [row for row in found.rows if row.key not in stuck]
            records = self._records.readable(Found(found.now, fresh))
            due = [record.id for record in records if record.is_due(found.now)]
            stuck |= {row.key for row in fresh} - await self._swap_all(due, Due(), take)
            if len(due) < len(records):
                return min(poll, ((records[len(due)].deadline or 0) - found.now) / 1000)
            if len(found.rows) < limit:
                return poll

    async def _drop_old(self) -> None:
        """What has ended for longer than results are kept; whoever else is at it may be first."""
        if trio.current_time() < self._next_dropping:
            return
        backend = self._records.backend
        limits, now = await Settings(backend).read(), await backend.now()
        until = now - limits.retention_ms - 1
        old = (await backend.scan(Scan(ASKS, "final", (1,), _DROPPED_AT_ONCE, until=until))).rows
        if old:
            writes, notices = [Write(ASKS, row.key, row.version, None) for row in old], list(map(_dropped, old))
            try:
                await self._records.commit(writes, notices)
            except Conflict:
                return
        if len(old) < _DROPPED_AT_ONCE:
            self._next_dropping = trio.current_time() + _DROPPING_SECONDS


def _dropped(row: Row) -> Notice:
    return Notice(ASKS.name, row.key, row.version + 1, "ask.dropped")
