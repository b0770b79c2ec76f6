"""An object of a worker's, as the server holds it for one of its peers: calls pass through, readables are mirrored."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import outcome
import trio
from msgspec import Raw

from facets.errors import FacetError, Forbidden, GoingAway, LinkLimitExceeded, LinkLost, Unavailable
from facets.principal import Who
from facets.readable import Readable

from . import messages
from .awaiting import abandon_later
from .following import apply_to
from .interface import Interface
from .items import Held, Made
from .mirror import KeyedMirror, ValueMirror
from .offered import PassedOn, Told, ToWire
from .owner import AWAY, Owner
from .refusals import error_of

__all__ = ["RelayedObject"]

_PATIENCE = 10.0
"""Seconds for which an object is waited for; a worker gives or refuses it at once."""
_MOST_HELD = 2_000
"""Objects of one session for one principal, over all its connections, so that others find room at the worker."""
_MOST_MARKS = 64
_MOST_KEYS = 100_000
_LONGEST_REASON = 200
_MOST_BYTES = 2**26
"""Of one mirrored mapping; a worker that sends more is cut off."""


class RelayedObject:
    """Lives until it is released. `who`: on whose behalf, as the server has authenticated them. `is_closed()`: whether
    the server takes nothing new any more.

    Raises `Unavailable` while the worker is away.
    """

    def __init__(
        self, owner: Owner, interface: Interface, input: bytes, who: Who, is_closed: Callable[[], bool]
    ) -> None:
        self.face = ""
        self.who = who
        self._owner = owner
        self._is_closed = is_closed
        self._interface = interface
        self._mirrors: dict[str, Readable[Any]] = {}
        self._known = trio.Event()
        self._error: Exception | None = None
        self._now = 0.0
        if owner.held_for[who.principal] >= _MOST_HELD:
            raise LinkLimitExceeded("objects of one session for one principal", _MOST_HELD)
        try:
            name = "" if who.name == who.principal.id else who.name
            self._held = owner.session.get(interface.name, input, who.principal, name)
        except LinkLost:
            raise Unavailable(owner.session.where) from None
        self._held.owner = self._told
        self._is_held = True
        owner.in_use += 1
        owner.held_for[who.principal] += 1
        owner.push()

    def keep(self) -> None:
        """It stands for one that was held already: it is got again until the worker refuses it for good."""
        self._held.is_known = True

    def _told(self, message: messages.Received) -> None:
        try:
            if isinstance(message, messages.Got):
                self._got(message)
            elif isinstance(message, messages.Refused):
                self._error = error_of(message)
        except FacetError:
            self._error = Unavailable(self._owner.session.where)
            raise
        finally:
            self._known.set()

    def _got(self, got: messages.Got) -> None:
        principal = self.who.principal
        if (got.principal.kind, got.principal.id) != (principal.kind, principal.id):
            raise Forbidden("a worker acts on behalf of whom the server says, and of nobody else")
        self.face, self._now, self._error = self._interface.face(got.face).name, got.now, None

    def now(self) -> float:
        """The worker's clock when it gave the object."""
        return self._now

    async def ready(self) -> None:
        """Return once the worker has given it; raises what it says instead, or `Unavailable` if it says nothing."""
        with trio.move_on_after(_PATIENCE):
            await self._known.wait()
        if not self._known.is_set():
            self._error = Unavailable(self._owner.session.where)
        if self._error is not None:
            self.release(lost=False)
            raise self._error

    def call(self, method: str, args: Raw) -> Any:
        """Pass a call on. Cancelled, it gives the call up at the worker, and takes what has come before that.

        Raises `GoingAway` for one that may be made again, once the server takes nothing new: its end would come too
        late for this server, and the next one can pass it on.
        """
        if self.face:
            known = self._interface.face(self.face).methods.get(method)
            if known is None:
                raise Forbidden(f"{self.who.principal} may not call {method[:50]}")
            if known.again is not None and self._is_closed():
                raise GoingAway()
        if self._held.gone and self._error is not None:
            raise self._error
        session = self._owner.session
        try:
            made = session.call(self._held, method, bytes(args))
        except LinkLost:  # nothing was sent, so nothing was done
            raise Unavailable(session.where) from None
        self._owner.push()
        return _CallOfWorker(self._owner, made)

    def readable(self, name: str) -> tuple[Readable[Any], ToWire | None]:
        """A mirror of a readable of the worker's; one for all watches of this object."""
        keyed = self._interface.watchable(name).keyed
        if self.face and name not in self._interface.face(self.face).readables:
            raise Forbidden(f"{self.who.principal} may not watch {name}")
        mirror = self._mirrors.get(name)
        if mirror is None:
            mirror = self._mirrors[name] = (_KeyedRelay if keyed else _ValueRelay)(self._owner, self._held, name)
        return mirror, None

    def release(self, lost: bool) -> None:
        """Let the worker release it."""
        if self._is_held:
            self._is_held = False
            self._owner.in_use -= 1
            self._owner.held_for[self.who.principal] -= 1
            if not self._owner.held_for[self.who.principal]:
                del self._owner.held_for[self.who.principal]
            self._owner.session.release(self._held, lost)
            self._owner.push()
            self._known.set()


class _CallOfWorker(PassedOn):
    """A call that a worker works on."""

    def __init__(self, owner: Owner, made: Made) -> None:
        self._owner = owner
        self._made = made
        self._told: Told
        self._over: trio.Event | None = None

    def when_over(self, told: Told) -> None:
        self._told, self._made.owner = told, self._end

    def cancel(self) -> None:
        if self._over is not None:
            return
        self._over = trio.Event()
        waits = self._owner.session.cancel(self._made)
        self._owner.push()
        if waits:
            trio.lowlevel.spawn_system_task(abandon_later, self._owner.session, self._made, self._over, self._end)
        else:
            self._end(messages.Cancelled(0))

    def _end(self, message: messages.Received) -> None:
        self._made.owner = None
        if self._over is not None:
            self._over.set()
        if isinstance(message, messages.RawReturned):
            self._told(outcome.Value(message.value))
        elif isinstance(message, messages.Refused):
            self._told(outcome.Error(error_of(message)))
        else:
            self._told(None)


class _Marks:
    """Which revision of a worker's each revision of its mirror shows; a bounded number of them."""

    def __init__(self) -> None:
        self._epoch = ""
        self._marks: deque[tuple[int, int]] = deque()

    def add(self, mirrored: int, epoch: str, theirs: int) -> None:
        if epoch != self._epoch:  # of a readable that is no more
            self._epoch = epoch
            self._marks.clear()
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

    __slots__ = ("_bytes", "_followed", "_marks", "_owner", "ahead")

    def __init__(self, owner: Owner, held: Held, name: str) -> None:
        super().__init__()
        self.ahead = 0.0
        """Seconds that the worker's clock, which times in its values go by, is ahead of this server's."""
        self._bytes = 0
        self._owner = owner
        self._marks = _Marks()
        self._followed = _follow(self, owner, held, name, self._told)

    def _told(self, message: messages.Received) -> None:
        apply_to(self, message, _as_it_came)
        self.ahead = _ahead(message, self._owner, self.ahead)
        if len(self) > _MOST_KEYS or self._bytes > _MOST_BYTES:
            raise LinkLimitExceeded("bytes of what is watched", _MOST_BYTES)
        if isinstance(message, messages.RawSnapshot | messages.RawDifference):
            self._marks.add(self.version, self._followed.epoch, self._followed.revision)

    def put(self, key: str, raw: Raw) -> None:
        """As for any mapping; the bytes are counted."""
        self._bytes += _size(key, raw) - _size(key, self.raw_of(key))
        super().put(key, raw)

    def drop(self, key: str, reason: str) -> None:
        """As for any mapping; the bytes are counted, and reasons are short."""
        self._bytes -= _size(key, self.raw_of(key))
        super().drop(key, reason[:_LONGEST_REASON])

    def acknowledge(self, revision: int) -> None:
        """Somebody has been shown the mirror up to a revision (Q-POL-5)."""
        theirs = self._marks.reached(revision)
        if theirs >= 0:
            self._owner.session.acknowledge(self._followed, theirs)
            self._owner.push()


class _ValueRelay(ValueMirror):
    """A readable of a worker's, mirrored as it comes."""

    __slots__ = ("_owner", "ahead")

    def __init__(self, owner: Owner, held: Held, name: str) -> None:
        super().__init__()
        self.ahead = 0.0
        """As for a keyed one."""
        self._owner = owner
        _follow(self, owner, held, name, self._told)

    def _told(self, message: messages.Received) -> None:
        self.ahead = _ahead(message, self._owner, self.ahead)
        apply_to(self, message, _as_it_came)


def _follow(
    mirror: KeyedMirror[Raw] | ValueMirror,
    owner: Owner,
    held: Held,
    name: str,
    told: Callable[[messages.Received], None],
) -> Any:
    if owner.peer is None:
        mirror.lose(AWAY)
    followed = owner.session.follow(held, name)
    followed.owner = told
    owner.push()
    return followed


def _ahead(message: messages.Received, owner: Owner, ahead: float) -> float:
    return message.now - owner.now() if isinstance(message, messages.RawSnapshot | messages.RawDifference) else ahead


def _as_it_came(value: Raw, _: float) -> Raw:
    return value.copy()  # else it would keep all of the frame that it came in


def _size(key: str, raw: Raw | None) -> int:
    return 0 if raw is None else memoryview(raw).nbytes + len(key)
