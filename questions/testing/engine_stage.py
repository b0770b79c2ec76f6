"""What the conformance suite of engines plays on: stores that somebody else opens."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import wraps
from typing import Protocol

import trio

from questions.durable.backend import Backend, Commit, Found, Guard, Index, Notice, Scan, Table, Write
from questions.durable.errors import CommitRefused

from .stage import PATIENCE, require

__all__ = ["THINGS", "WORDS", "EngineCase", "EngineStage", "OpenEngineStage", "commit", "engine_case", "put", "refused"]

THINGS = Table(
    "things",
    {"state": str, "owner": str, "rank": int, "due": int},
    (
        Index("all", (), "rank", descending=True, counted=True),
        Index("by_state", ("state",), "rank", descending=True, counted=True),
        Index("by_owner", ("owner", "state"), "rank", counted=True),
        Index("due", ("state",), "due"),
    ),
)
WORDS = Table("words", {"word": str}, (Index("spelled", (), "word"),))
"""The two tables of the cases."""


class EngineStage(Protocol):
    """One store with the tables `THINGS` and `WORDS`, empty at first. Each case gets one of its own."""

    outlives: bool
    """Whether what is stored outlives the engine that stored it."""

    def open(self) -> AbstractAsyncContextManager[Backend]:
        """Another opener of the same store; one that outlives no engine gives the same engine again."""

    async def set_clock(self, now: int) -> None:
        """From now on the engine's clock stands at this instant, for every opener."""


OpenEngineStage = Callable[[], AbstractAsyncContextManager[EngineStage]]
"""Opens a stage for the length of a block."""

EngineCase = Callable[[OpenEngineStage], Awaitable[None]]
"""One case: `await case(open_stage)` returns, or raises what is wrong. Its name and docstring say what it shows."""


def engine_case(play: Callable[[EngineStage, Backend], Awaitable[None]]) -> EngineCase:
    """A case of a function that plays on an open engine. What fails has a note with the case, and in time."""

    @wraps(play)
    async def run(open_stage: OpenEngineStage) -> None:
        try:
            async with open_stage() as stage, stage.open() as backend:
                with trio.move_on_after(6 * PATIENCE) as patience:
                    await play(stage, backend)
                require(not patience.cancelled_caught, f"it was to be over in {6 * PATIENCE:g} s, and was not")
        except Exception as error:
            error.add_note(f"{play.__name__}: {play.__doc__}")
            raise

    return run


def commit(*writes: Write, guards: Sequence[Guard] = (), token: str | None = None, kind: str = "put") -> Commit:
    """A commit with a line of the feed for each write."""
    notices = [Notice(write.table.name, write.key, write.expected + 1, kind, f"{write.key}!") for write in writes]
    return Commit(secrets.token_urlsafe(12) if token is None else token, writes, notices, guards)


def put(key: str, expected: int = 0, value: str | None = "v", table: Table = THINGS, **columns: str | int) -> Write:
    """A write of a thing, open and of rank 0 unless said otherwise."""
    return Write(table, key, expected, value, {"state": "open", "rank": 0, **columns} if table is THINGS else columns)


@asynccontextmanager
async def refused(kind: type[CommitRefused], words: str) -> AsyncIterator[None]:
    """The block has to raise this refusal."""
    try:
        yield
    except kind:
        return
    except CommitRefused as error:
        raise AssertionError(f"{words} must be refused with {kind.__name__}, but was with {error.code}") from error
    raise AssertionError(f"{words} must be refused with {kind.__name__}, but it was accepted")


async def keys(backend: Backend, index: str, *equal: str | int, limit: int = 100, **bounds: object) -> list[str]:
    """The keys that a scan of things finds."""
    found: Found = await backend.scan(Scan(THINGS, index, equal, limit, **bounds))  # type: ignore[arg-type]
    return [row.key for row in found.rows]
