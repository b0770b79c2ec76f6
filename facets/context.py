"""A call scope: on whose behalf code runs, and what it holds of the host meanwhile."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, Protocol, TypeVar

import trio

from .errors import Unavailable
from .keyed import KeyedReadable
from .principal import Principal, Who
from .references import ObjectKey, Reference
from .waiting import Waiting, WaitingWork

__all__ = ["Ctx", "Holding"]

T = TypeVar("T")
_numbers = count(1)


class Holding(Protocol):
    """What a call scope needs of its host."""

    waiting: WaitingWork

    def hold(self, ctx: Ctx, key: ObjectKey) -> object:
        """Make or find the object at `key` and count the scope as a holder."""

    def release(self, ctx: Ctx, key: ObjectKey, lost: bool) -> None:
        """Count the scope out; `lost` keeps the object for a while."""

    def references(self, kind: type[Any], input: Hashable = None) -> KeyedReadable[ObjectKey, Reference]:
        """Who holds objects of a type and an input."""

    def now(self) -> float:
        """Epoch seconds."""

    def who(self, principal: Principal) -> Who:
        """The principal with its name."""


class Ctx:
    """What code acts through: one principal, and the objects got meanwhile. Lives for one `async with host.root()`.

    Two scopes of the same principal get the same objects. After its end every call raises `Unavailable`.
    """

    def __init__(self, host: Holding, principal: Principal, door: str | None = None) -> None:
        self.principal = principal
        """On whose behalf; stamped by the host."""
        self.door = door
        """How it has come in: `link`, or `web` for a page in a browser; None: it is code of this process."""
        self.lost = False
        """Whether it has ended because its link has dropped."""
        self._host = host
        self._held: dict[ObjectKey, None] = {}
        self._open = True

    async def get(self, kind: type[T], input: Hashable = None) -> T:
        """The object of a type, for an input, that this principal may have. A checkpoint.

        Raises `Unserved` if no facet serves the type, `Forbidden` if this principal may not have it, and what the
        serving facet says of a bad input. The object is held until the scope ends.
        """
        await trio.lowlevel.checkpoint()
        return self.get_nowait(kind, input)

    def get_nowait(self, kind: type[T], input: Hashable = None) -> T:
        """As `get`, at once."""
        if not self._open:
            raise Unavailable("a call scope that has ended")
        key = ObjectKey(kind, input, self.principal)
        found = self._host.hold(self, key)
        self._held[key] = None
        return found  # type: ignore[return-value]  # the facet promised so in serve(kind, make)

    def references(self, kind: type[Any], input: Hashable = None) -> KeyedReadable[ObjectKey, Reference]:
        """Who holds objects of a type and an input, as `host.references`."""
        return self._host.references(kind, input)

    @contextmanager
    def calling(self, what: str, scope: Hashable = None) -> Iterator[None]:
        """Count the block as an active call: `host.waiting` shows it, and `host.drain` waits for it."""
        if not self._open:
            raise Unavailable("a call scope that has ended")
        id = f"call-{next(_numbers)}"
        asker = self._host.who(self.principal)
        self._host.waiting.put(id, _Call(Waiting(id, what, scope, asker, (), (), self._host.now())))
        try:
            yield
        finally:
            self._host.waiting.drop(id, "ended")

    def lose(self) -> None:
        """End the scope because its link has dropped: what it held lingers for the holder to come back."""
        self.lost = True
        self._end(lost=True)

    def end(self) -> None:
        """End the scope: what it held is released. Called at the end of `async with`; again does nothing."""
        self._end(lost=False)

    def _end(self, lost: bool) -> None:
        self._open = False
        errors = []
        while self._held:
            key, _ = self._held.popitem()
            try:
                self._host.release(self, key, lost)
            except Exception as error:
                errors.append(error)
        if errors:
            raise ExceptionGroup("objects could not be released", errors)


class _Call:
    def __init__(self, waiting: Waiting) -> None:
        self._waiting = waiting

    def waiting(self) -> Waiting:
        return self._waiting
