"""A connection to a store in a file, and what SQLite's errors mean for who uses the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from .errors import StoreUnavailable
from .sqlite_files import HAS_LOCKS, identity

__all__ = ["Line", "check_library", "connect", "unavailable"]

_SOUND = (3, 51, 3)
"""Older ones can lose commits when one process writes while another copies the log back into the file."""

_WORDS: dict[type[apsw.Error], str] = {
    apsw.BusyError: "another program has locked it",
    apsw.LockedError: "another program has locked it",
    apsw.FullError: "the disk is full",
    apsw.IOError: "the disk cannot be read or written",
    apsw.CantOpenError: "its file cannot be opened",
    apsw.ReadOnlyError: "its file cannot be written",
    apsw.PermissionsError: "its file cannot be opened",
    apsw.CorruptError: "its file is damaged",
    apsw.NotADBError: "its file is not a database",
}
_MEND = ("keep a copy of the file as it is, and put a sound one in its place",)
_FAULTS = {apsw.CorruptError: _MEND, apsw.NotADBError: _MEND}

_UNSYNCED = {apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_IOERR_DIR_FSYNC}
"""What was written may be on the disk or not."""


def check_library(version: str) -> None:
    """Raises `StoreUnavailable` for a SQLite with the fault of WAL resets, where no lock keeps writers apart."""
    if not HAS_LOCKS and tuple(map(int, version.split("."))) < _SOUND:
        wanted = ".".join(map(str, _SOUND))
        raise StoreUnavailable(f"SQLite {version} can lose commits", faults=(f"install apsw {wanted} or later",))


@contextmanager
def unavailable() -> Iterator[None]:
    """Errors of SQLite and of the system come out as `StoreUnavailable`."""
    try:
        yield
    except apsw.Error as error:
        why = next((words for kind, words in _WORDS.items() if isinstance(error, kind)), "SQLite fails")
        unsynced = getattr(error, "extendedresult", 0) in _UNSYNCED
        raise StoreUnavailable(f"{why} ({error})", unsynced, _FAULTS.get(type(error), ())) from error
    except OSError as error:
        raise StoreUnavailable(f"{error.strerror or error}") from error


def connect(path: Path, seconds: float, vfs: str | None = None) -> apsw.Connection:
    """A connection that waits so long for locks of others, and leaves the log alone unless told otherwise."""
    connection = apsw.Connection(str(path), apsw.SQLITE_OPEN_READWRITE, vfs)
    connection.set_busy_timeout(int(seconds * 1000))
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    for strict in (apsw.SQLITE_DBCONFIG_DQS_DDL, apsw.SQLITE_DBCONFIG_DQS_DML):
        connection.config(strict, 0)  # a name that does not exist is an error, and no text
    return connection


class Line:
    """One connection to whatever file has the store's name now. For one thread at a time.

    `prepare` is done to each new connection. A file that is gone is missed, and one that was put in its place is used:
    SQLite alone would go on writing to what nobody will ever find again.
    """

    def __init__(self, path: Path, connect: Callable[[], apsw.Connection]) -> None:
        self._path = path
        self._connect = connect
        self._connection: apsw.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._closed = False

    def connection(self) -> apsw.Connection:
        """Raises `StoreUnavailable`, also once it is closed, and what `connect` raises."""
        if self._closed:
            raise StoreUnavailable("it was closed here")
        there = identity(self._path)
        if self._connection is None or there != self._identity:
            self._hang_up()
            self._connection, self._identity = self._connect(), there
        return self._connection

    def close(self) -> None:
        """Close it, for good."""
        self._closed = True
        self._hang_up()

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
