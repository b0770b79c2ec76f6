"""Stages on a file of their own."""

import itertools
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path

from questions.durable.sqlite import open_sqlite
from questions.testing.engine_stage import THINGS, WORDS

TABLES = (THINGS, WORDS)


class SqliteStage:
    outlives = True

    def __init__(self, folder):
        running = itertools.count(1_700_000_000_000)
        self.clock = lambda: next(running)
        self.path = Path(folder) / "store.sqlite3"

    def open(self, tables=TABLES, **options):
        return open_sqlite(self.path, tables, lambda: self.clock(), **options)

    async def set_clock(self, now):
        self.clock = lambda: now


@asynccontextmanager
async def open_sqlite_stage():
    with tempfile.TemporaryDirectory() as folder:
        yield SqliteStage(folder)
