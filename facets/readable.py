"""Values that change, and how to follow them.

A `Cell` is set, a `derive`d readable is worked out from declared sources, and both are pulled: a change only says
"maybe different", once, to whoever has read since the last time; the reader then compares version numbers. So a
diamond has no glitch, equal results stop a change, and any number of changes in one scheduler step wake a watcher
once, with the newest value and never a queue.

The design follows the pull-and-version scheme of reactive signals (Preact signals 1.x), with declared sources in
place of tracked reads, and listeners that are forgotten when told. Belongs to one thread: the one that runs trio.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from trio.lowlevel import Abort, checkpoint_if_cancelled, current_task, reschedule, wait_task_rescheduled

__all__ = ["Cell", "Changes", "CyclicRead", "Listener", "Readable", "derive"]

T = TypeVar("T")


class CyclicRead(RuntimeError):
    """A derived readable was read by its own computation."""


class Listener(Protocol):
    """What `Readable.listen` takes."""

    def invalidate(self) -> None:
        """Called once, in the step of the change. Must neither raise nor read anything: only note and wake."""


class Readable(Generic[T]):
    """A value that changes over time. Read it with `value`, follow it with `changes()`."""

    __slots__ = ("__weakref__", "_listeners")

    def __init__(self) -> None:
        self._listeners: dict[Listener, None] = {}

    @property
    def value(self) -> T:
        """The current value; raises what the computation of it raised."""
        raise NotImplementedError

    @property
    def version(self) -> int:
        """Grows with each change of the value, and only grows. Reading it brings the readable up to date."""
        raise NotImplementedError

    def changes(self) -> Changes[T]:
        """Follow the value: the current one first, then the newest after each change.

        The iterator holds nothing between two steps, so it may simply be dropped. A checkpoint in the sense that
        it can be cancelled; it yields to other tasks only when it has to wait.
        """
        return Changes(self)

    async def changed(self, since: int) -> int:
        """Wait until `version` differs from `since` (-1: from nothing), and return it. Cancelling changes nothing."""
        if (version := self.version) != since:
            await checkpoint_if_cancelled()
            return version
        while version == since:
            parked = _Parked(self)
            self.listen(parked)
            await wait_task_rescheduled(parked.abort)
            version = self.version
        return version

    def listen(self, listener: Listener) -> None:
        """Call `listener.invalidate()` once, at the next possible change. Read `version` first, then listen."""
        self._listeners[listener] = None

    def unlisten(self, listener: Listener) -> None:
        """Take `listen` back; does nothing for a listener that has been told."""
        self._listeners.pop(listener, None)

    def _notify(self) -> None:
        listeners, self._listeners = self._listeners, {}
        for listener in listeners:
            listener.invalidate()


class Changes(Generic[T]):
    """The iterator of `Readable.changes()`. Each has its own place; dropping one costs nothing."""

    __slots__ = ("_source", "_version")

    def __init__(self, source: Readable[T]) -> None:
        self._source = source
        self._version = -1

    def __aiter__(self) -> Changes[T]:
        return self

    async def __anext__(self) -> T:
        self._version = await self._source.changed(self._version)
        return self._source.value


class _Parked:
    """A task that waits for a readable to change."""

    __slots__ = ("_source", "_task")

    def __init__(self, source: Readable[Any]) -> None:
        self._source = source
        self._task = current_task()

    def invalidate(self) -> None:
        reschedule(self._task)

    def abort(self, _: object) -> Abort:
        self._source.unlisten(self)
        return Abort.SUCCEEDED


class Cell(Readable[T]):
    """A readable that is set. Setting an equal value is no change. Lives as long as somebody refers to it."""

    __slots__ = ("_value", "_version")

    def __init__(self, value: T) -> None:
        super().__init__()
        self._value = value
        self._version = 0

    @property
    def value(self) -> T:
        """The value that was set last."""
        return self._value

    @property
    def version(self) -> int:
        """How many times the value has changed."""
        return self._version

    def set(self, value: T) -> None:
        """Set the value and tell the listeners. Plain: no checkpoint, and nobody runs before the caller goes on."""
        if value is self._value or value == self._value:
            return
        self._value = value
        self._version += 1
        self._notify()


def derive(sources: Sequence[Readable[Any]], compute: Callable[..., T]) -> Readable[T]:
    """A readable worked out from others: `derive([a, b], fn).value == fn(a.value, b.value)`.

    It is worked out when read, and only if a source has changed; an equal result counts as no change. What
    `compute` raises is kept and raised to every reader until a source changes. `compute` is plain, quick, and reads
    nothing but its arguments. While nobody waits for it, no source refers to it.
    """
    return _Derived(sources, compute)


class _Derived(Readable[T]):
    __slots__ = ("_armed", "_compute", "_computing", "_error", "_seen", "_sources", "_value", "_version")

    _value: T

    def __init__(self, sources: Sequence[Readable[Any]], compute: Callable[..., T]) -> None:
        super().__init__()
        self._sources = tuple(sources)
        self._compute = compute
        self._seen: tuple[int, ...] | None = None
        self._error: Exception | None = None
        self._version = 0
        self._armed = False
        self._computing = False

    @property
    def value(self) -> T:
        """The result for the sources' current values."""
        self._refresh()
        if self._error is not None:
            raise self._error.with_traceback(None)
        return self._value

    @property
    def version(self) -> int:
        """How many different results there have been."""
        self._refresh()
        return self._version

    def listen(self, listener: Listener) -> None:
        """As for any readable; from the first listener on, the sources know of this one."""
        if not self._armed:
            self._refresh()
            self._armed = True
            for source in self._sources:
                source.listen(self)
        super().listen(listener)

    def unlisten(self, listener: Listener) -> None:
        """As for any readable; with the last listener the sources forget this one."""
        super().unlisten(listener)
        if not self._listeners:
            self._disarm()

    def invalidate(self) -> None:
        """A source may have changed: pass it on, once, and compare versions at the next read."""
        self._disarm()
        self._notify()

    def _disarm(self) -> None:
        if self._armed:
            self._armed = False
            for source in self._sources:
                source.unlisten(self)

    def _refresh(self) -> None:
        if self._armed:  # nothing has said otherwise since it was worked out
            return
        if self._computing:
            raise CyclicRead("a derived readable was read by its own computation")
        self._computing = True
        try:
            seen = tuple([source.version for source in self._sources])
            if seen != self._seen:
                self._recompute()
                self._seen = seen
        finally:
            self._computing = False

    def _recompute(self) -> None:
        try:
            value = self._compute(*[source.value for source in self._sources])
        except Exception as error:
            self._error = error
        else:
            if self._seen is not None and self._error is None and value == self._value:
                return
            self._value, self._error = value, None
        self._version += 1
