"""Dropping runs that have ended, with all that belongs to them: what ended first goes first. Running ones stay."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from questions.durable.backend import Conflict, Row, Scan, Table

from .gate_limits import GateLimits
from .pieces import Piece, put
from .stored import Stored
from .tables import EFFECTS, REQUESTS, RESOLUTIONS, RUN_ATTEMPTS, RUNS, SUBMISSIONS
from .writing import write

__all__ = ["drop_old_runs"]

_AT_ONCE = 20


async def drop_old_runs(stored: Stored, limits: GateLimits, room: int = 0) -> None:
    """Drop runs that are too old, or too many, some at a time. `room`: for so many more."""
    too_many = await stored.backend.count(RUNS, "all", ()) + room - limits.max_runs
    until = await stored.backend.now() - limits.retention_ms - 1
    old = (await stored.backend.scan(Scan(RUNS, "final", (1,), _AT_ONCE, until=until))).rows
    if too_many > len(old):  # both are the beginning of one order
        old = await stored.rows(RUNS, "final", (1,), min(too_many, _AT_ONCE))
    for row in old:
        with suppress(Conflict):  # somebody else is at it
            await _drop(stored, row)


async def _drop(stored: Stored, run: Row) -> None:
    """What belongs to it first, so that who is killed in between leaves a run that is dropped later."""
    for request in await stored.rows(REQUESTS, "run", (run.key,)):
        for table in (SUBMISSIONS, EFFECTS):
            while rows := await stored.rows(table, "decision", (request.key,)):
                await write(stored.backend, _all_gone(table, rows))
        settled = (await stored.backend.get(RESOLUTIONS, [request.key])).rows
        await write(stored.backend, _gone(REQUESTS, request) + _all_gone(RESOLUTIONS, settled))
    await write(stored.backend, _all_gone(RUN_ATTEMPTS, await stored.rows(RUN_ATTEMPTS, "run", (run.key,))))
    await write(stored.backend, _gone(RUNS, run))


def _all_gone(table: Table, rows: Sequence[Row]) -> Piece:
    piece = Piece()
    for row in rows:
        piece += _gone(table, row)
    return piece


def _gone(table: Table, row: Row) -> Piece:
    return put(table, row.key, row.version, None, kind="gate.dropped")
