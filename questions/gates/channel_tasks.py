"""`ChannelTasks`: what there is to be shown in a channel, read once, and kept up from the feed of its store."""

from __future__ import annotations

import math

import trio

from .outbox import Effect, EffectState
from .store import GateStore

__all__ = ["ChannelTasks"]

_AT_ONCE = 500
_TO_BEGIN = (EffectState.PENDING, EffectState.REJECTED)


class ChannelTasks:
    """The effects of one channel that are to be begun. What has changed is read, and not all that there is."""

    def __init__(self, gates: GateStore, channel: str) -> None:
        self._gates = gates
        self._channel = channel
        self._pending: dict[str, Effect] = {}
        self._again: dict[str, float] = {}
        """When what was rejected is tried again, in trio's time, by the id of its effect."""
        self._heard: dict[str, None] = {}

    @property
    def nearest(self) -> float:
        """When the first of those that were rejected is tried again."""
        return min(self._again.values(), default=math.inf)

    def hear(self, id: str) -> None:
        """An effect has changed, of whatever channel."""
        self._heard[id] = None

    def try_again(self, id: str, at: float) -> None:
        """It was rejected, and is to be begun anew then."""
        self._again[id] = at

    def done_with(self, id: str) -> None:
        """It was begun, or cannot be. If it changes again it is looked at again."""
        self._pending.pop(id, None)
        self._again.pop(id, None)

    async def read_all(self) -> None:
        """Begin anew, with what is stored."""
        heard, self._heard = self._heard, {}
        try:
            pending = await self._gates.effects_of(self._channel, EffectState.PENDING.value, None)
            rejected = await self._gates.effects_of(self._channel, EffectState.REJECTED.value, None)
        except BaseException:
            self._heard |= heard
            raise
        self._pending = {found.value.id: found.value for found in pending}
        self._again = {found.value.id: trio.current_time() for found in rejected if found.value.tries_left}

    async def due(self) -> list[Effect]:
        """What is to be begun now: requests before ends, and the oldest before the others."""
        await self._catch_up()
        return sorted(self._pending.values(), key=lambda effect: (effect.purpose, effect.created_at))

    async def _catch_up(self) -> None:
        now = trio.current_time()
        self._heard |= dict.fromkeys(id for id, at in self._again.items() if at <= now)
        while self._heard:
            ids = list(self._heard)[:_AT_ONCE]
            for id in ids:  # what is heard while it is read stands: what was read may be older
                del self._heard[id]
            try:
                effects = {found.value.id: found.value for found in await self._gates.effects_by_id(ids)}
            except BaseException:
                self._heard |= dict.fromkeys(ids)
                raise
            for id in ids:
                self._take(id, effects.get(id), now)

    def _take(self, id: str, effect: Effect | None, now: float) -> None:
        self._pending.pop(id, None)
        if effect is None or effect.channel != self._channel or effect.state not in _TO_BEGIN:
            self._again.pop(id, None)
        elif effect.state is EffectState.PENDING or self._again.get(id, math.inf) <= now:
            self._pending[id] = effect
