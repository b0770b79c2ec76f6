"""What is open in a store, for everybody who looks on at a host: read once, and kept up from the feed."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import NoReturn

import trio

from facets.actor import Actor
from facets.errors import Retryable
from facets.readable import Cell
from questions.durable.errors import UnknownDecision
from questions.durable.repeating import repeat
from questions.errors import QuestionError

from .gate_desk import GateDesk, KeptGate
from .open_gate import closed_gate
from .steps import Standing, State
from .store import GateStore
from .tables import REQUESTS
from .view import ChannelView, view_of

__all__ = ["GateDesks"]

_AT_ONCE = 100
_LOOK = 1.0
"""Seconds after which it is seen whether the store is still there, although nothing was heard."""
_log = logging.getLogger("questions")


class GateDesks(Actor):
    """Keeps the desks of one host. Made by its facet, and run by the host.

    Nothing is read before somebody looks on; from then on a change costs reading one request. While the store cannot
    be reached desks say so, and they go on by themselves.
    """

    def __init__(self, gates: GateStore, clock: Callable[[], float] = time.time) -> None:
        super().__init__("gates")
        self._gates = gates
        self._clock = clock
        self._kept: dict[str, KeptGate] = {}
        self._desks: dict[GateDesk, None] = {}
        self._stale: dict[str, None] = {}
        self._is_complete = False
        self._wanted = trio.Event()
        self._nudged = trio.Event()
        self._unavailable: Cell[str | None] = Cell("")

    def desk(self, admits: Callable[[ChannelView], bool]) -> GateDesk:
        """Somebody looks on, until `leave`."""
        desk = GateDesk(admits, self._clock, self._unavailable)
        for kept in self._kept.values():
            desk.put(kept)
        self._desks[desk] = None
        self._wanted.set()
        return desk

    def leave(self, desk: GateDesk) -> None:
        """Nobody looks on there any more."""
        del self._desks[desk]
        desk.close()

    def describe(self) -> dict[str, object]:
        """How it stands, as plain data."""
        return {"shown": len(self._kept), "unavailable": self._unavailable.value}

    async def run(self) -> NoReturn:
        """Keep up, from the first one who looks on. Ends by cancellation only."""
        await self._wanted.wait()
        follower = self._gates.store.follower
        follower.listen(REQUESTS.name, self._hear)  # first listen, then read: what comes in between is not missed
        self._gates.surfaces[self._shows] = None
        try:
            await repeat(self._step, "showing open gates")
        finally:
            del self._gates.surfaces[self._shows]
            follower.unlisten(REQUESTS.name, self._hear)

    def _shows(self, id: str) -> bool:
        return any(desk.open.raw_of(id) is not None for desk in self._desks)

    def _hear(self, id: str | None) -> None:
        if id is None:
            self._is_complete = False
        else:
            self._stale[id] = None
        self._nudged.set()

    async def _step(self) -> None:
        try:
            await self._look()
        except Retryable as error:
            self._unavailable.set(getattr(error, "why", str(error)))
            self._is_complete = False  # what comes back may not be what went
            raise
        self._unavailable.set(None)
        with trio.move_on_after(_LOOK):
            await self._nudged.wait()
        self._nudged = trio.Event()

    async def _look(self) -> None:
        """Read what has changed; all that is open if it is not known what has, or the first time."""
        if not self._is_complete:
            self._is_complete = True  # not if something is missed from here on
            self._stale |= dict.fromkeys((*self._kept, *await self._gates.open_ids()))
        if not self._stale:
            await self._gates.stored.backend.now()  # a clock may go on when its store is gone
        while self._stale:
            ids = list(self._stale)[:_AT_ONCE]
            for id in ids:
                del self._stale[id]
            try:
                await self._take(ids)
            except BaseException:
                self._stale |= dict.fromkeys(ids)
                raise

    async def _take(self, ids: Sequence[str]) -> None:
        ahead = self._clock() - await self._gates.stored.backend.now() / 1000
        stand = await self._read(ids)
        for id in ids:
            self._change(id, stand.get(id), ahead)

    async def _read(self, ids: Sequence[str]) -> dict[str, Standing]:
        try:
            return {one.request.decision_id: one for one in await self._gates.stored.standings(ids)}
        except Retryable:
            raise
        except QuestionError as fault:
            if len(ids) > 1:  # one that cannot be read hides no other one
                return {id: one for each in ids for id, one in (await self._read([each])).items()}
            if not isinstance(fault, UnknownDecision):
                _log.warning("the request %s cannot be read and is shown to nobody: %s", ids[0], fault)
            return {}

    def _change(self, id: str, standing: Standing | None, ahead: float) -> None:
        before = self._kept.get(id)
        if standing is not None and standing.state is State.OPEN:
            if before is None:
                self._kept[id] = kept = KeptGate(view_of(standing.request), ahead)
                for desk in self._desks:
                    desk.put(kept)
        elif before is not None:
            del self._kept[id]
            closed = closed_gate(before.view, standing, self._clock())
            for desk in self._desks:
                desk.end(closed)
