"""An engine to which things happen: between a read and its commit, after a commit, while it cannot be reached."""

from collections import Counter
from typing import ClassVar

import trio

from questions.durable.errors import StoreUnavailable

__all__ = ["Intercepting", "lost"]


class Intercepting:
    """Passes everything on to a real engine.

    `before`, `after`: what is done around the next commits, each once. `away`: names of methods that cannot be reached.
    `calls`: how often each was called, until now.
    """

    name: ClassVar[str] = "intercepted"

    def __init__(self, engine):
        self.engine = engine
        self.before: list = []
        self.after: list = []
        self.away: set[str] = set()
        self.calls: Counter[str] = Counter()
        self._moved = trio.Event()
        self._ended: Counter[str] = Counter()

    async def called(self, verb, times=1):
        """Wait until so many calls of a method have ended."""
        while self._ended[verb] < times:
            await self._moved.wait()

    def forget(self):
        """Count from here."""
        self.calls.clear()
        self._ended.clear()

    async def _pass(self, verb, *arguments):
        self.calls[verb] += 1
        try:
            if verb in self.away:
                raise StoreUnavailable("it is away")
            return await getattr(self.engine, verb)(*arguments)
        finally:
            self._ended[verb] += 1
            self._moved.set()
            self._moved = trio.Event()

    async def commit(self, commit):
        if self.before:
            await self.before.pop(0)()
        await self._pass("commit", commit)
        if self.after:
            await self.after.pop(0)()

    async def get(self, table, keys):
        return await self._pass("get", table, keys)

    async def scan(self, scan):
        return await self._pass("scan", scan)

    async def count(self, table, index, equal):
        return await self._pass("count", table, index, equal)

    async def changes(self, after, limit=1000):
        return await self._pass("changes", after, limit)

    async def moved(self, after):
        return await self._pass("moved", after)

    async def now(self):
        return await self._pass("now")


async def lost():
    """The connection breaks before anybody is told what came of it."""
    raise StoreUnavailable("the connection broke", unknown=True)
