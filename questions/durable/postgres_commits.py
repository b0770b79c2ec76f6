"""Commits on a PostgreSQL server: a batch of them in one transaction of two round trips, each judged by itself.

First everything is locked, always in the same order, so that two batches never wait for each other in a circle: the
lock of those who count, the locks of keys that are not there, rows by table and key. Then all that judging needs is
read, at one instant after the locks. What survives is written and committed in the second round trip: rows that are
new, by table and key again, rows that change, the feed, and the counters last, so that they are locked only shortly.

A counter is a row that everybody changes. Each process therefore has one of sixteen, and they are summed when read.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain

import attrs
import psycopg

from .backend import Below, Commit, Unchanged
from .errors import BadArgument, StoreUnavailable
from .postgres_connection import UNSTORABLE, Dialled, Line
from .postgres_schema import GUARDED, WRITING, lock_number
from .postgres_tables import Query, Relation, place_of
from .verdicts import Ledger, Standing, counted, touched

__all__ = ["KEPT", "Commits"]

KEPT = 16_384
"""Lines of the feed, at least."""
_TRIMMED_EVERY = 4_096
_SHARDS = 16
_UNSTORABLE = "$: text with U+0000 or half a surrogate pair, or a number of more than 64 bits, cannot be stored"

_LIMITS = (
    "set_config('statement_timeout', '6000', true), set_config('idle_in_transaction_session_timeout', '2000', true),"
    " set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on'"
    " else current_setting('synchronous_commit') end, true)"
)
"""What is acknowledged is on disk, and a client that stands still blocks others for two seconds."""
_WAITING = ", set_config('transaction_timeout', '8000', true)"
_HOLDING = ", set_config('transaction_timeout', '0', true), set_config('transaction_timeout', '2500', true)"
"""From PostgreSQL 17 on: also if it stands still while it sends. Those who wait have longer than those who hold."""


@attrs.define
class _Batch:
    commits: Sequence[Commit]
    unknown: bool = False
    """Whether it may have happened, in a try whose end was not told."""
    edge: tuple[int, int] | None = None
    """Where the feed began at the first try."""


class Commits:
    """The writing end of a store, for one thread. `relations`: its tables by their names."""

    def __init__(self, line: Line, schema: str, relations: dict[str, Relation]) -> None:
        self._line = line
        self._schema = schema
        self._relations = relations
        self._shard = random.randrange(_SHARDS)
        # Not all of many processes that live shortly may count from nothing.
        self._untrimmed = random.randrange(_TRIMMED_EVERY)
        self._info = (
            f'select "{schema}".questions_now(), array(select distinct token from "{schema}"._feed'
            f' where token = any(%b::text[])), transaction, line{{holding}} from "{schema}"._edge'
        )
        self._telling = (
            f'insert into "{schema}"._feed select pg_current_xact_id()::text::bigint, line, token, part, of, key,'
            " version, kind, data from unnest(%b::text[], %b::integer[], %b::text[], %b::text[], %b::bigint[],"
            " %b::text[], %b::text[]) with ordinality as told(token, part, of, key, version, kind, data, line)"
        )
        self._counting = (
            f'insert into "{schema}"._counters as counter select of, index, place, %s, rows from'
            " unnest(%b::text[], %b::text[], %b::text[], %b::bigint[]) as moved(of, index, place, rows)"
            " on conflict (of, index, place, shard) do update set rows = counter.rows + excluded.rows"
        )
        self._summing = (
            f'select of, index, place, sum(rows)::bigint from "{schema}"._counters where (of, index, place) in'
            " (select * from unnest(%b::text[], %b::text[], %b::text[])) group by of, index, place"
        )

    def take(self, commits: Sequence[Commit]) -> Sequence[BaseException | None]:
        """Commit them; for each the exception of its caller, if any. Raises `StoreUnavailable` for all of them."""
        self._trim()
        batch = _Batch(commits)
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

    def _once(self, batch: _Batch, connection: Dialled) -> list[BaseException | None]:
        ledger, edge = self._locked(batch.commits, connection)
        verdicts: list[BaseException | None] = [ledger.judge(commit) for commit in batch.commits]
        if batch.unknown and edge != batch.edge:
            # Its token may have gone with the lines that are not kept, so a refusal may be due to itself.
            verdicts = [verdict and StoreUnavailable("a connection was lost", unknown=True) for verdict in verdicts]
        batch.edge = edge if batch.edge is None else batch.edge
        if not ledger.written and not ledger.lines:
            connection.rollback()
            return verdicts
        try:
            self._write(ledger, connection)
        except psycopg.Error as error:
            batch.unknown = batch.unknown or not _undone(error)
            raise
        self._untrimmed += len(ledger.lines)
        return verdicts

    def _locked(self, commits: Sequence[Commit], connection: Dialled) -> tuple[Ledger, tuple[int, int]]:
        keys = touched(commits)
        places = {(of, index, place_of(equal)): (of, index, equal) for of, index, equal in counted(commits)}
        with connection.pipeline():
            connection.execute("begin")
            waiting, holding = (_WAITING, _HOLDING) if connection.info.server_version >= 170_000 else ("", "")
            connection.execute(*_both(self._entering(commits, waiting)))
            locked = {name: connection.execute(self._relations[name].locking, [keys[name]]) for name in sorted(keys)}
            info = connection.execute(self._info.format(holding=holding), [[commit.token for commit in commits]])
            sums = connection.execute(self._summing, _columns(sorted(places), 3)) if places else ()
        rows = {
            (name, row[0]): Standing(row[1], row[2], dict(zip(self._relations[name].looked_by, row[3:], strict=True)))
            for name, cursor in locked.items()
            for row in cursor
        }
        counts = {places[of, index, place]: rows for of, index, place, rows in sums}
        [(now, happened, transaction, line, *_)] = info
        return Ledger(now, rows, set(happened), counts), (transaction, line)

    def _entering(self, commits: Sequence[Commit], waiting: str) -> Query:
        """Locks that stand for what is no row, and then, before any row is locked, a number."""
        absent = {guard.table.name for guard in _guards(commits) if isinstance(guard, Unchanged) and not guard.version}
        new = {write.table.name for commit in commits for write in commit.writes if not write.expected}
        wanted = [("", GUARDED)] if any(isinstance(guard, Below) for guard in _guards(commits)) else []
        wanted += [("" if name in absent else "_shared", f"new {name}") for name in sorted(absent | new)]
        wanted.append(("_shared", WRITING))
        locks = ", ".join(f"pg_advisory_xact_lock{kind}(%s)" for kind, _ in wanted)
        numbers = [lock_number(self._schema, what) for _, what in wanted]
        return Query(f"select {_LIMITS}{waiting}, {locks}, pg_current_xact_id()", numbers)

    def _write(self, ledger: Ledger, connection: Dialled) -> None:
        statements = [*self._rows(ledger, new=True), *self._rows(ledger, new=False)]
        if ledger.lines:
            lines = [
                (token, part, line.table, line.key, line.version, line.kind, line.data)
                for token, part, line in ledger.lines
            ]
            statements.append(Query(self._telling, _columns(lines, 7)))
        if moved := sorted((of, index, place_of(equal), by) for (of, index, equal), by in ledger.moves.items() if by):
            statements.append(Query(self._counting, [self._shard, *_columns(moved, 4)]))
        with connection.pipeline():
            for statement in statements:
                connection.execute(*_both(statement))
            connection.execute("commit")

    def _rows(self, ledger: Ledger, *, new: bool) -> Iterable[Query]:
        """What inserts, or what updates, all rows of a table, for each table that has some."""
        for name, relation in sorted(self._relations.items()):
            changed = [
                relation.row(write)
                for (table, key), write in sorted(ledger.written.items(), key=lambda item: item[0])
                if table == name and ((table, key) in ledger.created) == new
            ]
            if changed:
                yield Query(relation.inserting if new else relation.updating, relation.columned(changed))


def _undone(error: psycopg.Error) -> bool:
    """Whether the server says that the transaction has not happened; a lost connection says nothing."""
    if isinstance(error, psycopg.DataError | psycopg.IntegrityError):
        return True
    return (error.sqlstate or "").startswith(("25006", "40", "42", "53", "55"))


def _guards(commits: Sequence[Commit]) -> Iterable[object]:
    return chain.from_iterable(commit.guards for commit in commits)


def _columns(rows: Sequence[tuple[object, ...]], width: int) -> list[list[object]]:
    """Rows as arrays, one for each column."""
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(width)]


def _both(query: Query) -> tuple[str, Sequence[object]]:
    return query.text, query.values
