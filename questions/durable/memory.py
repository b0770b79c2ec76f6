"""A store that lives as long as its process: for tests, and for decisions that need not outlive it."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar

import attrs
import trio

from .backend import (
    Before,
    Below,
    Changes,
    Column,
    Commit,
    Conflict,
    Feed,
    Found,
    Guard,
    GuardFailed,
    Index,
    Row,
    Scan,
    Table,
    TooLate,
    Unchanged,
    Write,
)

__all__ = ["MemoryBackend"]

_KEPT = 16_384
"""Lines of the feed."""


@attrs.define
class _Stored:
    version: int
    value: str | None
    columns: Mapping[str, Column]


class _Order:
    """One index: for each set of equal values the (order, key) of its rows, sorted."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.places: dict[tuple[Column, ...], list[tuple[int | str, str]]] = {}

    def put(self, key: str, columns: Mapping[str, Column]) -> None:
        if place := self._place(key, columns):
            insort(self.places.setdefault(place[0], []), place[1])

    def take(self, key: str, columns: Mapping[str, Column]) -> None:
        if place := self._place(key, columns):
            entries = self.places[place[0]]
            del entries[bisect_left(entries, place[1])]
            if not entries:
                del self.places[place[0]]

    def _place(
        self, key: str, columns: Mapping[str, Column]
    ) -> tuple[tuple[Column, ...], tuple[int | str, str]] | None:
        equal = tuple(columns.get(name) for name in self.index.equal)
        order = columns.get(self.index.order)
        return None if order is None or None in equal else (equal, (order, key))

    def walk(self, scan: Scan) -> Iterator[str]:
        entries = self.places.get(scan.equal, [])
        if self.index.descending:
            yield from self._descending(entries, scan)
            return
        start = 0 if scan.after is None else bisect_right(entries, scan.after)
        for order, key in entries[start : start + scan.limit]:
            if scan.until is not None and order > scan.until:  # type: ignore[operator]
                return
            yield key

    def _descending(self, entries: Sequence[tuple[int | str, str]], scan: Scan) -> Iterator[str]:
        """Largest first, and of the same order by key: groups of one order, from the end."""
        end = len(entries) if scan.after is None else bisect_left(entries, (scan.after[0], ""))
        left = scan.limit
        if scan.after is not None:
            until = bisect_left(entries, (scan.after[0], chr(0x10FFFF) * 2), end)
            rest = [key for _, key in entries[end:until] if key > scan.after[1]]
            yield from rest[:left]
            left -= len(rest)
        while end and left > 0:
            order = entries[end - 1][0]
            if scan.until is not None and order < scan.until:  # type: ignore[operator]
                return
            start = bisect_left(entries, (order, ""), 0, end)
            yield from (key for _, key in entries[start : min(end, start + left)])
            left -= end - start
            end = start


class MemoryBackend:
    """An engine in memory. `clock`: epoch milliseconds, read at every use. Nothing outlives the process."""

    name: ClassVar[str] = "memory"

    def __init__(self, tables: Sequence[Table], clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self._clock = clock
        self._rows: dict[str, dict[str, _Stored]] = {table.name: {} for table in tables}
        self._orders = {table.name: [_Order(index) for index in table.indexes] for table in tables}
        self._feed: list[Feed] = []
        self._dropped = 0
        self._sequence = 0
        self._tokens: set[str] = set()
        self._deleted: deque[tuple[int, str, str]] = deque()
        self._moved = trio.Event()

    async def commit(self, commit: Commit) -> None:
        """See `Backend`."""
        await trio.lowlevel.checkpoint()
        if commit.token in self._tokens:
            return
        for guard in commit.guards:
            self._check(guard)
        for write in commit.writes:
            self._expect(write.table, write.key, write.expected)
        for write in commit.writes:
            self._write(write)
        self._tell(commit)
        self._deleted.extend((self._sequence, one.table.name, one.key) for one in commit.writes if one.value is None)

    async def get(self, table: Table, keys: Sequence[str]) -> Found:
        """See `Backend`."""
        await trio.lowlevel.checkpoint()
        return Found(self._clock(), list(self._existing(table, keys)))

    async def scan(self, scan: Scan) -> Found:
        """See `Backend`."""
        await trio.lowlevel.checkpoint()
        return Found(self._clock(), list(self._existing(scan.table, self._order(scan.table, scan.index).walk(scan))))

    async def count(self, table: Table, index: str, equal: tuple[Column, ...]) -> int:
        """See `Backend`."""
        await trio.lowlevel.checkpoint()
        return self._count(table, index, equal)

    async def changes(self, after: int, limit: int = 1000) -> Changes:
        """See `Backend`."""
        await trio.lowlevel.checkpoint()
        if after < 0:
            return Changes((), self._sequence)
        start = max(0, after - self._dropped)
        lines = self._feed[start : start + limit]
        return Changes(lines, lines[-1].sequence if lines else max(after, self._dropped), after < self._dropped)

    async def moved(self, after: int) -> Changes:
        """See `Backend`."""
        while self._sequence <= after:
            await self._moved.wait()
        return await self.changes(after)

    async def now(self) -> int:
        """See `Backend`."""
        await trio.lowlevel.checkpoint()
        return self._clock()

    def _existing(self, table: Table, keys: Sequence[str] | Iterator[str]) -> Iterator[Row]:
        rows = self._rows[table.name]
        for key in keys:
            stored = rows.get(key)
            if stored is not None and stored.value is not None:
                yield Row(key, stored.version, stored.value)

    def _order(self, table: Table, name: str) -> _Order:
        return next(order for order in self._orders[table.name] if order.index.name == name)

    def _count(self, table: Table, index: str, equal: tuple[Column, ...]) -> int:
        return len(self._order(table, index).places.get(equal, ()))

    def _check(self, guard: Guard) -> None:
        match guard:
            case Before(instant):
                if self._clock() >= instant:
                    raise TooLate(instant)
            case Below(table, index, equal, limit):
                if self._count(table, index, equal) >= limit:
                    raise GuardFailed(guard)
            case Unchanged(table, key, version):
                self._expect(table, key, version)

    def _expect(self, table: Table, key: str, version: int) -> None:
        stored = self._rows[table.name].get(key)
        actual = 0 if stored is None else stored.version
        # A deleted key is none that never existed, and is nothing that could be written over.
        if actual != version or (stored is not None and stored.value is None):
            raise Conflict(table.name, key, actual)

    def _write(self, write: Write) -> None:
        rows, orders = self._rows[write.table.name], self._orders[write.table.name]
        before = rows.get(write.key)
        columns = write.columns if write.value is not None else {}
        rows[write.key] = _Stored(write.expected + 1, write.value, columns)
        for order in orders:
            if before is not None:
                order.take(write.key, before.columns)
            order.put(write.key, columns)

    def _tell(self, commit: Commit) -> None:
        for notice in commit.notices:
            self._sequence += 1
            self._feed.append(Feed(self._sequence, commit.token, notice))
            self._tokens.add(commit.token)
        if len(self._feed) > 2 * _KEPT:
            over = len(self._feed) - _KEPT
            for line in self._feed[:over]:
                self._tokens.discard(line.token)
            del self._feed[:over]
            self._dropped += over
            # A deleted key keeps its place until the line of the feed that says so is gone.
            while self._deleted and self._deleted[0][0] <= self._dropped:
                _, table, key = self._deleted.popleft()
                del self._rows[table][key]
        if commit.notices:
            self._moved.set()
            self._moved = trio.Event()
