"""A bare compare-and-swap on each engine: a row, its version, one transaction, and nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import apsw
import psycopg

from questions.durable.postgres_address import Address

_ROWS = 16
_VALUE = "x" * 400  # about what a decision has
_TABLE = "create table if not exists bare (id integer primary key, version integer not null, value text not null)"
_FILL = "insert into bare values ({}) on conflict do nothing"
_BUSY_MS = 10_000


class Swaps(Protocol):
    """One row after the other gets its next version. For one thread."""

    def swap(self) -> None:
        """Durable when it returns."""


class _SqliteSwaps:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._number = 0

    def swap(self) -> None:
        """See `Swaps`."""
        self._number += 1
        id = self._number % _ROWS
        connection = self._connection
        connection.execute("begin immediate")
        version = connection.execute("select version from bare where id = ?", (id,)).get
        statement = "update bare set version = version + 1, value = ? where id = ? and version = ?"
        connection.execute(statement, (_VALUE, id, version))
        assert connection.changes() == 1
        connection.execute("commit")


class _PostgresSwaps:
    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection
        self._number = 0
        self._versions = [self._version(id) for id in range(_ROWS)]

    def swap(self) -> None:
        """See `Swaps`. Whoever was overtaken reads the version and tries again."""
        self._number += 1
        id = self._number % _ROWS
        statement = "update bare set version = version + 1, value = %s where id = %s and version = %s"
        while self._connection.execute(statement, (_VALUE, id, self._versions[id])).rowcount == 0:
            self._versions[id] = self._version(id)
        self._versions[id] += 1

    def _version(self, id: int) -> int:
        [version] = self._connection.execute("select version from bare where id = %s", (id,)).fetchone() or (0,)
        return int(version)


@contextmanager
def open_bare(where: str) -> Iterator[Swaps]:
    """Swaps beside a store, where `open_store` would open one; not in its tables."""
    with _sqlite(Path(where)) if not where.startswith("postgresql:") else _postgres(where) as swaps:
        yield swaps


@contextmanager
def _sqlite(folder: Path) -> Iterator[Swaps]:
    connection = apsw.Connection(str(folder / "bare.sqlite3"))
    try:
        connection.set_busy_timeout(_BUSY_MS)
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", "full")
        connection.execute(_TABLE)
        for id in range(_ROWS):
            connection.execute(_FILL.format(f"{id}, 1, ''"))
        yield _SqliteSwaps(connection)
    finally:
        connection.close()


@contextmanager
def _postgres(address: str) -> Iterator[Swaps]:
    with psycopg.connect(Address.parse(address).conninfo, autocommit=True) as connection:
        connection.execute(_TABLE)
        for id in range(_ROWS):
            connection.execute(_FILL.format(f"{id}, 1, ''"))
        yield _PostgresSwaps(connection)
