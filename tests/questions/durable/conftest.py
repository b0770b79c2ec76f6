"""Stores for the tests of decisions: each test runs on every engine, under a clock that the test sets."""

from contextlib import asynccontextmanager

import pytest

from questions.durable import MemoryBackend, open_store
from questions.durable.store import TABLES
from tests.questions.durable.cases import T
from tests.questions.durable.intercepting import Intercepting
from tests.questions.durable.postgres_stages import PostgresStage


class EngineUnderTest:
    """One store, empty at first, with a clock of its own that stands at T until it is set."""

    outlives = True
    """Whether what is stored outlives those who opened it."""

    def engine(self):
        """Another opener of the same engine."""
        raise NotImplementedError

    async def set_clock(self, now):
        """From now on the engine's clock stands there, for every opener."""
        raise NotImplementedError

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
    outlives = False

    def __init__(self, folder):
        self.now = T
        self.backend = MemoryBackend(TABLES, lambda: self.now)

    @asynccontextmanager
    async def engine(self):
        yield self.backend

    async def set_clock(self, now):
        self.now = now

    def drop(self):
        pass


class Postgres(EngineUnderTest):
    def __init__(self, folder):
        self.stage = PostgresStage()
        self.is_new = True

    @asynccontextmanager
    async def engine(self):
        async with self.stage.open(TABLES) as engine:
            if self.is_new:
                await self.set_clock(T)
            yield engine

    async def set_clock(self, now):
        self.is_new = False
        await self.stage.set_clock(now)

    def drop(self):
        self.stage.drop()


ENGINES = {"memory": Memory, "postgres": Postgres}


@pytest.fixture(params=ENGINES)
def engines(request, tmp_path):
    """An `EngineUnderTest` of each kind."""
    engine = ENGINES[request.param](tmp_path)
    yield engine
    engine.drop()


@pytest.fixture
async def store(engines):
    """A store on each engine."""
    async with engines.open() as opened:
        yield opened
