"""Commits on a PostgreSQL server: a batch of them in one transaction, each judged by itself.

Who commits has read what he expects, and mostly finds it: so all of a batch is judged here as if that were so, and sent
in one statement, which does it if it is. If not, or if there is something to be counted, it takes two round trips: one
that locks and looks, and one that writes what survives.

Everything is locked in the same order, so that two batches never wait for each other in a circle: the lock of those who
count, the locks of keys that are not there, rows by table and key. Then all that judging needs is read, at one instant
after the locks. Then rows are written, by table and key again, the feed, and the counters last, so that they are locked
only shortly.

A counter is a row that everybody changes. Each process therefore has one of sixteen, and they are summed when read.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import attrs
import msgspec
import psycopg

from .backend import Before, Below, Commit, Unchanged
from .errors import BadArgument, StoreUnavailable
from .postgres_connection import UNSTORABLE, Dialled, Line
from .postgres_functions import committing
from .postgres_schema import GUARDED, WRITING, lock_number
from .postgres_tables import Relation, place_of
from .verdicts import Ledger, Standing, counted, expectations

__all__ = ["KEPT", "Commits"]

KEPT = 16_384
"""Lines of the feed, at least."""
_TRIMMED_EVERY = 4_096
_SHARDS = 16
_UNSTORABLE = "$: text with U+0000 or half a surrogate pair, or a number of more than 64 bits, cannot be stored"


@attrs.define
class _Batch:
    commits: Sequence[Commit]
    edge: tuple[int, int] | None
    """Where the feed began before the first try, or earlier; None: that is not known."""
    unknown: bool = False
    """Whether it may have happened, in a try whose end was not told."""

    @contextmanager
    def writing(self) -> Iterator[None]:
        """What is lost within the block may have happened."""
        try:
            yield
        except psycopg.Error as error:
            self.unknown = self.unknown or not _undone(error)
            raise


class _Found(msgspec.Struct):
    """What the function that commits answers."""

    fits: bool
    now: int
    happened: list[str]
    rows: list[tuple[str, list[list[Any]]]]
    counts: list[tuple[str, str, str, int]]
    edge: tuple[int, int]


class Commits:
    """The writing end of a store, for one thread. `relations`: its tables by their names."""

    def __init__(self, line: Line, schema: str, relations: dict[str, Relation]) -> None:
        self._line = line
        self._schema = schema
        self._relations = relations
        self._shard = random.randrange(_SHARDS)
        # Not all of many processes that live shortly may count from nothing.
        self._untrimmed = random.randrange(_TRIMMED_EVERY)
        self.function = committing(schema, list(relations.values()))
        """The name of the function that commits, and the statement that makes it."""
        self._edge: tuple[int, int] | None = None
        self._call = f"select {self.function[0]}(%s::json)"

    def take(self, commits: Sequence[Commit]) -> Sequence[BaseException | None]:
        """Commit them; for each the exception of its caller, if any. Raises `StoreUnavailable` for all of them."""
        self._trim()
        batch = _Batch(commits, self._edge)
        try:
            return self._line.run(partial(self._once, batch))
        except UNSTORABLE:
            if len(commits) == 1:
                return [BadArgument([_UNSTORABLE])]
            return [fault for commit in commits for fault in self.take([commit])]
        except StoreUnavailable as error:
            raise StoreUnavailable(error.why, batch.unknown, error.faults) from None

    def _trim(self) -> None:
        if self._untrimmed < _TRIMMED_EVERY:
            return
        self._untrimmed = 0
        with suppress(StoreUnavailable):  # whoever comes next is told, if it still is
            self._line.run(lambda line: line.execute(f'select "{self._schema}"._trim(%s)', (KEPT,)), patience=0)

    def _once(self, batch: _Batch, connection: Dialled) -> Sequence[BaseException | None]:
        return self._at_once(batch, connection) or self._in_two(batch, connection)

    def _at_once(self, batch: _Batch, connection: Dialled) -> Sequence[BaseException | None]:
        """Commit in one statement, if all is as those who commit expect; if not, nothing is done, and returned."""
        if batch.edge is None or any(counted(batch.commits)):
            return ()
        ledger = Ledger.assumed(batch.commits)
        stood = dict(ledger.rows)
        verdicts = [ledger.judge(commit) for commit in batch.commits]
        with batch.writing():
            found = self._ask(connection, self._look(batch.commits) | self._writes(ledger, stood))
        return verdicts if found.fits else ()

    def _in_two(self, batch: _Batch, connection: Dialled) -> Sequence[BaseException | None]:
        """Look first, with everything locked, and write then what survives."""
        connection.execute("begin")
        found = self._ask(connection, self._look(batch.commits) | {"before": 0})
        ledger = self._ledger(found, batch.commits)
        stood = dict(ledger.rows)
        verdicts: list[BaseException | None] = [ledger.judge(commit) for commit in batch.commits]
        batch.edge = found.edge if batch.edge is None else batch.edge
        if batch.unknown and found.edge != batch.edge:
            # Its token may have gone with the lines that are not kept, so a refusal may be due to itself.
            verdicts = [verdict and StoreUnavailable("a connection was lost", unknown=True) for verdict in verdicts]
        if not ledger.written and not ledger.lines:
            connection.rollback()
            return verdicts
        expected = {place: stood[place].version if place in stood else 0 for place in ledger.written}
        with batch.writing():
            if not self._ask(connection, {"expected": _by_table(expected)} | self._writes(ledger, stood)).fits:
                raise psycopg.errors.SerializationFailure("somebody else has made a key that was not there")
            connection.execute("commit")
        return verdicts

    def _ask(self, connection: Dialled, given: Mapping[str, Any]) -> _Found:
        [(answer,)] = connection.execute(self._call, [msgspec.json.encode(given).decode()])
        found = msgspec.json.decode(answer, type=_Found)
        self._edge = found.edge
        self._untrimmed += len(given.get("lines", ())) if found.fits else 0
        return found

    def _look(self, commits: Sequence[Commit]) -> dict[str, Any]:
        """What is to be locked and read to judge commits."""
        instants = [guard.instant for commit in commits for guard in commit.guards if isinstance(guard, Before)]
        return {
            "locks": self._locks(commits),
            "expected": _by_table(expectations(commits)),
            "tokens": [commit.token for commit in commits],
            "before": min(instants, default=None),
            "below": sorted({(of, index, place_of(equal)) for of, index, equal in counted(commits)}),
        }

    def _locks(self, commits: Sequence[Commit]) -> list[tuple[int, bool]]:
        """Locks that stand for what is no row, and whether they are to be had alone."""
        guards = [guard for commit in commits for guard in commit.guards]
        absent = {guard.table.name for guard in guards if isinstance(guard, Unchanged) and not guard.version}
        new = {write.table.name for commit in commits for write in commit.writes if not write.expected}
        wanted = [(GUARDED, True)] if any(isinstance(guard, Below) for guard in guards) else []
        wanted += [(f"new {name}", name in absent) for name in sorted(absent | new)]
        wanted.append((WRITING, False))
        return [(lock_number(self._schema, what), alone) for what, alone in wanted]

    def _ledger(self, found: _Found, commits: Sequence[Commit]) -> Ledger:
        rows = {
            (name, key): Standing(version, gone, dict(zip(self._relations[name].looked_by, columns, strict=True)))
            for name, some in found.rows
            for key, version, gone, *columns in some
        }
        sums = {(of, index, place): rows for of, index, place, rows in found.counts}
        counts = {
            (of, index, equal): sums.get((of, index, place_of(equal)), 0) for of, index, equal in counted(commits)
        }
        return Ledger(found.now, rows, set(found.happened), counts)

    def _writes(self, ledger: Ledger, stood: Mapping[tuple[str, str], Standing]) -> dict[str, Any]:
        """What is to be written. Rows in the order of their keys, as everywhere."""
        rows: dict[str, list[dict[str, Any]]] = {}
        for (table, key), write in sorted(ledger.written.items(), key=lambda item: item[0]):
            had = stood.get((table, key))
            rows.setdefault(table, []).append(self._relations[table].row(write, had.version if had else 0))
        lines = [
            (token, part, line.table, line.key, line.version, line.kind, line.data)
            for token, part, line in ledger.lines
        ]
        return {"rows": rows, "lines": lines, "shard": self._shard}


def _by_table(versions: Mapping[tuple[str, str], int]) -> dict[str, list[tuple[str, int]]]:
    expected: dict[str, list[tuple[str, int]]] = {}
    for (table, key), version in versions.items():
        expected.setdefault(table, []).append((key, version))
    return expected


def _undone(error: psycopg.Error) -> bool:
    """Whether the server says that the transaction has not happened; a lost connection says nothing."""
    if isinstance(error, psycopg.DataError | psycopg.IntegrityError):
        return True
    return (error.sqlstate or "").startswith(("25006", "40", "42", "53", "55"))
