"""`Deliveries`: which open requests nobody has been shown, so that a run does not wait for ever unseen."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import trio

from facets.readable import Cell, Readable
from questions.durable.repeating import repeat

from .outbox import Effect, EffectState
from .server import GateServer
from .steps import State
from .store import GateStore
from .tables import EFFECTS, REQUESTS

__all__ = ["Deliveries", "delivered", "is_delivered"]

_MOST = 1_000
_SHOWN = (EffectState.APPLIED, EffectState.AMBIGUOUS)

_log = logging.getLogger("questions")


def is_delivered(effects: Sequence[Effect]) -> bool:
    """Whether any channel has shown the request, or may have."""
    return any(effect.purpose == "present" and effect.state in _SHOWN for effect in effects)


async def delivered(gates: GateStore, id: str, within: float = 1.0) -> bool:
    """Whether anybody is shown a request within so many seconds. False: no channel of its audience is at work.

    The request is open all the same, and somebody may see it later. Raises `StoreUnavailable`.
    """
    changed, deadline = trio.Event(), trio.current_time() + within

    def heard(_: str | None) -> None:
        changed.set()

    gates.store.follower.listen(EFFECTS.name, heard)
    try:
        while not await _is_shown(gates, id):
            with trio.move_on_at(deadline) as patience:
                await changed.wait()
            if patience.cancelled_caught:
                return False
            changed = trio.Event()
        return True
    finally:
        gates.store.follower.unlisten(EFFECTS.name, heard)


async def _is_shown(gates: GateStore, id: str) -> bool:
    return is_delivered([found.value for found in await gates.effects(id)])


class Deliveries:
    """Finds open requests that nobody was shown within a second: `open_gates(works=[deliveries.work])`.

    `undelivered`: their ids, for metrics and lists. Each is logged once.
    """

    def __init__(self, within: float = 1.0) -> None:
        self._within = within
        self._known: set[str] = set()
        self._undelivered: Cell[frozenset[str]] = Cell(frozenset())
        self._changed = trio.Event()

    @property
    def undelivered(self) -> Readable[frozenset[str]]:
        """The ids of open requests that nobody was shown in time, as they are now."""
        return self._undelivered

    async def work(self, server: GateServer) -> None:
        """Look after each change, until cancelled."""
        follower = server.gates.store.follower
        for table in (REQUESTS, EFFECTS):
            follower.listen(table.name, self._hear)
        try:
            await repeat(lambda: self._look(server.gates), "looking for requests that nobody is shown")
        finally:
            for table in (REQUESTS, EFFECTS):
                follower.unlisten(table.name, self._hear)

    def _hear(self, _: str | None) -> None:
        self._changed.set()

    async def _look(self, gates: GateStore) -> None:
        self._changed = trio.Event()
        now, unseen, nearest = await gates.stored.backend.now(), set(), float("inf")
        for standing in await gates.list(State.OPEN, _MOST):
            request = standing.request
            if await _is_shown(gates, request.decision_id):
                continue
            rest = self._within - (now - request.created_at) / 1_000
            if rest > 0:
                nearest = min(nearest, rest)
            else:
                unseen.add(request.decision_id)
        self._tell(unseen)
        with trio.move_on_after(nearest):
            await self._changed.wait()

    def _tell(self, unseen: set[str]) -> None:
        for id in unseen - self._known:
            _log.warning("decision %s is undelivered: no channel of its audience has shown it to anybody", id)
        self._known = unseen
        self._undelivered.set(frozenset(unseen))
