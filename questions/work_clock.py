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
        self._scope = trio.CancelScope(deadline=trio.current_time() + seconds)
        self._left = seconds
        self._pauses = 0

    @property
    def left(self) -> float:
        """Seconds of work that are left; does not change while an ask is open."""
        return self._left if self._pauses else max(0.0, self._scope.deadline - trio.current_time())

    @property
    def used(self) -> float:
        """Seconds of work so far."""
        return self.seconds - self.left

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
        if self._pauses == 0:
            self._left = self.left
            self._scope.deadline = float("inf")
        self._pauses += 1

    def _resume(self) -> None:
        self._pauses -= 1
        if self._pauses == 0:
            self._scope.deadline = trio.current_time() + self._left
        if self._outer is not None:
            self._outer._resume()


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
        _CURRENT.reset(token)
    if clock._scope.cancelled_caught:
        raise WorkTimeExceeded(seconds)


def current_work_clock() -> WorkClock | None:
    """The innermost work clock that this code runs under. What waits for people pauses it."""
    return _CURRENT.get()
