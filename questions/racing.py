"""Asking several questions of which one answer is enough, or racing an ask against other work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import attrs
import trio

from facets.errors import FacetError

__all__ = ["Winner", "first_of"]

T = TypeVar("T")


@attrs.frozen
class Winner(Generic[T]):
    """What `first_of` returns."""

    place: int
    """Which of its arguments won, from 0."""
    result: T


async def first_of(*contenders: Callable[[], Awaitable[T]]) -> Winner[T]:
    """Run all of these at once; the first that returns wins, and the others are cancelled.

        winner = await first_of(
            lambda: asker.ask(Text("Paste the code", secret=True), audience=[ana]),
            callback.wait,
        )

    A question that loses is withdrawn in the same step: no timer and nothing on any board is left of it. If one of
    them fails as asks do (`Expired`, `StoreClosed`, any `FacetError`), it is out of the race, and the others go on;
    when all are out their errors are raised, one as it is, several in a group. Any other error ends the race at
    once and comes out as it is. Cancelling it cancels all. Raises `ValueError` without contenders.
    """
    if not contenders:
        raise ValueError("first_of needs at least one contender")
    race = _Race[T]()
    async with trio.open_nursery() as nursery:
        for place, contender in enumerate(contenders):
            nursery.start_soon(race.run, place, contender, nursery.cancel_scope)
    return race.result()


class _Race(Generic[T]):
    def __init__(self) -> None:
        self._winner: Winner[T] | None = None
        self._out: list[FacetError] = []
        self._failure: Exception | None = None

    async def run(self, place: int, contender: Callable[[], Awaitable[T]], scope: trio.CancelScope) -> None:
        try:
            result = await contender()
        except FacetError as error:
            self._out.append(error)
        except Exception as error:
            self._failure = self._failure or error
            scope.cancel()
        else:
            self._winner = self._winner or Winner(place, result)
            scope.cancel()

    def result(self) -> Winner[T]:
        if self._failure is not None:
            raise self._failure
        if self._winner is not None:
            return self._winner
        if len(self._out) == 1:
            raise self._out[0]
        raise ExceptionGroup("nothing won the race", self._out)
