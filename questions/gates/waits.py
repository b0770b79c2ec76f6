"""Waiting for decisions to end: one reader for all who wait in this process, woken by the feed of the store."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NoReturn

import attrs
import trio

from facets.errors import Retryable
from questions.durable.errors import UnknownDecision
from questions.durable.listening import store_closed
from questions.durable.repeating import repeat
from questions.durable.store import Store
from questions.errors import QuestionError

from .records import read_request
from .resolution import Resolution
from .settled_records import read_resolution
from .stored import Stored
from .tables import REQUESTS, RESOLUTIONS

__all__ = ["Waits"]

_AT_ONCE = 500
"""Decisions that are read in one go."""


@attrs.define(eq=False)
class _Watch:
    """A decision that somebody waits for. `ended` is None while it is open; an error is for those who wait."""

    id: str
    waiting: int = 0
    ended: Resolution | QuestionError | None = None
    told: trio.Event = attrs.field(factory=trio.Event)


class Waits:
    """All who wait for decisions here. A line of the feed is a hint; what counts is read. Lives as long as the store.

    While the store cannot be reached those who wait go on waiting.
    """

    def __init__(self, store: Store, stored: Stored) -> None:
        self._store = store
        self._stored = stored
        self._watches: dict[str, _Watch] = {}
        self._to_read: dict[str, None] = {}
        self._nudged = trio.Event()
        self._closed = False

    @property
    def watched(self) -> int:
        """How many decisions are waited for here."""
        return len(self._watches)

    async def run(self) -> NoReturn:
        """Read what is waited for, until cancelled."""
        await repeat(self._look, "waiting for decisions of gates")

    def close(self) -> None:
        """Let all who wait know that the store is closed."""
        self._closed = True
        for watch in self._watches.values():
            watch.told.set()

    async def ended(self, id: str) -> Resolution:
        """How a decision ends, once it has. Raises `UnknownDecision`, and `StoreUnavailable` once the store is closed.

        Cancelled, it leaves nothing behind.
        """
        watch = self._watches.setdefault(id, _Watch(id))
        watch.waiting += 1
        self._store.follower.listen(RESOLUTIONS.name, self._hear)  # first subscribe, then read
        self._hear(id)
        try:
            if not self._closed:
                await watch.told.wait()
        finally:
            watch.waiting -= 1
            if not watch.waiting and self._watches.get(id) is watch:
                del self._watches[id]
            if not self._watches:
                self._store.follower.unlisten(RESOLUTIONS.name, self._hear)
        if watch.ended is None:
            raise store_closed()
        if isinstance(watch.ended, QuestionError):
            raise watch.ended
        return watch.ended

    def _hear(self, id: str | None) -> None:
        ids: Sequence[str] = list(self._watches) if id is None else [id]
        self._to_read |= {one: None for one in ids if one in self._watches}
        if self._to_read:
            self._nudged.set()

    async def _look(self) -> None:
        with trio.move_on_after(self._store.follower.safety_poll if self._watches else math.inf) as scope:
            await self._nudged.wait()
        self._nudged = trio.Event()
        ids = list(self._to_read)
        self._to_read.clear()  # a hint that comes while it is read stands: what was read may be older
        try:
            if scope.cancelled_caught:
                ids = await self._unheard()
            for start in range(0, len(ids), _AT_ONCE):
                await self._read(ids[start : start + _AT_ONCE])
        except Retryable:
            self._hear(None)
            raise

    async def _unheard(self) -> list[str]:
        """Hints can be lost: what has ended of all that is waited for. What is open is not read for that."""
        ids, ended = list(self._watches), list[str]()
        for start in range(0, len(ids), _AT_ONCE):
            settled = await self._stored.backend.get(RESOLUTIONS, ids[start : start + _AT_ONCE])
            ended += [row.key for row in settled.rows]
        return ended

    async def _read(self, ids: Sequence[str]) -> None:
        """What cannot be read is told to those who wait for it, and to nobody else."""
        # The resolutions first: a decision that is dropped in between is then unknown, and nobody waits for it.
        settled = {row.key: row.value for row in (await self._stored.backend.get(RESOLUTIONS, ids)).rows}
        requests = {row.key: row.value for row in (await self._stored.backend.get(REQUESTS, ids)).rows}
        for id in ids:
            if id not in requests:
                self._tell(id, UnknownDecision(id))
            elif id in settled:
                self._tell(id, _read(requests[id], settled[id]))

    def _tell(self, id: str, ended: Resolution | QuestionError) -> None:
        if watch := self._watches.pop(id, None):
            watch.ended = ended
            watch.told.set()


def _read(request: str, settled: str) -> Resolution | QuestionError:
    try:
        return read_resolution(settled, read_request(request))
    except QuestionError as fault:
        return fault
