"""What is open in a store, for everybody who looks on at a host: read once, and kept up from the feed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

import trio

from facets.actor import Actor
from facets.errors import Retryable
from facets.principal import Principal, Who
from facets.readable import Cell
from questions.timers import Timers

from .backend import Found, Row, Scan
from .caller import Caller
from .decision import Decision, Status
from .desk import Desk, Kept
from .errors import StoreUnavailable
from .holders import ROOT, USER
from .listening import Hint, Hints, Missed
from .repeating import repeat
from .store import Store
from .table import DECISIONS

__all__ = ["Desks"]

_PAGE = 500
_LOOK = 1.0
"""Seconds after which it is seen whether the store is still there, although nothing was heard."""
_SERVER = "*"


class Desks(Actor):
    """Keeps the desks of one host. Made by its facet, and run by the host.

    Nothing is read before somebody looks on. From then on a change costs reading one record, and telling those whom
    it concerns; hops are followed at their deadlines. While the store cannot be reached, desks say so, and they go on
    by themselves.
    """

    def __init__(self, store: Store, who: Callable[[Principal], Who], clock: Callable[[], float] = time.time) -> None:
        super().__init__("decisions")
        self._store = store
        self._who = who
        self._clock = clock
        self._kept: dict[str, Kept] = {}
        self._where: dict[str, dict[str, None]] = {}
        """For each of whom it can concern: the decisions that do."""
        self._desks: dict[str, dict[Desk, None]] = {}
        """And who looks on as one of them."""
        self._stale: dict[str, None] = {}
        self._due: Timers[str] = Timers()
        self._armed: dict[str, int] = {}
        self._is_complete = False
        self._wanted = trio.Event()
        self._nudged = trio.Event()
        self._unavailable: Cell[str | None] = Cell("")

    def desk(self, caller: Caller) -> Desk:
        """Somebody looks on, until `leave`."""
        desk = Desk(caller, self._who, self._clock, self._unavailable)
        for one in _looks_as(caller):
            self._desks.setdefault(one, {})[desk] = None
            for id in self._where.get(one, ()):
                desk.change(id, self._kept[id], None)
        self._wanted.set()
        return desk

    def leave(self, desk: Desk) -> None:
        """Nobody looks on there any more."""
        for one in _looks_as(desk.caller):
            self._desks[one].pop(desk)
            if not self._desks[one]:
                del self._desks[one]
        desk.close()

    def describe(self) -> dict[str, object]:
        """How it stands, as plain data."""
        return {"shown": len(self._kept), "unavailable": self._unavailable.value}

    # --- keeping up -----------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Keep up, from the first one who looks on. Ends by cancellation only."""
        await self._wanted.wait()
        self._is_complete = False
        hints = self._store.follower.hints()  # first listen, then read: what comes in between is not missed
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._listen, hints)
            await repeat(self._step, "showing what is open")

    async def _listen(self, hints: Hints) -> None:
        try:
            async for hint in hints:
                if isinstance(hint, Missed):
                    self._is_complete = False
                elif self._knows(hint):
                    continue
                else:
                    self._stale[hint.id] = None
                self._nudged.set()
        except StoreUnavailable as closed:  # for good
            self._unavailable.set(closed.why)

    def _knows(self, hint: Hint) -> bool:
        kept = self._kept.get(hint.id)
        return kept is not None and kept.decision.version >= hint.version

    async def _step(self) -> None:
        try:
            await (self._look() if self._is_complete else self._read_all())
        except Retryable as error:
            self._unavailable.set(getattr(error, "why", str(error)))
            self._is_complete = False  # what comes back may not be what went
            raise
        self._unavailable.set(None)
        with trio.move_on_at(min(self._due.nearest(), trio.current_time() + _LOOK)):
            await self._nudged.wait()
        self._nudged = trio.Event()

    async def _read_all(self) -> None:
        self._is_complete = True  # not if something is missed from here on
        unseen = dict.fromkeys(self._kept)
        limit, after = _PAGE, None
        try:
            while True:
                found = await self._store.backend.scan(Scan(DECISIONS, "status", ("open",), limit, after=after))
                for row in found.rows:
                    unseen.pop(row.key, None)
                await self._take(found, [row.key for row in found.rows])
                if len(found.rows) < limit:
                    break
                # Only what can be read says where it stands; a page without such a record has to be a longer one.
                last = next(filter(None, map(self._place, reversed(found.rows))), after)
                limit, after = (2 * limit, after) if last == after else (_PAGE, last)
        except BaseException:
            self._is_complete = False
            raise
        self._stale.update(unseen)
        await self._look()

    def _place(self, row: Row) -> tuple[int, str] | None:
        decision = self._store.records.readable(row)
        return None if decision is None else (decision.created_at, row.key)

    async def _look(self) -> None:
        """Read what has changed, or is due; if that is nothing, see whether the store is there."""
        now = trio.current_time()
        for id in iter(lambda: self._due.pop_due(now), None):
            self._stale[id] = None
        if not self._stale:
            await self._store.backend.count(DECISIONS, "status", ("open",))  # a clock may go on when its store is gone
        while self._stale:
            ids = list(self._stale)[:_PAGE]
            for id in ids:
                del self._stale[id]
            try:
                await self._take(await self._store.backend.get(DECISIONS, ids), ids)
            except BaseException:
                self._stale.update(dict.fromkeys(ids))
                raise

    async def _take(self, found: Found, ids: Iterable[str]) -> None:
        ahead = self._clock() - found.now / 1000
        stand = await self._store.records.advance(found)
        for id in ids:
            self._change(id, stand.get(id), ahead)

    def _change(self, id: str, decision: Decision | None, ahead: float) -> None:
        before = self._kept.get(id)
        if decision is not None and before is not None and decision.version < before.decision.version:
            return  # it was read before a change that has been taken in
        is_open = decision is not None and decision.status is Status.OPEN
        after = Kept(decision, ahead) if decision is not None and is_open else None
        self._arm(id, after)
        if before is not None and after is not None and before.decision.version == after.decision.version:
            return
        concerned, concerns = _concerns(before) | _concerns(after), _concerns(after)
        for one in concerned:
            self._note(one, id, is_there=one in concerns)
        if after is None:
            self._kept.pop(id, None)
        else:
            self._kept[id] = after
        for desk in {desk: None for one in concerned for desk in self._desks.get(one, ())}:
            desk.change(id, after, decision)

    def _note(self, one: str, id: str, *, is_there: bool) -> None:
        its = self._where.setdefault(one, {})
        if is_there:
            its[id] = None
        else:
            its.pop(id, None)
        if not its:
            del self._where[one]

    def _arm(self, id: str, kept: Kept | None) -> None:
        self._due.cancel(self._armed.pop(id, 0))
        if kept is not None and (deadline := kept.decision.deadline) is not None:
            left = deadline / 1000 + kept.ahead - self._clock()
            self._armed[id] = self._due.arm(trio.current_time() + max(left, 0.001), id)


def _concerns(kept: Kept | None) -> set[str]:
    """Whom an open decision can concern; `may_see` has the last word."""
    if kept is None:
        return set()
    return {_SERVER, kept.decision.holder, f"raiser {kept.decision.raised_by.participant_id}"}


def _looks_as(caller: Caller) -> Iterator[str]:
    yield f"raiser {caller.participant_id}"
    if caller.is_person:
        yield USER
    elif caller.principal.kind == "server":
        yield _SERVER
    elif caller.principal.kind == "program":
        yield f"supervisor:{caller.participant_id}"
        if caller.main:
            yield ROOT
