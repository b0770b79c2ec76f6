"""What one principal sees of one scope."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from facets.facet import Environment
from facets.keyed import KeyedCell, KeyedReadable
from facets.principal import Principal
from facets.readable import Readable

from .entry import Ask
from .limits import Limits
from .open_question import OpenQuestion
from .reports import ClosedQuestion
from .scopes import Scope

if TYPE_CHECKING:
    from .pending import Pending

__all__ = ["Board", "ClosedQuestions", "Gone", "put_on", "take_all_off"]


class Gone(msgspec.Struct, eq=False):
    """A question that has left: one for all boards that showed it. Not the answers (Q-SEC-1)."""

    ask: Ask
    by: tuple[Principal, ...]
    """Who had answered."""
    how: str
    at: float
    written: Any = None
    """What a surface has made of it, to be made once for all viewers (Q-VIEW-3)."""


class ClosedQuestions(Readable[tuple[ClosedQuestion, ...]]):
    """The questions that left one viewer's `open` of late, oldest first; bounded in number and in time."""

    __slots__ = ("_closed", "_environment", "_most", "_seconds", "_version")

    def __init__(self, limits: Limits, environment: Environment) -> None:
        super().__init__()
        self._closed: deque[Gone] | tuple[()] = ()  # a deque takes more than all the rest, and most have none
        self._most = limits.closed
        self._seconds = limits.closed_seconds
        self._environment = environment
        self._version = 0

    @property
    def value(self) -> tuple[ClosedQuestion, ...]:
        """Those of the last while. Time alone changes no version: read it again to see the old ones go."""
        return tuple(map(self.show, self.recent()))

    def recent(self) -> Iterable[Gone]:
        """Those of the last while, as they are kept."""
        closed, oldest = self._closed, self._environment.now() - self._seconds
        while closed and closed[0].at < oldest:
            closed.popleft()
        return closed

    @property
    def version(self) -> int:
        """How many have come."""
        return self._version

    def add(self, gone: Gone) -> None:
        """One more has left."""
        self._closed = self._closed or deque(maxlen=self._most)
        self._closed.append(gone)
        self._version += 1
        if self._listeners:
            self._notify()

    def show(self, gone: Gone) -> ClosedQuestion:
        """One of them as viewers see it."""
        by = tuple(map(self._environment.who, gone.by))
        return ClosedQuestion(gone.ask.id, gone.ask.question.message, gone.how, by, gone.at)


class Board:
    """The open and the closed questions of one principal in one scope. Kept by the store, while somebody views it."""

    __slots__ = (
        "__weakref__",
        "closed",
        "closed_over_link",
        "level",
        "open",
        "over_link",
        "peek",
        "principal",
        "scope",
    )

    def __init__(
        self,
        principal: Principal,
        scope: Scope,
        level: str,
        show: Callable[[Board, str, Pending], OpenQuestion],
        peek: Callable[[Board, Pending], OpenQuestion],
        closed: ClosedQuestions,
    ) -> None:
        self.principal = principal
        self.scope = scope
        self.level = level
        self.closed = closed
        self.peek = peek
        """What it shows of a question, without counting as having shown it."""
        self.open: KeyedCell[str, Pending, OpenQuestion] = KeyedCell(partial(show, self), order=_number)
        self.over_link: KeyedReadable[str, Any] | None = None
        """`open` as links carry it, once one has asked for it."""
        self.closed_over_link: KeyedReadable[str, Any] | None = None
        """`closed`, likewise."""


def put_on(board: Board, id: str, pending: Pending) -> None:
    """Show a question on a board."""
    pending.boards.setdefault(board, 0)  # unseen; one that oversees has it already
    board.open.put(id, pending)


def take_all_off(board: Board, reason: str) -> None:
    """Clear a board; its questions forget it."""
    for pending in board.open.raw.values():
        pending.take_off(board, reason)


def _number(pending: Pending) -> int:
    return pending.entry.ask.number
