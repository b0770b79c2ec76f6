"""Reading and replacing decisions: deadlines are applied at every read, and a swap that was overtaken starts again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress

import trio
from msgspec.structs import replace

from .backend import Backend, Before, Commit, Conflict, Found, Guard, Row, Scan, TooLate, Write
from .decision import Decision, Status, decode, encode
from .errors import ChangedConcurrently, StoreUnavailable, UnknownDecision, Unreadable
from .expiry import catch_up
from .hints import hint
from .table import DECISIONS, columns
from .tokens import new_token

__all__ = ["BATCH", "ROUNDS", "Change", "Records", "committed", "has_happened", "read", "written"]

BATCH = 100
"""How many decisions are read, and moved in one commit, at a time."""
ROUNDS = 8
"""How often a swap is begun, when others are quicker each time."""

_PAUSES = (0.05, 0.2, 1.0)
"""Seconds before each further try to find out what came of a commit."""
_REMEMBERED = 1_000
"""Unreadable records of which it is known that they have been logged."""

Change = Callable[[Decision, int], Decision]
"""What becomes of a decision at an instant of the engine's clock: itself, or the next one; it raises what refuses."""

_log = logging.getLogger("questions")


class Records:
    """The decisions of an engine. What cannot be read as one is logged once, skipped, and never written over."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self._unreadable: dict[str, int] = {}

    @property
    def set_aside(self) -> int:
        """How many records are known that cannot be read."""
        return len(self._unreadable)

    async def current(self, id: str) -> Decision:
        """The decision, with its deadlines applied. Raises `UnknownDecision` and `ChangedConcurrently`."""
        return await self.swap(id, lambda decision, now: decision)

    async def swap(self, id: str, change: Change, token: str | None = None) -> Decision:
        """Apply the deadlines that have passed, then `change`: the decision as it is stored after that.

        What the deadlines made of it stays stored when `change` then refuses. Only being overtaken starts again.
        Raises `UnknownDecision`, and `ChangedConcurrently` after the last round. `token`: names the commit.
        """
        for _ in range(ROUNDS):
            with suppress(Conflict, TooLate):
                before, now = await self._read(id)
                after = change(before, now)
                if after is before:
                    return before
                # Q-SET-5: what was judged before the deadline must also happen before it.
                guards = [] if before.deadline is None else [Before(before.deadline)]
                [after] = await self._put([(before, after)], guards, token)
                return after
        raise ChangedConcurrently(id)

    async def _read(self, id: str) -> tuple[Decision, int]:
        found = await self.backend.get(DECISIONS, [id])
        decision = self.readable(found.rows[0]) if found.rows else None
        if decision is None:
            raise UnknownDecision(id)
        later = catch_up(decision, found.now)
        if later is not decision:
            [decision] = await self._put([(decision, later)])
        return decision, found.now

    async def advance(self, found: Found) -> dict[str, Decision]:
        """What is in these rows once the deadlines that have passed are applied, by id; unreadable ones are left out.

        All that are due move in one commit; where somebody interferes, one by one.
        """
        decisions = {decision.id: decision for decision in map(self.readable, found.rows) if decision is not None}
        steps = [(decision, catch_up(decision, found.now)) for decision in decisions.values()]
        due = [(before, after) for before, after in steps if after is not before]
        try:
            moved = await self._put(due) if due else []
        except Conflict:
            moved = []
            for before, _ in due:
                del decisions[before.id]
                with suppress(UnknownDecision):
                    moved.append(await self.current(before.id))
        return decisions | {decision.id: decision for decision in moved}

    async def sweep(self, now: int) -> None:
        """Apply all deadlines that have passed at `now`, some at a time."""
        seen: set[str] = set()
        limit = BATCH
        while True:
            found = await self.backend.scan(Scan(DECISIONS, "due", ("open",), limit, until=now))
            fresh = [row for row in found.rows if row.key not in seen]
            await self.advance(Found(found.now, fresh))
            if len(found.rows) < limit:
                return
            # What cannot be read stays where it is, and must not hide what stands behind it.
            seen.update(row.key for row in fresh)
            limit = BATCH + len(found.rows) - len(fresh)

    def readable(self, row: Row) -> Decision | None:
        """The decision in a row, or None if there is none in it."""
        try:
            return read(row)
        except Unreadable as fault:
            if self._unreadable.get(row.key) != row.version and len(self._unreadable) < _REMEMBERED:
                self._unreadable[row.key] = row.version
                _log.warning("decision %s cannot be read and is left as it is: %s", row.key, fault)
        return None

    async def _put(
        self, steps: Sequence[tuple[Decision, Decision]], guards: Sequence[Guard] = (), token: str | None = None
    ) -> list[Decision]:
        steps = [(before, replace(after, version=before.version + 1)) for before, after in steps]
        writes = [written(after) for _, after in steps]
        notices = [hint(before, after) for before, after in steps]
        await committed(self.backend, Commit(token or new_token(), writes, notices, guards))
        for before, after in steps:
            if before.is_malformed and after.status is Status.EXPIRED:
                _log.warning("decision %s has a chain that cannot be used, and has expired without it", before.id)
        return [after for _, after in steps]


def read(row: Row) -> Decision:
    """The decision in a row. Raises `Unreadable`, also for one that belongs under another key."""
    decision = decode(row.value, row.version)
    if decision.id != row.key:
        raise Unreadable(f"it is a record of {decision.id!r}")
    return decision


def written(decision: Decision) -> Write:
    """The write that makes `decision` the version that it says it is."""
    return Write(DECISIONS, decision.id, decision.version - 1, encode(decision), columns(decision))


async def committed(backend: Backend, commit: Commit) -> None:
    """Commit, and find out what came of it when the engine cannot tell.

    A commit that has happened does nothing when it is repeated. One that has not may happen late: what it expects is
    judged again. Raises `StoreUnavailable`, which is `unknown` only if nobody could be asked.
    """
    try:
        return await backend.commit(commit)
    except StoreUnavailable as lost:
        if not lost.unknown:
            raise
        why = lost.why
    for pause in _PAUSES:
        await trio.sleep(pause)
        with suppress(StoreUnavailable):
            return await backend.commit(commit)
    raise StoreUnavailable(why, unknown=True)


async def has_happened(backend: Backend, token: str) -> bool:
    """Whether a commit of this token is in the feed. Asked by one that is too late, unless it has happened before."""
    try:
        await backend.commit(Commit(token, guards=[Before(0)]))
    except TooLate:
        return False
    return True
