"""What one principal sees of one scope."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from facets.keyed import KeyedCell
from facets.principal import Principal
from facets.readable import Readable

from .open_question import OpenQuestion
from .reports import ClosedQuestion
from .scopes import Scope

if TYPE_CHECKING:
    from .pending import Pending

__all__ = ["Board", "ClosedQuestions"]


class ClosedQuestions(Readable[tuple[ClosedQuestion, ...]]):
    """The questions that left one viewer's `open` of late, oldest first; bounded in number and in time."""

    __slots__ = ("_closed", "_now", "_seconds", "_version")

    def __init__(self, most: int, seconds: float, now: Callable[[], float]) -> None:
        super().__init__()
        self._closed: deque[ClosedQuestion] = deque(maxlen=most)
        self._seconds = seconds
        self._now = now
        self._version = 0

    @property
    def value(self) -> tuple[ClosedQuestion, ...]:
        """Those of the last while. Time alone changes no version: read it again to see the old ones go."""
        closed, oldest = self._closed, self._now() - self._seconds
        while closed and closed[0].at < oldest:
            closed.popleft()
        return tuple(closed)

    @property
    def version(self) -> int:
        """How many have come."""
        return self._version

    def add(self, closed: ClosedQuestion) -> None:
        """One more has left."""
        self._closed.append(closed)
        self._version += 1
        self._notify()


class Board:
    """The open and the closed questions of one principal in one scope. Kept by the store, while somebody views it."""

    __slots__ = ("closed", "level", "open", "principal", "scope")

    def __init__(
        self,
        principal: Principal,
        scope: Scope,
        level: str,
        show: Callable[[Board, str, Pending], OpenQuestion],
        closed: ClosedQuestions,
    ) -> None:
        self.principal = principal
        self.scope = scope
        self.level = level
        self.closed = closed
        self.open: KeyedCell[str, Pending, OpenQuestion] = KeyedCell(partial(show, self), order=_number)

    def end(self, reason: str) -> None:
        """Take everything off the board."""
        for id in self.open.raw:
            self.open.drop(id, reason)


def _number(pending: Pending) -> int:
    return pending.entry.ask.number
