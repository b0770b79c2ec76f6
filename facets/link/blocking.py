"""Waiting in plain threads: for what a link's own thread says, and for readables to change."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import partial
from time import monotonic
from typing import Any, Generic, Protocol, TypeVar

from facets.errors import LinkLost
from facets.keyed import Difference
from facets.readable import Readable

__all__ = [
    "BlockingChanges",
    "BlockingDifferences",
    "BlockingKeyedReadable",
    "BlockingReadable",
    "Check",
    "Keeper",
    "Parked",
    "Slot",
    "wait_for",
]

T = TypeVar("T")
V = TypeVar("V")

Check = Callable[[], None]
"""Looks at whether to go on waiting, and raises if not."""

_LOOK_UP = 0.05  # seconds


def wait_for(event: threading.Event, timeout: float | None, check: Check | None) -> None:
    """Wait for an event, `timeout` seconds at most. Raises what `check` does, and what a signal's handler does.

    The main thread looks up now and then: a signal that the system gives to another thread, as it may, wakes no lock.
    """
    if check is None and threading.current_thread() is not threading.main_thread():
        event.wait(timeout)
        return
    until = float("inf") if timeout is None else monotonic() + timeout
    while not event.is_set():
        if check is not None:
            check()
        left = until - monotonic()
        if left <= 0:
            return
        event.wait(min(left, _LOOK_UP))


class Slot:
    """One message that a thread waits for, and what it is about."""

    def __init__(self) -> None:
        self.item: Any = None
        """What has been begun, once it has been; set by the link's thread."""
        self.message: Any = None
        self.is_checked = False
        """Whether it was a check that has interrupted the wait; that one goes on to be checked."""
        self._told = threading.Event()

    @property
    def is_told(self) -> bool:
        """Whether it has come."""
        return self._told.is_set()

    def tell(self, message: Any) -> None:
        """Hand it over; the first one counts."""
        if not self.is_told:
            self.message = message
            self._told.set()

    def wait(self, timeout: float | None = None, check: Check | None = None) -> Any:
        """Wait until it has come, `timeout` seconds at most. A signal's handler may raise out of it (Ctrl-C)."""
        wait_for(self._told, timeout, None if check is None else partial(self._check, check))
        return self.message

    def _check(self, check: Check) -> None:
        try:
            check()
        except BaseException:
            self.is_checked = True
            raise


class Parked:
    """A thread that waits for a readable to change."""

    def __init__(self) -> None:
        self.told = threading.Event()

    def invalidate(self) -> None:
        """The readable may have changed, or the link has ended."""
        self.told.set()


class Keeper(Protocol):
    """What readables need of their link."""

    url: str
    lock: threading.RLock
    parked: set[Parked]
    """Who is to be woken when the link ends."""
    is_ended: bool
    check: Check | None

    def raise_if_owed(self) -> None:
        """Raise the interrupt that came too late for the last call of this thread."""


class BlockingReadable(Generic[T]):
    """A value of another process that changes over time. Read it with `value`, follow it with `changes()`.

    Safe in any thread. While its origin is out of reach it keeps its last value.
    """

    def __init__(self, keeper: Keeper, source: Readable[T]) -> None:
        self._keeper = keeper
        self._source = source

    @property
    def value(self) -> T:
        """The current value; waits for the first one, unless it is known that there is none for now."""
        while self.unavailable == "" and not self._keeper.is_ended:
            self._park(lambda: self.unavailable != "", None)
        with self._keeper.lock:
            return self._source.value

    @property
    def version(self) -> int:
        """Grows with each change of the value, and only grows; -1 until something has come."""
        with self._keeper.lock:
            return self._source.version

    @property
    def unavailable(self) -> str | None:
        """Why its origin cannot be reached now; None: it can; empty: nothing has come from it yet."""
        with self._keeper.lock:
            found: str | None = getattr(self._source, "unavailable", None)
            return found

    @property
    def unavailability(self) -> BlockingReadable[str | None]:
        """The same as something to follow."""
        source: Any = self._source
        return BlockingReadable(self._keeper, source.unavailability)

    def changes(self, timeout: float | None = None) -> BlockingChanges[T]:
        """Follow the value: the current one first, then the newest after each change, and never a queue.

        `timeout`: seconds for each step, which else raises `TimeoutError` and may be tried again. Raises `LinkLost`
        when the link's block has ended. Dropping the iterator costs nothing.
        """
        return BlockingChanges(self, timeout)

    def changed(self, since: int, timeout: float | None = None) -> int:
        """Wait until `version` differs from `since` (-1: from nothing), and return it. Raises as `changes` says."""
        self._keeper.raise_if_owed()
        until = None if timeout is None else monotonic() + timeout
        while (version := self.version) == since:
            if self._keeper.is_ended:
                raise LinkLost(self._keeper.url)
            left = None if until is None else until - monotonic()
            if left is not None and left <= 0:
                raise TimeoutError(f"no change in {timeout:g} s")
            self._park(lambda: self.version != since, left)
        return version

    def _park(self, is_there: Any, timeout: float | None) -> None:
        keeper, parked = self._keeper, Parked()
        with keeper.lock:
            if is_there() or keeper.is_ended:
                return
            self._source.listen(parked)
            keeper.parked.add(parked)
        try:
            wait_for(parked.told, timeout, keeper.check)
        finally:
            with keeper.lock:
                self._source.unlisten(parked)
                keeper.parked.discard(parked)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at version {self.version}>"


class BlockingKeyedReadable(BlockingReadable[Mapping[str, V]]):
    """A mapping of another process that is also followed by its differences."""

    def differences(self, timeout: float | None = None) -> BlockingDifferences[V]:
        """Follow the mapping by its differences: everything first, then what changed, coalesced; see `changes`."""
        return BlockingDifferences(self, timeout)

    def since(self, revision: int) -> Difference[str, V]:
        """What is different since `revision`; -1, or one that is too old, gives everything."""
        source: Any = self._source
        with self._keeper.lock:
            found: Difference[str, V] = source.since(revision)
            return found


class BlockingChanges(Generic[T]):
    """The iterator of `BlockingReadable.changes()`. Each has its own place; dropping one costs nothing."""

    def __init__(self, source: BlockingReadable[T], timeout: float | None) -> None:
        self._source = source
        self._timeout = timeout
        self._version = -1

    def __iter__(self) -> BlockingChanges[T]:
        return self

    def __next__(self) -> T:
        self._version = self._source.changed(self._version, self._timeout)
        return self._source.value


class BlockingDifferences(Generic[V]):
    """The iterator of `BlockingKeyedReadable.differences()`."""

    def __init__(self, source: BlockingKeyedReadable[V], timeout: float | None) -> None:
        self._source = source
        self._timeout = timeout
        self._revision = -1

    def __iter__(self) -> BlockingDifferences[V]:
        return self

    def __next__(self) -> Difference[str, V]:
        while True:
            self._source.changed(self._revision, self._timeout)
            difference = self._source.since(self._revision)
            self._revision = difference.revision
            if difference:
                return difference
