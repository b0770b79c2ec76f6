"""The engine on a PostgreSQL server, once psycopg is known to be there; `postgres` opens it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, ClassVar

import trio

from .backend import Changes, Column, Commit, Feed, Found, Notice, Row, Scan, Table
from .postgres_address import Address
from .postgres_commits import Commits
from .postgres_connection import Line
from .postgres_functions import getting
from .postgres_reads import Reads
from .postgres_schema import prepare
from .postgres_tables import Query, Relation, place_of
from .turns import Turns, Worker

__all__ = ["PostgresBackend", "open_engine"]

_LINE = 32
"""Bits of a sequence that tell the line within its transaction."""


class PostgresBackend:
    """An engine on a PostgreSQL server. See `open_postgres`."""

    name: ClassVar[str] = "postgres"

    def __init__(
        self, turns: Turns, reads: Reads, schema: str, relations: dict[str, Relation], poll_seconds: float
    ) -> None:
        self._turns = turns
        self._reads = reads
        self._relations = relations
        self._poll = poll_seconds
        self._committed = trio.Event()
        self._clock = f'select "{schema}".questions_now()'
        self._counting = (
            f'select coalesce(sum(rows), 0)::bigint from "{schema}"._counters'
            " where of = %s and index = %s and place = %s"
        )
        self._following = f'select * from "{schema}"._changes(%s, %s, %s)'
        self._ending = f'select * from "{schema}"._end()'

    async def commit(self, commit: Commit) -> None:
        """See `Backend`."""
        await self._turns.submit(commit)
        self._committed.set()
        self._committed = trio.Event()

    async def get(self, table: Table, keys: Sequence[str]) -> Found:
        """See `Backend`."""
        now, rows = await self._reads.get(self._relations[table.name], keys)
        return Found(now, [rows[key] for key in keys if key in rows])

    async def scan(self, scan: Scan) -> Found:
        """See `Backend`."""
        rows = await self._reads.query(self._relations[scan.table.name].scanning(scan))
        return Found(rows[0][0], [Row(*row[1:]) for row in rows if row[1] is not None])

    async def count(self, table: Table, index: str, equal: tuple[Column, ...]) -> int:
        """See `Backend`."""
        return await self._number(Query(self._counting, [table.name, index, place_of(equal)]))

    async def changes(self, after: int, limit: int = 1000) -> Changes:
        """See `Backend`."""
        if after < 0:
            [end] = await self._reads.query(Query(self._ending))
            return Changes((), _sequence(*end))
        rows = await self._reads.query(Query(self._following, [*_parts(after), limit]))
        edge = _sequence(*rows[0][:2])
        lines = [_feed(*row[2:]) for row in rows if row[2] is not None]
        return Changes(lines, lines[-1].sequence if lines else max(after, edge), after < edge)

    async def moved(self, after: int) -> Changes:
        """See `Backend`."""
        while not (changes := await self.changes(after)).lines and not changes.gap:
            # What is committed here is told here; what others commit can only be looked for.
            with trio.move_on_after(self._poll):
                await self._committed.wait()
        return changes

    async def now(self) -> int:
        """See `Backend`."""
        return await self._number(Query(self._clock))

    async def _number(self, query: Query) -> int:
        [(number,)] = await self._reads.query(query)
        return int(number)


def _sequence(transaction: int, line: int) -> int:
    return transaction << _LINE | line


def _parts(sequence: int) -> tuple[int, int]:
    return sequence >> _LINE, sequence & ((1 << _LINE) - 1)


def _feed(transaction: int, line: int, token: str, *notice: Any) -> Feed:
    return Feed(_sequence(transaction, line), token, Notice(*notice))


@asynccontextmanager
async def open_engine(
    address: Address, tables: Sequence[Table], *, patience: float, poll_seconds: float
) -> AsyncIterator[PostgresBackend]:
    """See `open_postgres`."""
    relations = {table.name: Relation(table, address.schema) for table in tables}
    writing, reading = Line(address, patience), Line(address, patience)
    commits, getters = Commits(writing, address.schema, relations), {one: getting(one) for one in relations.values()}
    async with (
        Turns(commits.take, name="questions: writing to PostgreSQL") as turns,
        Reads(
            reading, {one: name for one, (name, _) in getters.items()}, name="questions: reading from PostgreSQL"
        ) as reads,
        _hung_up((turns, writing), (reads, reading)),
    ):
        functions = [commits.function, *getters.values()]
        prepared = partial(prepare, schema=address.schema, relations=list(relations.values()), functions=functions)
        await turns.run(partial(writing.run, prepared, patience=0))
        yield PostgresBackend(turns, reads, address.schema, relations, poll_seconds)


@asynccontextmanager
async def _hung_up(*pairs: tuple[Worker, Line]) -> AsyncIterator[None]:
    """When the block ends, nothing is tried again, and each thread hangs up."""
    try:
        yield
    finally:
        for _, line in pairs:
            line.hurry()
        with trio.CancelScope(shield=True):
            for worker, line in pairs:
                await worker.run(line.close)
