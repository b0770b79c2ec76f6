"""How long to wait before the next try."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Backoff"]


class Backoff:
    """Pauses that double, each with full jitter below it, so that a thousand clients do not come back at once.

    `shortest`, `longest`: seconds. `chance()`: a number from 0 to 1. Exponential backoff with jitter, as usual; the
    first pause is at most `shortest`.
    """

    __slots__ = ("_chance", "_longest", "_next", "_shortest")

    def __init__(self, chance: Callable[[], float], shortest: float = 0.1, longest: float = 5.0) -> None:
        self._chance = chance
        self._shortest = self._next = shortest
        self._longest = longest

    def pause(self) -> float:
        """Seconds to wait now."""
        pause, self._next = self._next, min(self._next * 2, self._longest)
        return pause * (0.5 + 0.5 * self._chance())

    def reset(self) -> None:
        """It has worked: begin from the start the next time."""
        self._next = self._shortest
