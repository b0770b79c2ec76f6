"""A pending question as a value, and the events that can happen to it. Data only; never re-imported by a reload."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

import msgspec

from facets.principal import Principal, Who

from .answers import Answers
from .deadlines import Deadline
from .policies import Policy
from .question import Question
from .scopes import Scope

__all__ = [
    "Answer",
    "Ask",
    "Close",
    "Due",
    "Entry",
    "Event",
    "Joined",
    "Left",
    "State",
    "Supersede",
    "Withdraw",
]


class State(enum.Enum):
    """Where a question is. All but `OPEN` are final."""

    __hash__ = object.__hash__  # Enum's own is a call; the table of transitions is looked up at every event

    OPEN = "open"
    ANSWERED = "answered"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"
    CLOSED = "closed"


class Ask(msgspec.Struct, frozen=True, gc=False, eq=False):
    """What was asked; stays as it is for as long as the question lives."""

    id: str
    number: int
    """Counts the questions of a store: the order of asking."""
    scope: Scope
    question: Question[Any]
    policy: Policy
    asker: Who
    fixed: tuple[Principal, ...] | None
    """The audience if it was given as a list, distinct, in the order given; None for a readable one."""
    key: str | None
    deadline: Deadline | None
    default: Any
    """What the deadline answers; None: nothing (None is no valid answer to any question)."""
    on_behalf_of: Principal | None
    """The program whose run asks; never in the audience (Q-AUTH-4)."""
    opened: float
    """Epoch seconds."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A pending question with what it has been answered so far."""

    ask: Ask
    members: Mapping[Principal, None]
    """Who may answer now, in order."""
    former: Mapping[Principal, None]
    """Who could once, and has left."""
    answers: Answers
    unanswered: int
    """How many of the members have not answered."""
    state: State = State.OPEN

    @classmethod
    def opened(cls, ask: Ask, members: Mapping[Principal, None]) -> Entry:
        """A new entry: nobody has answered."""
        return cls(ask, members, _NOBODY, _NO_ANSWERS, len(members))

    @property
    def missing(self) -> tuple[Principal, ...]:
        """The members who have not answered."""
        answers = self.answers
        return tuple([member for member in self.members if member not in answers])


_NOBODY: Mapping[Principal, None] = {}
_NO_ANSWERS = Answers()


class Answer(msgspec.Struct, frozen=True, gc=False):
    """Somebody answers. The value has been validated, and is a `Secret` for a secret question."""

    by: Principal
    value: Any


class Joined(msgspec.Struct, frozen=True):
    """Principals join the audience."""

    principals: tuple[Principal, ...]


class Left(msgspec.Struct, frozen=True):
    """Principals leave the audience."""

    principals: tuple[Principal, ...]


class Due(msgspec.Struct, frozen=True):
    """The deadline has come."""


class Withdraw(msgspec.Struct, frozen=True):
    """The asker, or the last of its waiters, has gone."""


class Supersede(msgspec.Struct, frozen=True):
    """The asker asked something else with the same key."""


class Close(msgspec.Struct, frozen=True):
    """The store ends."""


Event = Answer | Joined | Left | Due | Withdraw | Supersede | Close
