"""Reading what gates have stored, with the versions that a change of it has to expect."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from questions.durable.backend import Backend, Row, Scan, Table
from questions.durable.errors import UnknownDecision
from questions.errors import QuestionError

from .outbox import Effect
from .records import read_request
from .request import Request
from .rows import read_effect
from .runs import Run, RunAttempt, read_run, read_run_attempt
from .settled_records import read_attempt, read_resolution
from .steps import Standing
from .stood import Stood, Versioned
from .store_errors import UnknownAttempt, UnknownRun
from .submission import Attempt
from .tables import EFFECTS, REQUESTS, RESOLUTIONS, RUN_ATTEMPTS, RUNS, SUBMISSIONS

__all__ = ["ALL", "MOST_READ", "Stored"]

ALL = 2**31 - 1

MOST_READ = 1_000
"""Rows that belong to one decision or run, at most; limits are kept where they are written."""

T = TypeVar("T")
_log = logging.getLogger("questions")


class Stored:
    """Reads from an engine. What is stored is proven each time by its digests; see `read_request`."""

    def __init__(self, backend: Callable[[], Backend]) -> None:
        self._backend = backend
        self._set_aside: set[str] = set()

    @property
    def backend(self) -> Backend:
        """The engine. Raises `StoreUnavailable` once the store is closed."""
        return self._backend()

    async def row(self, table: Table, key: str) -> Row | None:
        """One row, if it is there."""
        rows = (await self.backend.get(table, [key])).rows
        return rows[0] if rows else None

    async def run(self, id: str) -> Versioned[Run]:
        """Raises `UnknownRun`."""
        row = await self.row(RUNS, id)
        if row is None:
            raise UnknownRun(id)
        return Versioned(read_run(row.value), row.version)

    async def attempt(self, run_id: str, id: str) -> Versioned[RunAttempt]:
        """Raises `UnknownAttempt`."""
        row = await self.row(RUN_ATTEMPTS, f"{run_id}/{id}")
        if row is None:
            raise UnknownAttempt(run_id, id)
        return Versioned(read_run_attempt(row.value), row.version)

    async def attempts(self, run_id: str, state: str | None = None) -> Sequence[Versioned[RunAttempt]]:
        """Those of a run, in the order in which they were entered."""
        by = ("run", (run_id,)) if state is None else ("state", (run_id, state))
        rows = await self.rows(RUN_ATTEMPTS, *by)
        return [Versioned(read_run_attempt(row.value), row.version) for row in rows]

    async def rows(
        self, table: Table, index: str, equal: tuple[str | int, ...], limit: int = MOST_READ
    ) -> Sequence[Row]:
        """Rows by an index. `limit`: `ALL` of small ones, where there are not too many to hold."""
        return (await self.backend.scan(Scan(table, index, equal, limit))).rows

    async def standings(self, ids: Sequence[str]) -> Sequence[Standing]:
        """Those that are there. A request that was dropped is left out."""
        # The resolutions first: one that is written in between makes an older answer, and never a wrong one.
        settled = {row.key: row.value for row in (await self.backend.get(RESOLUTIONS, ids)).rows}
        requests = [read_request(row.value) for row in (await self.backend.get(REQUESTS, ids)).rows]
        return [_standing(request, settled.get(request.decision_id)) for request in requests]

    async def standing(self, id: str) -> Standing:
        """Raises `UnknownDecision`."""
        found = await self.standings([id])
        if not found:
            raise UnknownDecision(id)
        return found[0]

    async def stood(self, id: str) -> Stood:
        """A decision with all that a change of it writes. Raises `UnknownDecision`."""
        settled = await self.row(RESOLUTIONS, id)
        found = await self.backend.get(REQUESTS, [id])
        if not found.rows:
            raise UnknownDecision(id)
        [row] = found.rows
        request = read_request(row.value)
        attempt = await self.attempt(request.run_id, request.attempt_id)
        standing = _standing(request, settled.value if settled else None)
        return Stood(standing, row.version, attempt, await self.effects(id), found.now)

    async def effects(self, decision_id: str) -> Sequence[Versioned[Effect]]:
        """Those of a decision that can be read."""
        return self.readable(await self.rows(EFFECTS, "decision", (decision_id,)), read_effect)

    def readable(self, rows: Sequence[Row], read: Callable[[Row], T]) -> list[Versioned[T]]:
        """What can be read of rows. What cannot is left as it is, told to the log once, and stands in nobody's way."""
        found = []
        for row in rows:
            try:
                found.append(Versioned(read(row), row.version))
            except QuestionError as fault:
                if row.key not in self._set_aside:
                    self._set_aside.add(row.key)
                    _log.warning("what gates have stored as %s cannot be read and is set aside: %s", row.key, fault)
        return found

    async def submission(self, id: str, request: Request) -> Attempt | None:
        """What is recorded under the id of a submission."""
        row = await self.row(SUBMISSIONS, id)
        return None if row is None else read_attempt(row.value, request)


def _standing(request: Request, settled: str | None) -> Standing:
    return Standing(request, None if settled is None else read_resolution(settled, request))
