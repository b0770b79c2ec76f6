"""A store in a file of this machine, for any number of its processes."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from facets.errors import MissingExtra

from .backend import Backend, Table

__all__ = ["open_sqlite"]


@asynccontextmanager
async def open_sqlite(
    path: str | os.PathLike[str],
    tables: Sequence[Table],
    clock: Callable[[], int] | None = None,
    *,
    patience: float = 5.0,
    poll_seconds: float = 0.002,
) -> AsyncIterator[Backend]:
    """An engine on a SQLite file, for as long as the block lasts. Every commit is on the disk before it returns.

    `path`: the file, made with mode 0600 if it is not there, in a folder that is. Beside it are its log (`-wal`,
    `-shm`) and two empty files (`-queue`, `-turn`) at which writers wait for their turn.
    `clock`: epoch milliseconds, read at every use; this machine's own unless given.

    `patience`: seconds for which whoever has locked the file is waited for before who waits gets `StoreUnavailable`.
    `poll_seconds`: how often the feed is looked at for commits of other processes, while somebody waits for them.

    Two threads live as long as the block, and none after it; leaving it, also by cancellation, waits for what they
    have begun.

    Raises `MissingExtra` without apsw, and `StoreUnavailable` if the file is on a network disk, is damaged, is of
    another program or of a later version, or cannot be opened for another reason; it is left as it is then.
    """
    try:
        from .sqlite_engine import open_engine  # noqa: PLC0415  # apsw comes with an extra
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "apsw":
            raise
        raise MissingExtra("A store in a file", "apsw", "sqlite", 'keep the decisions in ":memory:"') from None
    now = clock or _now
    async with open_engine(Path(path), tables, now, patience=patience, poll_seconds=poll_seconds) as engine:
        yield engine


def _now() -> int:
    return time.time_ns() // 1_000_000
