"""A time budget for work that stands still while it waits for people."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import trio

from .errors import WorkTimeExceeded

__all__ = ["WorkClock", "current_work_clock", "work_clock"]

_CURRENT: ContextVar[WorkClock | None] = ContextVar("work_clock", default=None)


class WorkClock:
    """A running budget of work time. Made by `work_clock`; lives for its block."""

    def __init__(self, seconds: float, outer: WorkClock | None) -> None:
        self.seconds = seconds
        """The budget."""
        self._outer = outer
        self._used = 0.0
        self._since: float | None = trio.current_time()
        self._scope = trio.CancelScope(deadline=self._since + seconds)
        self._pauses = 0
        self._over = False

    @property
    def left(self) -> float:
        """Seconds of work that are left, 0 or more; does not change while an ask is open, and after the block."""
        return max(0.0, self.seconds - self.used)

    @property
    def used(self) -> float:
        """Seconds of work so far."""
        return self._used if self._since is None else self._used + trio.current_time() - self._since

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let the clock, and those around it, stand still during the block. Blocks that overlap pause once."""
        self._pause()
        try:
            yield
        finally:
            self._resume()

    def _pause(self) -> None:
        if self._outer is not None:
            self._outer._pause()
        self._pauses += 1
        self._stop()

    def _stop(self) -> None:
        self._used, self._since = self.used, None
        self._scope.deadline = float("inf")

    def _resume(self) -> None:
        self._pauses -= 1
        if self._pauses == 0 and not self._over:
            self._since = trio.current_time()
            self._scope.deadline = self._since + self.left
        if self._outer is not None:
            self._outer._resume()

    def _end(self) -> None:
        """The block is over; tasks that it has started elsewhere may still ask."""
        self._over = True
        self._stop()


@contextmanager
def work_clock(seconds: float) -> Iterator[WorkClock]:
    """Bound the block to so many seconds of its own work: time for which its own asks are open does not count.

    Counts the asks made in the block's context, tasks started in it included. A clock inside another pauses both.
    `seconds`: 0 or more. When the budget is spent the block is cancelled and `WorkTimeExceeded` raised; asks that
    are open then are none, since the clock stands still for them.
    """
    if not seconds >= 0:
        raise ValueError(f"seconds of work must be 0 or more, not {seconds!r}")
    clock = WorkClock(seconds, _CURRENT.get())
    token = _CURRENT.set(clock)
    try:
        with clock._scope:
            yield clock
    finally:
        clock._end()
        _CURRENT.reset(token)
    if clock._scope.cancelled_caught:
        raise WorkTimeExceeded(seconds)


def current_work_clock() -> WorkClock | None:
    """The innermost work clock that this code runs under. What waits for people pauses it."""
    return _CURRENT.get()
