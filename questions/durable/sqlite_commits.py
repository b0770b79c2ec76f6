"""The writer of a store in a file: all commits that wait go into one transaction, each judged by itself, in order.

What judging needs is read first, then all that survives is written, as few statements as there are kinds of change:
between two statements a thread has to have the interpreter again, and others want it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path

import apsw

from .backend import Column, Commit, Table
from .errors import StoreUnavailable
from .sqlite_connection import Line, connect, unavailable
from .sqlite_files import WriteLock, make
from .sqlite_schema import is_new, migrate, transaction
from .sqlite_tables import Relation, among, counting, in_lots, telling
from .verdicts import Ledger, Standing, counted, touched

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


_KEPT_READY = 4
"""Rows of statements that are likely to come again."""

_TOLD = "select token from _feed where token"

_UNWRITABLE = (apsw.ConstraintError, apsw.MismatchError, apsw.TooBigError, ValueError, TypeError, OverflowError)
"""What comes of a value of another type than its column, or of what is no text at all."""


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
        """One transaction; if there is a commit in it that SQLite cannot take, that one is found by halves."""
        try:
            with transaction(connection):
                ledger = self._ledger(connection, commits)
                stood = dict(ledger.rows)
                verdicts = [ledger.judge(commit) for commit in commits]
                self._write(connection, ledger, stood)
                return verdicts
        except _UNWRITABLE as error:
            if len(commits) == 1:
                return [error]
            half = len(commits) // 2
            return [*self._batch(connection, commits[:half]), *self._batch(connection, commits[half:])]

    def _ledger(self, connection: apsw.Connection, commits: Sequence[Commit]) -> Ledger:
        """What is stored, as far as these commits go: each table and the feed in one statement."""
        happened = {token for [token] in connection.execute(*among(_TOLD, [commit.token for commit in commits]))}
        rows = {
            (name, key): Standing(version, not is_there, dict(zip(relation.columns, columns, strict=True)))
            for name, keys in touched(commits).items()
            for relation in [self._relations[name]]
            for key, version, is_there, *columns in connection.execute(*relation.standing(keys))
        }
        counts = {
            (of, index, equal): connection.execute(counting(len(equal)), (of, index, *equal)).get or 0
            for of, index, equal in set(counted(commits))
        }
        return Ledger(self._clock(), rows, happened, counts)

    def _write(self, connection: apsw.Connection, ledger: Ledger, stood: Mapping[tuple[str, str], Standing]) -> None:
        end = self._tell(connection, ledger)
        alike: dict[tuple[Relation, tuple[str, ...] | None], list[Sequence[Column]]] = {}
        for place, write in ledger.written.items():
            relation = self._relations[write.table.name]
            moved, values = relation.written(write, stood.get(place), end)
            alike.setdefault((relation, moved), []).append(values)
        for (relation, moved), rows in alike.items():
            for some in in_lots(rows):
                _run(connection, relation.writing(moved, len(some)), some)
        if end // _TRIMMED != (end - len(ledger.lines)) // _TRIMMED:
            self._trim(connection, end - _KEPT)

    def _tell(self, connection: apsw.Connection, ledger: Ledger) -> int:
        """Write the lines of the feed: where it ends then."""
        lines = [(token, line.table, line.key, line.version, line.kind, line.data) for token, _, line in ledger.lines]
        for some in in_lots(lines):
            _run(connection, telling(len(some)), some)
        if lines:
            return connection.last_insert_rowid()
        return int(connection.execute("select coalesce(max(sequence), 0) from _feed").get)

    def _trim(self, connection: apsw.Connection, upto: int) -> None:
        connection.execute("delete from _feed where sequence <= ?", (upto,))
        for relation in self._relations.values():
            connection.execute(relation.trim, (upto,))


def _run(connection: apsw.Connection, statement: str, rows: Sequence[Sequence[Column]]) -> None:
    """Have a statement for so many rows. Larger ones are not kept ready: each number of rows has its own."""
    connection.execute(statement, list(chain.from_iterable(rows)), can_cache=len(rows) <= _KEPT_READY)
