"""The engine on a SQLite file, once apsw is known to be there; `sqlite` opens it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import ClassVar, TypeVar

import apsw
import trio
from msgspec import Struct, field

from .backend import Changes, Column, Commit, Found, Row, Scan, Table
from .sqlite_commits import Writer
from .sqlite_connection import check_library, unavailable
from .sqlite_files import refuse_network_disk
from .sqlite_reads import Reads
from .turns import Turns, Worker

__all__ = ["SqliteBackend", "open_engine"]

T = TypeVar("T")

_FEW = 16
"""Keys or lines that are read at once: a hop to a thread and back takes as long as reading five or six keys."""


_MOST = 256
"""Keys that are read at once for several tasks."""


class _Together(Struct):
    """What several tasks ask a table for in one step of the loop, and what was found."""

    keys: dict[str, None] = field(default_factory=dict)
    found: tuple[int, dict[str, Row]] | None = None


class SqliteBackend:
    """An engine on a SQLite file. See `open_sqlite`."""

    name: ClassVar[str] = "sqlite"

    def __init__(
        self, turns: Turns, here: Reads, worker: Worker, there: Reads, clock: Callable[[], int], poll_seconds: float
    ) -> None:
        self._turns = turns
        self._here = here
        self._worker = worker
        self._there = there
        self._clock = clock
        self._poll = poll_seconds
        self._committed = trio.Event()
        self._together: dict[str, _Together] = {}

    async def commit(self, commit: Commit) -> None:
        """See `Backend`."""
        await self._turns.submit(commit)
        self._committed.set()
        self._committed = trio.Event()

    async def get(self, table: Table, keys: Sequence[str]) -> Found:
        """See `Backend`."""
        if len(keys) > _FEW:
            return await self._read(lambda reads: reads.get(table, keys))
        together = self._together.get(table.name)
        if together is None or len(together.keys) > _MOST:
            together = self._together[table.name] = _Together()
        together.keys.update(dict.fromkeys(keys))
        await trio.lowlevel.checkpoint()
        if together.found is None:  # the first one to go on reads for all who have asked in the same step
            if self._together.get(table.name) is together:
                del self._together[table.name]
            found = await self._quickly(lambda reads: reads.get(table, list(together.keys)))
            together.found = found.now, {row.key: row for row in found.rows}
        now, rows = together.found
        return Found(now, [rows[key] for key in keys if key in rows])

    async def scan(self, scan: Scan) -> Found:
        """See `Backend`."""
        return await self._read(lambda reads: reads.scan(scan))

    async def count(self, table: Table, index: str, equal: tuple[Column, ...]) -> int:
        """See `Backend`."""
        await trio.lowlevel.checkpoint()
        return await self._quickly(lambda reads: reads.count(table, index, equal))

    async def changes(self, after: int, limit: int = 1000) -> Changes:
        """See `Backend`."""
        await trio.lowlevel.checkpoint()
        few = await self._quickly(lambda reads: reads.changes(after, min(limit, _FEW)))
        if len(few.lines) < _FEW or limit <= _FEW:
            return few
        return await self._read(lambda reads: reads.changes(after, limit))

    async def moved(self, after: int) -> Changes:
        """See `Backend`."""
        await trio.lowlevel.checkpoint()
        while await self._quickly(Reads.end) == after:
            # What is committed here is told here; what others commit can only be looked for.
            with trio.move_on_after(self._poll):
                await self._committed.wait()
        return await self.changes(after)

    async def now(self) -> int:
        """See `Backend`."""
        await trio.lowlevel.checkpoint()
        return self._clock()

    async def _quickly(self, read: Callable[[Reads], T]) -> T:
        """Read here and now, with no checkpoint; but if somebody has locked the file, wait elsewhere."""
        with unavailable(), suppress(apsw.BusyError, apsw.LockedError):
            return read(self._here)
        return await self._read(read)

    async def _read(self, read: Callable[[Reads], T]) -> T:
        return await self._worker.run(_reading, read, self._there)


def _reading(read: Callable[[Reads], T], reads: Reads) -> T:
    with unavailable():
        return read(reads)


@asynccontextmanager
async def open_engine(
    path: Path, tables: Sequence[Table], clock: Callable[[], int], *, patience: float, poll_seconds: float
) -> AsyncIterator[SqliteBackend]:
    """See `open_sqlite`."""
    check_library(apsw.sqlite_lib_version())
    refuse_network_disk(path)
    writer = Writer(path, tables, clock, patience)
    here, there = Reads(path, tables, clock, 0), Reads(path, tables, clock, patience)
    async with (
        Worker(name="questions: reading a file") as worker,
        Turns(writer.take, rest=writer.tidy, name="questions: writing a file") as turns,
    ):
        try:
            await turns.run(writer.open)
            yield SqliteBackend(turns, here, worker, there, clock, poll_seconds)
        finally:
            with trio.CancelScope(shield=True):
                here.close()
                await worker.run(there.close)
                await turns.run(writer.close)
