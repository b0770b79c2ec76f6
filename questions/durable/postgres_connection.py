"""One connection to a PostgreSQL server, for one thread: bounded in time, dialled again when it is lost.

Nothing is kept in the session of the server, so that a pooler may give every transaction another one.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Generator
from typing import Any, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from facets.link.backoff import Backoff

from .errors import BadArgument, StoreUnavailable
from .postgres_address import Address

__all__ = ["UNSTORABLE", "Dialled", "Line"]

T = TypeVar("T")

UNSTORABLE = (psycopg.DataError, UnicodeError)
"""What comes of U+0000, of half a surrogate pair, and of numbers that are too large."""

_DEFAULTS: dict[str, str | int] = {
    "application_name": "questions",
    "connect_timeout": 3,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
}
_SILENCE = 10.0
"""Seconds that one turn may take before the server is taken for dead. Its own limits are below that."""

_AGAIN = ("08", "40", "57", "23505", "25P03", "25P04", "53300", "55P03")
"""Beginnings of the codes of what may go well the next time."""


class Dialled(psycopg.Connection):
    """A connection that does not wait for ever."""

    until = float("inf")
    """On the monotonic clock."""

    def wait(self, gen: Generator[Any, Any, T], *arguments: Any, **named: Any) -> T:
        """Raises `psycopg.OperationalError` when its time is over; the connection is of no use after that."""
        return super().wait(self._bounded(gen), *arguments, **named)

    def _bounded(self, gen: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        """The waiting looks up several times a second, with nothing that is ready."""
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready and time.monotonic() >= self.until:
                    raise psycopg.OperationalError("the server does not answer")
                wanted = gen.send(ready)
        except StopIteration as end:
            value: T = end.value
            return value


class Line:
    """The way to the server for one thread: connects when it is first used, and again when that is lost.

    `patience`: seconds for which a lost server is looked for, from when it was first missed; after that each use
    tries once. Raises `BadArgument` for an address that libpq does not take.
    """

    def __init__(self, address: Address, patience: float = 5.0) -> None:
        self._conninfo = _conninfo(address)
        self._patience = patience
        self._connection: Dialled | None = None
        self._missed: float | None = None
        self._closing = threading.Event()

    def run(self, once: Callable[[Dialled], T], patience: float | None = None) -> T:
        """What `once` returns, tried again while there is hope; each time on a connection outside a transaction.

        Raises `StoreUnavailable`, and `UNSTORABLE` for values that the server does not take.
        """
        pauses = Backoff(random.random, 0.01, 0.5)
        start = time.monotonic()
        while True:
            try:
                result = self._turn(once)
            except UNSTORABLE:
                self._recover()
                raise
            except psycopg.Error as error:
                self._recover()
                if not _hopeful(error):
                    self.close()  # a new one may lead to another server
                    raise StoreUnavailable(_reason(error)) from None
                limit = (self._missed or start) + (self._patience if patience is None else patience)
                if time.monotonic() >= limit:
                    raise StoreUnavailable(_reason(error)) from None
                if self._closing.wait(pauses.pause()):
                    raise StoreUnavailable("it was closed here") from None
            else:
                self._missed = None
                return result

    def hurry(self) -> None:
        """From any thread: nothing is tried again from now on."""
        self._closing.set()

    def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _turn(self, once: Callable[[Dialled], T]) -> T:
        if self._connection is not None and _is_lost(self._connection):
            self.close()  # before anything is sent of which nobody could say what came of it
        if self._connection is None:
            if self._closing.is_set():
                raise StoreUnavailable("it was closed here")
            self._connection = Dialled.connect(self._conninfo, autocommit=True, prepare_threshold=None)
        self._connection.until = time.monotonic() + _SILENCE
        return once(self._connection)

    def _recover(self) -> None:
        """Whatever the connection is in the middle of: out of it, or away with it."""
        connection = self._connection
        try:
            if connection is not None and not connection.closed:
                connection.until = time.monotonic() + 1
                connection.rollback()
                return
        except psycopg.Error:
            pass
        self.close()
        self._missed = self._missed or time.monotonic()


def _conninfo(address: Address) -> str:
    try:
        given = conninfo_to_dict(address.conninfo)
    except psycopg.ProgrammingError:  # which quotes the address, and there may be a secret in a wrong place of it
        raise BadArgument(["$.where: is not an address of PostgreSQL, or has an unknown option"]) from None
    return make_conninfo(address.conninfo, **{name: value for name, value in _DEFAULTS.items() if name not in given})


def _is_lost(connection: Dialled) -> bool:
    """Whether the server has hung up meanwhile: what it has said at last is read first, and then that it is gone."""
    try:
        connection.pgconn.consume_input()
        connection.pgconn.consume_input()
    except psycopg.OperationalError:
        return True
    return False


def _hopeful(error: psycopg.Error) -> bool:
    return error.sqlstate is None or error.sqlstate.startswith(_AGAIN)


def _reason(error: psycopg.Error) -> str:
    """What went wrong, in one line, without any value of a row."""
    return error.diag.message_primary or next(iter(str(error).splitlines()), type(error).__name__)
