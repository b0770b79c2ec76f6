"""Which open requests nobody is shown, so that no run waits for ever unseen: `delivered`, and who keeps them up."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Sequence

import attrs
import trio

from questions.durable.repeating import repeat

from .outbox import Effect, EffectState
from .records import read_request
from .store import GateStore
from .tables import EFFECTS, REQUESTS, RESOLUTIONS

__all__ = ["WITHIN", "Deliveries", "Undelivered", "delivered", "is_delivered", "is_shown"]

WITHIN = 1.0
"""Seconds after which a request that nobody is shown is told of."""
_AT_ONCE = 100
_AGAIN = 1.0
"""Seconds between looks at what is undelivered, since surfaces of this process come and go without a word."""
_PATIENCE = 10.0
_SHOWN = (EffectState.APPLIED, EffectState.AMBIGUOUS)

_log = logging.getLogger("questions")


@attrs.frozen
class Undelivered:
    """Nobody is shown this request yet: no channel of its audience has shown it, and no surface here does.

    It is open all the same, and may be seen and answered later.
    """

    decision_id: str
    audience: str


def is_delivered(effects: Iterable[Effect]) -> bool:
    """Whether any channel has shown the request, or may have."""
    return any(effect.purpose == "present" and effect.state in _SHOWN for effect in effects)


async def is_shown(gates: GateStore, id: str) -> bool:
    """Whether anybody is shown a request now, or may be. Raises `StoreUnavailable`."""
    return gates.shows_here(id) or is_delivered(found.value for found in await gates.effects(id))


async def delivered(gates: GateStore, id: str, within: float = WITHIN) -> bool:
    """Whether anybody is shown a request within so many seconds. False: no channel of its audience is at work.

    The request is open all the same, and somebody may see it later. Raises `StoreUnavailable`.
    """
    changed, deadline = trio.Event(), trio.current_time() + within

    def heard(_: str | None) -> None:
        changed.set()

    gates.store.follower.listen(EFFECTS.name, heard)
    try:
        while not await is_shown(gates, id):
            with trio.move_on_at(deadline) as patience:
                await changed.wait()
            if patience.cancelled_caught:
                return False
            changed = trio.Event()
        return True
    finally:
        gates.store.follower.unlisten(EFFECTS.name, heard)


class Deliveries:
    """Keeps `GateStore.undelivered` up while its gate server leads. `open_gates` runs one.

    A change costs reading what has changed. `patience`: seconds after which the log says it, too, in one line for all
    of which it is time: a channel that is just starting is no news.
    """

    def __init__(self, gates: GateStore, patience: float = _PATIENCE) -> None:
        self._gates = gates
        self._patience = patience
        self._logged: set[str] = set()
        self._new: dict[str, None] = {}
        self._unseen: dict[str, float] = {}
        """What is not known to be shown, and when it is too late, in trio's time."""
        self._shown: set[str] = set()
        self._is_complete = False
        self._changed = trio.Event()

    async def work(self, _: object = None) -> None:
        """Look after each change, until cancelled. A `Work` of gate servers."""
        follower = self._gates.store.follower
        self._is_complete = False
        for table, hear in ((REQUESTS, self._hear), (EFFECTS, self._hear_effect)):
            follower.listen(table.name, hear)
        try:
            await repeat(self._look, "looking for requests that nobody is shown")
        finally:
            for table, hear in ((REQUESTS, self._hear), (EFFECTS, self._hear_effect)):
                follower.unlisten(table.name, hear)
            self._unseen.clear()
            self._tell(frozenset())

    def _hear(self, id: str | None) -> None:
        if id is None:
            self._is_complete = False
        else:
            self._new[id] = None
        self._changed.set()

    def _hear_effect(self, id: str | None) -> None:
        if id is None:
            self._is_complete = False
        elif self._unseen or self._new:
            self._shown.add(id)
        self._changed.set()

    async def _look(self) -> None:
        self._changed = trio.Event()
        if not self._is_complete:
            self._is_complete = True  # not if something is missed from here on
            self._new |= dict.fromkeys((*self._unseen, *await self._gates.open_ids()))
        await self._read_new()
        await self._read_shown()
        await self._judge()
        with trio.move_on_after(self._rest()):
            await self._changed.wait()

    async def _read_new(self) -> None:
        while self._new:
            ids = list(self._new)[:_AT_ONCE]
            for id in ids:  # what is heard while it is read stands: what was read may be older
                del self._new[id]
            try:
                open, now = await self._open(ids)
            except BaseException:
                self._new |= dict.fromkeys(ids)
                raise
            for id in ids:
                if id in open:
                    self._unseen.setdefault(id, trio.current_time() + max(WITHIN - (now - open[id]) / 1_000, 0))
                else:
                    self._unseen.pop(id, None)

    async def _open(self, ids: Sequence[str]) -> tuple[dict[str, int], int]:
        """When each of them that is open was made, and the time now."""
        stored = self._gates.stored
        ended = {row.key for row in (await stored.backend.get(RESOLUTIONS, ids)).rows}
        found = await stored.backend.get(REQUESTS, ids)
        requests = [one.value for one in stored.readable(found.rows, lambda row: read_request(row.value))]
        return {one.decision_id: one.created_at for one in requests if one.decision_id not in ended}, found.now

    async def _read_shown(self) -> None:
        ids, self._shown = list(self._shown), set()
        for start in range(0, len(ids) if self._unseen else 0, _AT_ONCE):
            for found in await self._gates.effects_by_id(ids[start : start + _AT_ONCE]):
                if is_delivered([found.value]):
                    self._unseen.pop(found.value.decision_id, None)

    async def _judge(self) -> None:
        known, now = self._gates.undelivered.value, trio.current_time()
        for id in [id for id, at in self._unseen.items() if at <= now]:
            # What channels have shown is heard; it is read once more before anybody is told otherwise.
            if self._gates.shows_here(id) if id in known else await is_shown(self._gates, id):
                self._unseen.pop(id, None)
        self._tell(frozenset(id for id, at in self._unseen.items() if at <= now))

    def _tell(self, unseen: frozenset[str]) -> None:
        self._gates.undelivered.set(unseen)
        long = {id for id in unseen if self._unseen[id] + self._patience <= trio.current_time()}
        if new := long - self._logged:
            _log.warning("undelivered: nobody is shown decision %s; %d wait so", min(new), len(unseen))
        self._logged = long

    def _rest(self) -> float:
        known = self._gates.undelivered.value
        nearest = min((at for id, at in self._unseen.items() if id not in known), default=math.inf)
        return max(min(nearest - trio.current_time(), _AGAIN if known else math.inf), 0)
