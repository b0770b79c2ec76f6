"""The engines that the tests of decisions run on, each with a clock that the test sets."""

from contextlib import asynccontextmanager
from typing import Any

from questions.durable import MemoryBackend, open_store
from questions.durable.sqlite import open_sqlite
from questions.durable.store import TABLES
from tests.questions.durable.cases import T
from tests.questions.durable.intercepting import Intercepting
from tests.questions.durable.postgres_stages import PostgresStage

__all__ = ["ENGINES", "OUTLIVING", "EngineUnderTest"]


class EngineUnderTest:
    """One store, empty at first, with a clock of its own that stands at T until it is set."""

    tables = TABLES
    where: Any = None
    """What another process opens, if what is stored outlives those who opened it."""

    def engine(self):
        """Another opener of the same engine."""
        raise NotImplementedError

    async def set_clock(self, now):
        """From now on the engine's clock stands there, for every opener."""
        raise NotImplementedError

    def drop(self):
        """Leave nothing behind."""

    @asynccontextmanager
    async def open(self, **options):
        """Another opener of the same store, by default without a sweeper."""
        async with self.engine() as engine, open_store(engine, **{"sweep_ms": None, **options}) as store:
            yield store

    @asynccontextmanager
    async def open_intercepted(self, **options):
        """Another opener of the same store, and the engine between them, to which things can happen."""
        async with self.engine() as engine:
            between = Intercepting(engine)
            async with open_store(between, **{"sweep_ms": None, **options}) as store:
                yield store, between


class Memory(EngineUnderTest):
    def __init__(self, folder):
        self.now = T
        self.backend = MemoryBackend(self.tables, lambda: self.now)

    @asynccontextmanager
    async def engine(self):
        yield self.backend

    async def set_clock(self, now):
        self.now = now


class Sqlite(EngineUnderTest):
    def __init__(self, folder):
        self.where = folder
        self.now = T

    def engine(self):
        return open_sqlite(self.where / "decisions.sqlite3", self.tables, lambda: self.now)

    async def set_clock(self, now):
        self.now = now


class Postgres(EngineUnderTest):
    def __init__(self, folder):
        self.stage = PostgresStage()
        self.where = self.stage.address
        self.is_new = True

    @asynccontextmanager
    async def engine(self):
        async with self.stage.open(self.tables) as engine:
            if self.is_new:
                await self.set_clock(T)
            yield engine

    async def set_clock(self, now):
        self.is_new = False
        await self.stage.set_clock(now)

    def drop(self):
        self.stage.drop()


ENGINES = {"memory": Memory, "sqlite": Sqlite, "postgres": Postgres}
OUTLIVING = ("sqlite", "postgres")
"""Those whose stores outlive a process."""
