"""Stores for the tests of decisions: each test runs on every engine, under a clock that the test sets."""

from contextlib import asynccontextmanager

import pytest

from questions.durable import MemoryBackend, open_store
from questions.durable.store import TABLES
from tests.questions.durable.cases import T

__all__ = ["ENGINES", "EngineUnderTest"]


class EngineUnderTest:
    """One store, empty at first, with a clock of its own that stands at T until it is set."""

    name: str
    outlives = True
    """Whether what is stored outlives those who opened it."""

    def where(self):
        """What `open_store` takes."""
        raise NotImplementedError

    async def set_clock(self, now):
        """From now on the engine's clock stands there, for every opener."""
        raise NotImplementedError

    @asynccontextmanager
    async def open(self, **options):
        """Another opener of the same store, by default without a sweeper."""
        async with self.engine() as engine, open_store(engine, **{"sweep_ms": None, **options}) as store:
            yield store

    def engine(self):
        """Another opener of the same engine."""
        raise NotImplementedError


class Memory(EngineUnderTest):
    name = "memory"
    outlives = False

    def __init__(self, folder):
        self.now = T
        self.backend = MemoryBackend(TABLES, lambda: self.now)

    @asynccontextmanager
    async def engine(self):
        yield self.backend

    async def set_clock(self, now):
        self.now = now


ENGINES = {"memory": Memory}


@pytest.fixture(params=ENGINES)
async def engines(request, tmp_path):
    """An `EngineUnderTest` for each engine."""
    return ENGINES[request.param](tmp_path)


@pytest.fixture
async def store(engines):
    """A store on each engine."""
    async with engines.open() as opened:
        yield opened
