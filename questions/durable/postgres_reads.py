"""Reads on a PostgreSQL server: all that wait go there together, in one round trip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import attrs
from outcome import Error, Outcome, Value, capture

from .backend import Commit, Row
from .errors import BadArgument, StoreUnavailable
from .postgres_connection import UNSTORABLE, Dialled, Line
from .postgres_tables import Query, Relation
from .turns import Job, Worker

__all__ = ["Reads"]

_UNREADABLE = "$: text with U+0000 or half a surrogate pair, or a number of more than 64 bits, is stored nowhere"

_ORDERED = ", ".join(f"set_config('enable_{way}', 'off', true)" for way in ("sort", "bitmapscan", "seqscan"))
"""A server that has not counted its rows lately takes two thirds of a table for ten rows, and sorts them."""


@attrs.define(eq=False)
class _Asked:
    what: Query | tuple[Relation, Sequence[str]]
    """A statement, or keys of a table; those of all who ask are looked up at once."""
    answer: Outcome[Any] | None = None

    def __call__(self) -> Any:
        assert self.answer is not None
        return self.answer.unwrap()


class Reads(Worker):
    """The reading end of a store: a thread that has the `line`. `getters`: functions that look up keys, by table."""

    def __init__(self, line: Line, getters: Mapping[Relation, str], *, name: str) -> None:
        super().__init__(name=name)
        self._line = line
        self._getters = {relation: f"select * from {getter}(%b::text[])" for relation, getter in getters.items()}

    async def query(self, query: Query) -> list[tuple[Any, ...]]:
        """The rows of a statement. Raises `StoreUnavailable`, and `BadArgument` for values that cannot be stored."""
        rows: list[tuple[Any, ...]] = await self._ask(_Asked(query))
        return rows

    async def get(self, relation: Relation, keys: Sequence[str]) -> tuple[int, dict[str, Row]]:
        """The clock, and the rows of these keys. Raises as `query` does."""
        found: tuple[int, dict[str, Row]] = await self._ask(_Asked((relation, keys)))
        return found

    def _turn(self, job: Job) -> None:
        jobs = [job for job in (job, *self._waiting()) if job.claim()]
        if asked := [job.what for job in jobs if isinstance(job.what, _Asked)]:
            self._answer(asked)
        self._tell([(job.task, capture(job.what)) for job in jobs if not isinstance(job.what, Commit)])

    def _answer(self, asked: Sequence[_Asked]) -> None:
        try:
            answers: Sequence[Outcome[Any]] = self._line.run(lambda connection: self._once(asked, connection))
        except UNSTORABLE:
            if len(asked) > 1:
                for one in asked:
                    self._answer([one])
                return
            answers = [Error(BadArgument([_UNREADABLE]))]
        except StoreUnavailable as error:
            answers = [Error(StoreUnavailable(error.why, faults=error.faults)) for _ in asked]
        for one, answer in zip(asked, answers, strict=True):
            one.answer = answer

    def _once(self, asked: Sequence[_Asked], connection: Dialled) -> Sequence[Outcome[Any]]:
        keys: dict[Relation, set[str]] = {}
        for one in asked:
            if isinstance(one.what, tuple):
                keys.setdefault(one.what[0], set()).update(one.what[1])
        ordered = any(isinstance(one.what, Query) and one.what.ordered for one in asked)
        with connection.pipeline() if ordered or len(asked) > 1 else nullcontext():
            if ordered:  # until the end of the pipeline, which is one transaction
                connection.execute(f"select {_ORDERED}")
            gets = {
                relation: connection.execute(self._getters[relation], [list(wanted)])
                for relation, wanted in keys.items()
            }
            queries = [
                connection.execute(one.what.text, one.what.values) if isinstance(one.what, Query) else None
                for one in asked
            ]
        found = {relation: _rows(cursor.fetchall()) for relation, cursor in gets.items()}
        return [
            Value(found[one.what[0]] if isinstance(one.what, tuple) else cursor.fetchall() if cursor else [])
            for one, cursor in zip(asked, queries, strict=True)
        ]


def _rows(rows: Sequence[tuple[Any, ...]]) -> tuple[int, dict[str, Row]]:
    return rows[0][0], {row[1]: Row(*row[1:]) for row in rows if row[1] is not None}
