"""Putting a new decision into a store: in its own commit the limits hold, and what is too old or too much goes."""

from __future__ import annotations

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
        self._dropping: set[str] = set()

    async def put(self, decision: Decision) -> Decision:
        """Write it as version 1. Raises `TooManyOpen` or `ChangedConcurrently`, and has then written nothing."""
        for round in range(ROUNDS):
            limits, unchanged = await self._settings.guarded()
            now, drop = decision.created_at, []
            if round < _DROPPING_ROUNDS:
                drop = await to_drop(self._records, limits, now, self._dropping)
            try:
                return await self._commit(decision, drop, [unchanged, *_below(decision, limits)])
            except GuardFailed as full:
                raise _too_many(decision, full.guard) from None
            except Conflict as conflict:
                if conflict.table == META.name:
                    self._settings.forget()
        raise ChangedConcurrently(decision.id)

    async def _commit(self, decision: Decision, drop: list[Write], guards: list[Guard]) -> Decision:
        raised = replace(decision, version=1)
        keys = {write.key for write in drop}
        self._dropping |= keys
        try:
            writes = [written(raised), *drop]
            await committed(self._records.backend, Commit(new_token(), writes, [hint(None, raised)], guards))
        finally:
            self._dropping -= keys
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
