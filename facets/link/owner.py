"""The worker of one session, as its server sees it: what is asked of it, over one connection after another."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Protocol

import trio

from facets.errors import FacetError, LinkLost
from facets.principal import Principal

from . import messages
from .calling import CallingSession
from .items import Event

__all__ = ["AWAY", "Owner", "WorkerPeer"]

AWAY = "its worker is away"
"""What viewers of a session are told meanwhile."""

_SILENCE = 30.0
"""Seconds for which a worker may say nothing although it was asked something; it is pinged every ten of them."""


class WorkerPeer(Protocol, Hashable):
    """The connection that a worker has dialled, as the relay sees it."""

    def leave(self, error: FacetError) -> None:
        """Send it away."""

    def ask(self, frames: list[bytes]) -> None:
        """Send what the relay asks. May not end the connection before it returns."""


class Owner:
    """One session's worker. Outlives its connections. `now()`: this server's clock, epoch seconds."""

    def __init__(self, place: str, now: Callable[[], float]) -> None:
        self.place = place
        self.peer: WorkerPeer | None = None
        """Its connection; None while it is away."""
        self.session = CallingSession(f"the worker of session {place}", random.random, acknowledges=False)
        self.in_use = 0
        """How many objects are held for peers of the server."""
        self.held_for: Counter[Principal] = Counter()
        """And for each principal: all share what the worker takes over one connection."""
        self.now = now
        self._asked: float | None = None

    def enter(self, peer: WorkerPeer) -> None:
        """It has dialled in: what is held is got again, what is followed goes on."""
        self.peer, self._asked = peer, None
        self.session.answered(trio.current_time())
        self.push()

    def lose(self) -> None:
        """Its connection is over: calls get `LinkLost`, watches are unavailable until it is back."""
        self.peer = None
        self._tell(self.session.lost())

    def receive(self, message: messages.Received) -> None:
        """It has replied. Raises what is wrong with that; the connection is then not to be trusted any more."""
        self._asked = None
        self._tell(self.session.receive(message, trio.current_time()))
        self.push()

    def push(self) -> None:
        """Send what there is to ask."""
        if self.session.out and self.peer is not None:
            if self._asked is None:
                self._asked = trio.current_time()
            self.peer.ask(self.session.take_out())

    def tick(self, now: float) -> None:
        """Ask what is due. Raises `LinkLost` if it has been silent for too long."""
        due = self.session.due()
        if due == float("inf"):
            self._asked = None  # nothing is waited for
        elif self._asked is not None and now - self._asked > _SILENCE:
            raise LinkLost(self.session.where)
        elif due <= now:
            self.session.tick(now)
            self.push()

    def _tell(self, events: list[Event]) -> None:
        for item, message in events:
            if item is not None:
                if item.owner is not None:
                    item.owner(message)
            elif isinstance(message, messages.Pong | messages.Goodbye):  # frames were lost, or it is leaving
                raise LinkLost(self.session.where)
