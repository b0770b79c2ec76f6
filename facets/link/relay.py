"""What a server passes on to its workers: whose session it is, there its objects live.

A worker dials in and says which session it owns. Whoever asks the server for an object of that session gets the
worker's, through the server, on behalf of the principal that the server has authenticated. Values pass through as they
came; what is watched is mirrored, so that a slow reader of the server's costs the worker nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import trio

from facets.errors import FacetError, InternalError, LinkLost, Unavailable
from facets.principal import Who

from . import messages
from .interface import Interface
from .owner import Owner, WorkerPeer
from .relayed import RelayedObject

__all__ = ["Relay", "WorkerPeer"]

_log = logging.getLogger("facets.link")
_TICK = 0.25
"""Seconds between looks at what is due."""
_MOST_AWAY = 10_000
"""Workers that are away and used by nobody, of which it is remembered that their session is not this host's."""


class Relay:
    """The workers of one server, by the sessions that they own. Lives as long as the server.

    `take_over(place)`: called when a session has a worker now. `now()`: the server's clock. `only_workers`: whether
    every session lives with a worker, whether or not that has dialled in yet.
    """

    def __init__(
        self,
        take_over: Callable[[str], None],
        now: Callable[[], float],
        *,
        only_workers: bool = False,
    ) -> None:
        self._take_over = take_over
        self._now = now
        self._only_workers = only_workers
        self._owners: dict[str, Owner] = {}
        self._peers: dict[WorkerPeer, Owner] = {}
        self.is_closed = False
        """Whether nothing new is passed on any more: see `RelayedObject.call`."""

    def owns(self, place: str) -> bool:
        """Whether a session's objects live with a worker, also while that is away."""
        return self._only_workers or place in self._owners

    def enter(self, peer: WorkerPeer, place: str) -> None:
        """A worker has dialled in. One that has come back before its old connection was missed replaces that."""
        is_new = place not in self._owners
        owner = self._owners.setdefault(place, Owner(place, self._now))
        if owner.peer is not None:
            old = owner.peer
            self.leave(old)
            old.leave(LinkLost(f"session {place}, whose worker has dialled in again"))
            self._owners[place] = owner
        self._peers[peer] = owner
        owner.enter(peer)
        if is_new:  # afterwards nothing of it is got from anybody else
            self._take_over(place)

    def leave(self, peer: WorkerPeer) -> None:
        """A worker's connection is over; what it owns is unavailable until it comes back."""
        owner = self._peers.pop(peer, None)
        if owner is not None:
            owner.lose()
            self._remember(owner)

    def _remember(self, owner: Owner) -> None:
        """Its session is still its own: the latest stands last, and the earliest that nobody misses is forgotten."""
        self._owners[owner.place] = self._owners.pop(owner.place)
        if len(self._owners) - len(self._peers) > _MOST_AWAY:
            unused = (one.place for one in self._owners.values() if one.peer is None and not one.in_use)
            self._owners.pop(next(unused, ""), None)

    def receive(self, peer: WorkerPeer, message: messages.Received) -> None:
        """A worker has replied. One whose replies are faulty is sent away, and comes back if it can do better."""
        owner = self._peers.get(peer)
        if owner is not None:
            try:
                owner.receive(message)
            except Exception as error:
                _send_away(peer, owner, error)

    def get(self, interface: Interface, place: str, input: bytes, who: Who) -> RelayedObject:
        """Hold an object of a session that a worker owns. Raises `Unavailable` while the worker is away."""
        owner = self._owners.get(place)
        if owner is None:
            raise Unavailable(f"the worker of session {place}")
        return RelayedObject(owner, interface, input, who, lambda: self.is_closed)

    async def run(self) -> None:
        """Ask what is due, and miss who has fallen silent. For as long as it is not cancelled."""
        while True:
            await trio.sleep(_TICK)
            now = trio.current_time()
            for peer, owner in list(self._peers.items()):
                try:
                    owner.tick(now)
                except Exception as error:
                    _send_away(peer, owner, error)

    def describe(self) -> list[dict[str, object]]:
        """The workers as plain data."""
        return [{"session": one.place, "connected": one.peer is not None} for one in self._owners.values()]


def _send_away(peer: WorkerPeer, owner: Owner, error: Exception) -> None:
    told = error if isinstance(error, FacetError) else InternalError()
    why = told if told is error else type(error).__name__  # of others the words may quote what was sent
    _log.warning("the worker of session %s is sent away: %s", owner.place, why)
    peer.leave(told)
