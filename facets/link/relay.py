"""What a server passes on to its workers: whose session it is, there its objects live.

A worker dials in and says which sessions it owns. Whoever asks the server for an object of such a session gets the
worker's, through the server, on behalf of the principal that the server has authenticated. Values pass through as they
came; what is watched is mirrored, so that a slow reader of the server's costs the worker nothing.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import Any, Protocol

import trio
from msgspec import Raw

from facets.errors import FacetError, LinkLost, Unavailable
from facets.principal import Principal, Who
from facets.readable import Readable

from . import messages
from .awaiting import end_of
from .calling import CallingSession
from .following import apply_to
from .interface import Interface
from .items import Event, Held
from .mirror import KeyedMirror, ValueMirror
from .offered import ToWire
from .refusals import error_of

__all__ = ["Relay", "RelayedObject", "WorkerPeer"]

_MOST_MARKS = 64
_AWAY = "its worker is away"


class WorkerPeer(Protocol, Hashable):
    """The connection that a worker has dialled, as the relay sees it."""

    def leave(self, error: FacetError) -> None:
        """Send it away."""


class Relay:
    """The workers of one server, by the sessions that they own. Lives as long as the server."""

    def __init__(self, take_over: Callable[[str], None], nursery: trio.Nursery) -> None:
        self._take_over = take_over
        self._nursery = nursery
        self._workers: dict[str, _Worker] = {}
        self._peers: dict[WorkerPeer, list[_Worker]] = {}

    def owns(self, place: str | None) -> bool:
        """Whether a session's objects live with a worker, also while that is away."""
        return place in self._workers

    def enter(self, peer: WorkerPeer, places: Iterable[str], send: Callable[[list[bytes]], None]) -> None:
        """A worker has dialled in. One that has come back before its old connection was missed replaces that."""
        for place in places:
            worker = self._workers.get(place)
            if worker is None:
                worker = self._workers[place] = _Worker(place)
            elif worker.peer is not None:
                old = worker.peer
                self.leave(old)
                old.leave(LinkLost(f"session {place}, whose worker has dialled in again"))
                self._workers[place] = worker
            self._peers.setdefault(peer, []).append(worker)
            worker.enter(peer, send)
            self._take_over(place)

    def leave(self, peer: WorkerPeer) -> None:
        """A worker's connection is over; what it owns is unavailable until it comes back."""
        for worker in self._peers.pop(peer, []):
            worker.lose()
            if not worker.in_use:
                self._workers.pop(worker.place, None)

    def receive(self, peer: WorkerPeer, message: messages.Received) -> None:
        """A worker has replied."""
        for worker in self._peers.get(peer, ()):
            worker.receive(message)

    def get(self, interface: Interface, place: str, input: bytes, who: Who) -> RelayedObject:
        """Hold an object of a session that a worker owns. Raises `Unavailable` while the worker is away."""
        return RelayedObject(self._workers[place], interface, input, who, self._nursery)

    def describe(self) -> list[dict[str, object]]:
        """The workers as plain data."""
        return [{"session": one.place, "connected": one.peer is not None} for one in self._workers.values()]


class _Worker:
    """One session's worker: what the server asks of it, over one connection after another."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.peer: WorkerPeer | None = None
        self.session = CallingSession(f"the worker of session {place}", random.random, acknowledges=False)
        self.in_use = 0
        self._send: Callable[[list[bytes]], None] = lambda _: None

    def enter(self, peer: WorkerPeer, send: Callable[[list[bytes]], None]) -> None:
        self.peer, self._send = peer, send
        self.session.answered(trio.current_time())
        self.push()

    def lose(self) -> None:
        self.peer, self._send = None, lambda _: None
        self._tell(self.session.lost())

    def receive(self, message: messages.Received) -> None:
        self._tell(self.session.receive(message, trio.current_time()))
        self.push()

    def push(self) -> None:
        if self.session.out:
            self._send(self.session.take_out())

    @staticmethod
    def _tell(events: list[Event]) -> None:
        for item, message in events:
            if item is not None and item.owner is not None:
                item.owner(message)


class RelayedObject:
    """An object of a worker's, held for a peer of the server's."""

    def __init__(self, worker: _Worker, interface: Interface, input: bytes, who: Who, nursery: trio.Nursery) -> None:
        self.face = ""
        self.who = who
        self._worker = worker
        self._interface = interface
        self._nursery = nursery
        self._mirrors: dict[str, Readable[Any]] = {}
        self._known = trio.Event()
        self._error: Exception | None = None
        self._now = 0.0
        try:
            self._held = worker.session.get(interface.name, input, who.principal)
        except LinkLost:
            raise Unavailable(worker.session.where) from None
        self._held.owner = self._told
        worker.in_use += 1
        worker.push()

    def _told(self, message: messages.Received) -> None:
        if isinstance(message, messages.Got):
            self.face, self._now = message.face, message.now
            self.who = Who(Principal(message.principal.kind, message.principal.id), message.principal.name)  # type: ignore[arg-type]
        elif isinstance(message, messages.Refused):
            self._error = error_of(message)
        self._known.set()

    def now(self) -> float:
        """The worker's clock when it gave the object."""
        return self._now

    async def ready(self) -> None:
        """Return once the worker has given it; raises what it says instead."""
        await self._known.wait()
        if self._error is not None:
            raise self._error

    def call(self, method: str, args: Raw) -> Any:
        """Pass a call on. Cancelled, it gives the call up at the worker, and takes what has come before that."""
        return self._call(method, bytes(args))

    async def _call(self, method: str, args: bytes) -> Any:
        made = self._worker.session.call(self._held, method, args)
        self._worker.push()
        return await end_of(self._worker.session, made, self._worker.push, self._nursery)

    def readable(self, name: str) -> tuple[Readable[Any], ToWire | None]:
        """A mirror of a readable of the worker's; one for all who watch it."""
        mirror = self._mirrors.get(name)
        if mirror is None:
            kind = _KeyedRelay if self._interface.watchable(name).keyed else _ValueRelay
            mirror = self._mirrors[name] = kind(self._worker, self._held, name)
        return mirror, None

    def release(self, lost: bool) -> None:
        """Let the worker release it."""
        self._worker.session.release(self._held, lost)
        self._worker.in_use -= 1
        self._worker.push()


class _Marks:
    """Which revision of a worker's each revision of its mirror shows; a bounded number of them."""

    def __init__(self) -> None:
        self._marks: deque[tuple[int, int]] = deque()

    def add(self, mirrored: int, theirs: int) -> None:
        self._marks.append((mirrored, theirs))
        if len(self._marks) > _MOST_MARKS:
            del self._marks[-2]  # an acknowledgement of it then counts with the next one

    def reached(self, mirrored: int) -> int:
        """The worker's revision that is shown by one of the mirror; -1: none that is not known already."""
        theirs = -1
        while self._marks and self._marks[0][0] <= mirrored:
            theirs = self._marks.popleft()[1]
        return theirs


class _KeyedRelay(KeyedMirror[Raw]):
    """A keyed readable of a worker's, mirrored as it comes."""

    __slots__ = ("_followed", "_marks", "_worker")

    def __init__(self, worker: _Worker, held: Held, name: str) -> None:
        super().__init__()
        if worker.peer is None:
            self.lose(_AWAY)
        self._worker = worker
        self._marks = _Marks()
        self._followed = worker.session.follow(held, name)
        self._followed.owner = self._told
        worker.push()

    def _told(self, message: messages.Received) -> None:
        apply_to(self, message, _as_it_came)
        self._marks.add(self.version, self._followed.revision)

    def acknowledge(self, revision: int) -> None:
        """Somebody has been shown the mirror up to a revision."""
        theirs = self._marks.reached(revision)
        if theirs >= 0:
            self._worker.session.acknowledge(self._followed, theirs)
            self._worker.push()


class _ValueRelay(ValueMirror):
    """A readable of a worker's, mirrored as it comes."""

    __slots__ = ("_followed",)

    def __init__(self, worker: _Worker, held: Held, name: str) -> None:
        super().__init__()
        if worker.peer is None:
            self.lose(_AWAY)
        self._followed = worker.session.follow(held, name)
        self._followed.owner = self._told
        worker.push()

    def _told(self, message: messages.Received) -> None:
        apply_to(self, message, _as_it_came)


def _as_it_came(value: Raw, _: float) -> Raw:
    return value
