"""The writer of a store in a file: all commits that wait go into one transaction, each judged by itself, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import apsw

from .backend import Before, Below, Column, Commit, Conflict, Guard, GuardFailed, Table, TooLate, Unchanged
from .errors import StoreUnavailable
from .sqlite_connection import Line, connect, unavailable
from .sqlite_files import WriteLock, make
from .sqlite_schema import is_new, migrate, transaction
from .sqlite_tables import Relation, counting

__all__ = ["Writer"]

_KEPT = 16_384
"""Lines of the feed; up to `_TRIMMED` more, as trimming each time would cost more."""

_TRIMMED = 1024

_PAGE = 2048
"""Bytes. A commit changes few bytes of many pages, and all of these pages go to the disk."""

_WORTH = 2000
"""Pages of the log that are worth copying into the file: 4 MiB."""

_LONGEST_LOG = 16 * 1024 * 1024
"""Bytes of the log's file that are kept for the next writes; a larger one is cut when it starts again."""


_TELL = "insert into _feed (token, of, key, version, kind, data) values (?, ?, ?, ?, ?, ?)"


class _Unwritable(Exception):
    """A commit that SQLite cannot take: a value of another type than its column, or no text at all."""

    def __init__(self, place: int, error: Exception) -> None:
        self.place, self.error = place, error


class Writer:
    """Owns the connection that writes. All of it runs on one thread."""

    def __init__(
        self, path: Path, tables: Sequence[Table], clock: Callable[[], int], patience: float, vfs: str | None = None
    ) -> None:
        self._path = path
        self._tables = tables
        self._relations = {table.name: Relation(table) for table in tables}
        self._clock = clock
        self._patience = patience
        self._vfs = vfs
        self._line = Line(path, self._connect)
        self._lock: WriteLock | None = None
        self._in_log = 0
        self._worth = _WORTH

    def open(self) -> None:
        """Open the file, made if it is not there, and bring it up to date. Raises `StoreUnavailable`."""
        with unavailable():
            self._lock = WriteLock(self._path)
            with self._lock.held(self._patience):
                make(self._path)
                self._line.connection()

    def close(self) -> None:
        """Close the connection, after copying the log if that is worth it. Raises nothing."""
        if self._lock is not None:
            with suppress(StoreUnavailable):
                self.tidy()
            with suppress(StoreUnavailable), unavailable():
                self._line.close()  # which copies nothing, and so needs no lock
            # Whoever still comes must not lock what another file has got the numbers of these for.
            lock, self._lock = self._lock, None
            lock.close()

    def take(self, commits: Sequence[Commit]) -> Sequence[Exception | None]:
        """What `Turns` calls: each commit's end, None once it is on the disk."""
        if self._lock is None:
            return [StoreUnavailable("it was closed here")] * len(commits)
        try:
            with unavailable(), self._lock.held(self._patience):
                return self._batch(self._line.connection(), commits)
        except StoreUnavailable as fault:
            return [fault] * len(commits)

    def tidy(self) -> None:
        """Copy the log into the file if that is worth it: between turns, so that nobody waits for it if none come."""
        if self._lock is None or self._in_log < self._worth:
            return
        with unavailable(), self._lock.held(self._patience):
            pages, copied = self._line.connection().wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        # Somebody who is reading keeps the rest back; it is not tried again with every commit.
        self._worth = _WORTH if copied == pages else pages + _WORTH
        self._in_log = 0

    def _connect(self) -> apsw.Connection:
        connection = connect(self._path, self._patience, self._vfs)
        try:
            if self._vfs is not None:  # such a file cannot share memory with other connections
                connection.pragma("locking_mode", "exclusive")
            if is_new(connection):
                connection.pragma("page_size", _PAGE)
            if connection.pragma("journal_mode", "wal") != "wal":
                raise StoreUnavailable("its disk cannot hold a log that readers and the writer share")
            connection.pragma("synchronous", "full")
            connection.pragma("fullfsync", 1)  # elsewhere than on a Mac, a sync is one as it is
            connection.pragma("journal_size_limit", _LONGEST_LOG)
            migrate(connection, self._tables, self._clock())
            connection.set_wal_hook(self._logged)
        except BaseException:
            connection.close()
            raise
        return connection

    def _logged(self, _: apsw.Connection, __: str, pages: int) -> int:
        self._in_log = pages
        return apsw.SQLITE_OK

    def _batch(self, connection: apsw.Connection, commits: Sequence[Commit]) -> Sequence[Exception | None]:
        """One transaction. A commit that SQLite cannot take is left out, and all others are done over without it."""
        unwritable: dict[int, Exception] = {}
        while True:
            try:
                with transaction(connection):
                    return [
                        unwritable.get(place) or self._one(connection, commit, place)
                        for place, commit in enumerate(commits)
                    ]
            except _Unwritable as found:
                unwritable[found.place] = found.error

    def _one(self, connection: apsw.Connection, commit: Commit, place: int) -> Exception | None:
        try:
            if connection.execute("select 1 from _feed where token = ?", (commit.token,)).get is None:
                self._write(connection, commit, self._judge(connection, commit))
        except (Conflict, GuardFailed, TooLate) as refusal:
            return refusal
        except (apsw.ConstraintError, apsw.MismatchError, apsw.TooBigError, ValueError, TypeError, OverflowError) as e:
            raise _Unwritable(place, e) from e
        return None

    def _judge(self, connection: apsw.Connection, commit: Commit) -> Sequence[Sequence[Column]]:
        """How the columns of what is written stand until now."""
        for guard in commit.guards:
            self._check(connection, guard)
        return [self._expect(connection, write.table, write.key, write.expected) for write in commit.writes]

    def _check(self, connection: apsw.Connection, guard: Guard) -> None:
        match guard:
            case Before(instant):
                if self._clock() >= instant:
                    raise TooLate(instant)
            case Below(table, index, equal, limit):
                rows = connection.execute(counting(len(equal)), (table.name, index, *equal)).get
                if (rows or 0) >= limit:
                    raise GuardFailed(guard)
            case Unchanged(table, key, version):
                self._expect(connection, table, key, version)

    def _expect(self, connection: apsw.Connection, table: Table, key: str, version: int) -> Sequence[Column]:
        found = connection.execute(self._relations[table.name].standing, (key,)).get
        actual, is_there, *columns = found or (0, True)
        # A deleted key is none that never existed, and is nothing that could be written over.
        if actual != version or not is_there:
            raise Conflict(table.name, key, actual)
        return columns

    def _write(self, connection: apsw.Connection, commit: Commit, stood: Sequence[Sequence[Column]]) -> None:
        for notice in commit.notices:
            line = (commit.token, notice.table, notice.key, notice.version, notice.kind, notice.data)
            connection.execute(_TELL, line)
        end = connection.execute("select coalesce(max(sequence), 0) from _feed").get
        for write, columns in zip(commit.writes, stood, strict=True):
            connection.execute(*self._relations[write.table.name].writing(write, columns, end))
        if end // _TRIMMED != (end - len(commit.notices)) // _TRIMMED:
            self._trim(connection, end - _KEPT)

    def _trim(self, connection: apsw.Connection, upto: int) -> None:
        connection.execute("delete from _feed where sequence <= ?", (upto,))
        for relation in self._relations.values():
            connection.execute(relation.trim, (upto,))
