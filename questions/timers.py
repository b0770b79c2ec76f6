"""The times at which something is due, nearest first. One heap for all of them; time is passed in."""

from __future__ import annotations

import heapq
from typing import Generic, TypeVar

__all__ = ["Timers"]

T = TypeVar("T")

_SLACK = 64


class Timers(Generic[T]):
    """A heap of (time, what). Cancelled ones stay until they are more than half of it, and are then swept out.

    So arming and cancelling cost a heap push and, amortised, a constant; memory follows the number that is armed.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, T]] = []
        self._live: dict[int, None] = {}
        self._count = 0

    def arm(self, at: float, what: T) -> int:
        """Have `what` come up at `at`; returns the number to cancel it by."""
        self._count = number = self._count + 1
        heapq.heappush(self._heap, (at, number, what))
        self._live[number] = None
        return number

    def cancel(self, number: int) -> None:
        """Take an armed one back; does nothing for one that has come up."""
        self._live.pop(number, None)
        if len(self._heap) > 2 * len(self._live) + _SLACK:
            self._heap = [item for item in self._heap if item[1] in self._live]
            heapq.heapify(self._heap)

    def pop_due(self, now: float) -> T | None:
        """The next one that is due, or None."""
        while self._heap and self._heap[0][0] <= now:
            _, number, what = heapq.heappop(self._heap)
            if number in self._live:
                del self._live[number]
                return what
        return None

    def nearest(self) -> float:
        """When the next one is due, or infinity."""
        while self._heap and self._heap[0][1] not in self._live:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else float("inf")

    def armed(self) -> list[tuple[float, T]]:
        """What is armed and when it is due, nearest first."""
        return sorted([(at, what) for at, number, what in self._heap if number in self._live], key=lambda one: one[0])

    def __len__(self) -> int:
        return len(self._live)
