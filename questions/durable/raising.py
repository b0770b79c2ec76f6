"""Putting a new decision into a store: in its own commit the limits hold, and what is too old or too much goes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import trio
from msgspec.structs import replace

from .backend import Below, Commit, Conflict, Guard, GuardFailed, Write
from .decision import Decision
from .errors import ChangedConcurrently, TooManyOpen
from .hints import hint
from .limits import StoreLimits
from .retention import to_drop
from .settings import Settings
from .swapping import ROUNDS, Records, committed, written
from .table import DECISIONS, META
from .tokens import new_token

__all__ = ["Raising"]

_DROPPING_ROUNDS = ROUNDS // 2
"""After these a raise leaves it to others to drop what is too much: they are at it."""


class Raising:
    """Writes new decisions, any number at a time."""

    def __init__(self, records: Records, settings: Settings) -> None:
        self._records = records
        self._settings = settings
        self._choosing = trio.Lock()
        self._dropping: set[str] = set()

    async def put(self, decision: Decision) -> Decision:
        """Write it as version 1. Raises `TooManyOpen` or `ChangedConcurrently`, and has then written nothing."""
        for round in range(ROUNDS):
            limits, unchanged = await self._settings.guarded()
            try:
                async with self._to_drop(decision, limits, round) as drop:
                    return await self._commit(decision, drop, [unchanged, *_below(decision, limits)])
            except GuardFailed as full:
                raise _too_many(decision, full.guard) from None
            except Conflict as conflict:
                if conflict.table == META.name:
                    self._settings.forget()
        raise ChangedConcurrently(decision.id)

    @asynccontextmanager
    async def _to_drop(self, decision: Decision, limits: StoreLimits, round: int) -> AsyncIterator[Sequence[Write]]:
        """What goes with it. Those who raise at the same time choose in turn, so that each drops others."""
        drop: Sequence[Write] = ()
        if round < _DROPPING_ROUNDS:
            async with self._choosing:
                drop = await to_drop(self._records, limits, decision.created_at, self._dropping)
                self._dropping |= {write.key for write in drop}
        try:
            yield drop
        finally:
            self._dropping -= {write.key for write in drop}

    async def _commit(self, decision: Decision, drop: Sequence[Write], guards: Sequence[Guard]) -> Decision:
        raised = replace(decision, version=1)
        writes = [written(raised), *drop]
        await committed(self._records.backend, Commit(new_token(), writes, [hint(None, raised)], guards))
        return raised


def _below(decision: Decision, limits: StoreLimits) -> list[Below]:
    guards = [Below(DECISIONS, "status", ("open",), limits.max_open)]
    if limits.max_open_per_raiser is not None:
        raiser = (decision.raised_by.participant_id, "open")
        guards.append(Below(DECISIONS, "raiser", raiser, limits.max_open_per_raiser))
    return guards


def _too_many(decision: Decision, guard: Below) -> TooManyOpen:
    by = f" by {decision.raised_by.participant_id}" if guard.index == "raiser" else ""
    return TooManyOpen(f"decisions that are open{by}", guard.limit)
