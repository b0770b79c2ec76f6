"""Finding the durable question that a key stands for, or opening one: of all who do that at once, one opens it."""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from datetime import timedelta

from msgspec.structs import replace

from questions.durable_port import DURABLE_ID, DurableAsk, Kept
from questions.endings import digest_of
from questions.entry import Ask, Due, Entry, Supersede
from questions.errors import LimitExceeded, Superseded

from .asks_record import Clocks, Record, name_of, written_record
from .asks_records import AskRecords, noticed
from .asks_table import ASK_NAMES, ASKS
from .backend import Before, Below, Conflict, Guard, GuardFailed, TooLate, Write
from .errors import ChangedConcurrently
from .settings import Settings

__all__ = ["AskOpening"]

_ROUNDS = 40
_LATEST = 253_402_300_799_000
"""The end of the year 9999, which is no time limit."""
_NAME_ROWS = 2
"""Of the digits of a name, those that say which row is written when it is taken: 256 of them."""


class AskOpening:
    """Opens the durable questions of one host."""

    def __init__(self, records: AskRecords) -> None:
        self._records = records

    async def ask(self, ask: DurableAsk) -> Sequence[Kept]:
        """See `DurableAsks`."""
        request = ask.request
        assert request.key is not None, "checked"
        name = name_of(ask.asker.principal, ask.scope, request.key)
        digest = digest_of(request.question, request.policy, request.fixed)
        for round in range(_ROUNDS):
            with suppress(Conflict, TooLate):
                # Who was overtaken goes on when those of this host have had their turn.
                async with self._records.turn(name[:_NAME_ROWS]) if round else nullcontext():
                    if (found := await self._ask_once(ask, name, digest)) is not None:
                        return found
        raise ChangedConcurrently(request.key)

    async def _ask_once(self, ask: DurableAsk, name: str, digest: str) -> Sequence[Kept] | None:
        backend = self._records.backend
        taken = (await backend.get(ASK_NAMES, [name[:_NAME_ROWS]])).rows
        now, old = await self._records.named(name)
        if old is not None and old.is_due(now):
            await self._records.swap(old.id, Due())
            return None
        limits = await Settings(backend).read()
        if old is not None and not (old.ended is not None and old.ended + limits.retention_ms < now):
            if old.digest == digest:
                return [old.kept]
            if ask.request.attach_only:
                raise Superseded(old.id)
        clocks = self._records.clocks(now)
        new = _opened(ask, digest, clocks)
        if new.is_due(now):
            return [replace(self._records.stepped(new, Due(), now), version=0).kept]  # Q-KEY-1: unpublished
        ask.admit(old.entry if old is not None and old.is_open else None)
        taking = Write(ASK_NAMES, name[:_NAME_ROWS], taken[0].version if taken else 0, "")
        return await self._open(ask, new, old, taking, now)

    async def _open(self, ask: DurableAsk, new: Record, old: Record | None, taking: Write, now: int) -> Sequence[Kept]:
        changed = [new]
        if old is not None:
            after = self._records.stepped(old, Supersede(), now) if old.is_open else old
            changed.insert(0, replace(after, version=old.version + 1))  # Q-KEY-2
        writes = [written_record(one, stands=one is new) for one in changed]
        guards: list[Guard] = [*_below(ask, 1 if old is not None and old.is_open else 0)]
        if old is not None and old.is_open and old.deadline is not None:
            guards.append(Before(old.deadline))  # Q-SET-5: then its time is over, and it is not replaced
        try:
            await self._records.commit([*writes, taking], [noticed(one) for one in changed], guards)
        except GuardFailed as full:
            raise _too_many(ask, full.guard) from None
        return [one.kept for one in changed]


def _opened(ask: DurableAsk, digest: str, clocks: Clocks) -> Record:
    request = ask.request
    deadline = _deadline(ask, clocks)
    asked = Ask(
        DURABLE_ID + secrets.token_hex(12),
        0,
        ask.scope,
        request.question,
        request.policy,
        ask.asker,
        request.fixed,
        request.key,
        None if deadline is None else clocks.deadline(deadline),
        request.default,
        request.on_behalf_of,
        clocks.shown(clocks.now),
    )
    return Record(Entry.opened(asked, request.members), 1, digest, clocks.now, deadline, None)


def _deadline(ask: DurableAsk, clocks: Clocks) -> int | None:
    """By the store's clock, whole milliseconds. What is beyond the calendar is no limit that anybody lives to see."""
    timeout, deadline = ask.request.timeout, ask.request.deadline
    if deadline is not None:
        return math.ceil(min(clocks.instant(deadline.timestamp()), _LATEST))
    if timeout is None:
        return None
    seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else timeout
    return math.ceil(min(clocks.now + min(seconds, _LATEST) * 1000, _LATEST))


def _below(ask: DurableAsk, spare: int) -> list[Below]:
    """The limits as guards, so that hosts that ask at once keep them together. `spare`: places that it frees itself."""
    limits, asker, scope = ask.limits, str(ask.asker.principal), str(ask.scope)
    wanted = {"open": ((1,), limits.open), "asker": ((1, asker), limits.open_per_asker)}
    wanted["scope"] = ((1, scope), limits.open_per_scope)
    return [Below(ASKS, name, equal, most + spare) for name, (equal, most) in wanted.items() if most is not None]


def _too_many(ask: DurableAsk, guard: Below) -> LimitExceeded:
    of = {"open": "", "asker": f" of {ask.asker.principal}", "scope": f" in {ask.scope}"}[guard.index]
    limits = {"open": ask.limits.open, "asker": ask.limits.open_per_asker, "scope": ask.limits.open_per_scope}
    return LimitExceeded(f"open durable questions{of}", limits[guard.index] or 0)
