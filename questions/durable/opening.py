"""`open_store`: a store of decisions in a folder, in PostgreSQL, or in memory, for the length of a block."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from pathlib import Path

from facets.nursery import open_serving_nursery

from .backend import Backend, Table
from .errors import BadArgument
from .limits import StoreLimits
from .memory import MemoryBackend
from .postgres_address import is_address
from .settings import Settings
from .store import TABLES, Store
from .sweeping import sweep_for_ever

__all__ = ["open_store"]

_FILE = "decisions.sqlite3"
_SHORTEST_MS, _LONGEST_MS = 50, 60_000
_SHOWN = 200
"""Code points of a folder's path that a fault quotes."""


@asynccontextmanager
async def open_store(
    where: str | os.PathLike[str] | Backend,
    *,
    tables: Sequence[Table] = (),
    limits: StoreLimits | None = None,
    sweep_ms: int | None = 1000,
    safety_poll_ms: int = 1000,
) -> AsyncIterator[Store]:
    """A store of decisions, open for the block.

    `where`: a folder that is there, which gets the file `decisions.sqlite3`, for its owner alone; or
    `postgresql://[user@][host]/database[?schema=questions]`, without a password; or `":memory:"`, which outlives
    nothing; or an engine that is open, with the tables `TABLES`, and stays so.

    `tables`: further ones that the engine gets, for programs that keep something of their own in it.
    `limits`: what a new store begins with; one that has limits keeps them (`store.set_limits` changes them).
    `sweep_ms`: how often decisions whose time is over are moved on without being asked for, 50 to 60,000; None: never.
    `safety_poll_ms`: how often those who wait look although they heard nothing, 50 to 60,000.

    Leaving the block ends its waits with `StoreUnavailable`, and closes the engine when what it has begun is done; the
    decisions stay. Raises `BadArgument`, `MissingExtra`, and `StoreUnavailable` if the engine cannot be opened.
    """
    _check_times(sweep_ms, safety_poll_ms)
    async with _engine(where, (*TABLES, *tables)) as backend, open_serving_nursery() as nursery:
        if limits is not None:
            await Settings(backend).begin_with(limits)
        store = Store(backend, safety_poll_ms / 1000)
        await nursery.start(store.follower.run)
        if sweep_ms is not None:
            nursery.start_soon(sweep_for_ever, store.records, sweep_ms / 1000)
        try:
            yield store
        finally:
            store.close()


def _engine(where: str | os.PathLike[str] | Backend, tables: Sequence[Table]) -> AbstractAsyncContextManager[Backend]:
    """Engines are imported when they are used: a program that only lists decisions starts quickly."""
    if not isinstance(where, str | os.PathLike):
        return nullcontext(where)
    if where == ":memory:":
        return nullcontext(MemoryBackend(tables))
    if is_address(text := os.fspath(where)):
        from .postgres import open_postgres  # noqa: PLC0415  # it needs a library of its own

        return open_postgres(text, tables)
    from .sqlite import open_sqlite  # noqa: PLC0415  # as above

    return open_sqlite(_folder(text) / _FILE, tables)


def _folder(text: str) -> Path:
    """The folder, wherever this program goes later. What may be a misspelt address is not quoted: see `Address`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadArgument(["$.where: a folder whose path is no text in UTF-8; SQLite cannot name it"]) from None
    with suppress(FileNotFoundError):  # where this program stands is a folder that was deleted
        if os.path.isdir(text):  # noqa: PTH112  # which is false, and no error, for whatever cannot be a path
            return Path(text).absolute()
    shown = "" if {"@", "="} & set(text) else f"{text[:_SHOWN]!r} is "
    raise BadArgument([f"$.where: {shown}not a folder that is there; make it, or name another"])


def _check_times(sweep_ms: object, safety_poll_ms: object) -> None:
    times = {"safety_poll_ms": safety_poll_ms} | ({} if sweep_ms is None else {"sweep_ms": sweep_ms})
    faults = [
        f"$.{name}: a whole number of milliseconds from {_SHORTEST_MS} to {_LONGEST_MS}"
        for name, value in times.items()
        if type(value) is not int or not _SHORTEST_MS <= value <= _LONGEST_MS
    ]
    if faults:
        raise BadArgument(faults)
