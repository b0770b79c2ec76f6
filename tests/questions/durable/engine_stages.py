"""Stages of the engines' conformance suite: one for each engine."""

import itertools
from contextlib import asynccontextmanager

from questions.durable.memory import MemoryBackend
from questions.testing.engine_stage import THINGS, WORDS

__all__ = ["MemoryStage", "open_memory_stage"]

TABLES = (THINGS, WORDS)


class MemoryStage:
    outlives = False

    def __init__(self):
        running = itertools.count(1_700_000_000_000)
        self.clock = lambda: next(running)
        self.backend = MemoryBackend(TABLES, lambda: self.clock())

    @asynccontextmanager
    async def open(self):
        yield self.backend

    async def set_clock(self, now):
        self.clock = lambda: now


@asynccontextmanager
async def open_memory_stage():
    yield MemoryStage()
