"""An open question as one viewer sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, final

import msgspec

from facets.principal import Principal, Who

from .deadlines import instant
from .entry import Entry
from .policies import Policy
from .question import Question
from .scopes import Scope

__all__ = ["OpenQuestion"]


@final
class OpenQuestion(msgspec.Struct, frozen=True, eq=False):
    """What a viewer knows of one open question. Immutable, and never holds an answer.

    Names and times are worked out when read, so a change costs a viewer that does not look next to nothing, and
    time alone changes no value.
    """

    _entry: Entry
    question: Question[Any]
    """What is asked."""
    may_answer: bool
    """Whether this viewer may answer it."""
    answered_by_me: bool
    """Whether this viewer has."""
    _who: Callable[[Principal], Who]
    _now: Callable[[], float]

    @property
    def id(self) -> str:
        """What to answer by; never used again."""
        return self._entry.ask.id

    @property
    def message(self) -> str:
        """What is asked, in words."""
        return self.question.message

    @property
    def details(self) -> str:
        """What it is about, any text; show it through `visible(...)`."""
        return self.question.details

    @property
    def kind(self) -> str:
        """text, select or confirm."""
        return self.question.kind

    @property
    def scope(self) -> Scope:
        """Where it belongs."""
        return self._entry.ask.scope

    @property
    def asker(self) -> Who:
        """Who asks."""
        return self._entry.ask.asker

    @property
    def on_behalf_of(self) -> Who | None:
        """The program whose run asks, if one was named."""
        program = self._entry.ask.on_behalf_of
        return None if program is None else self._who(program)

    @property
    def policy(self) -> Policy:
        """When the answers are enough."""
        return self._entry.ask.policy

    @property
    def may_revise(self) -> bool:
        """Whether this viewer has answered, and may answer again as long as it is open: the last answer counts."""
        return self.answered_by_me and self.may_answer and self.policy.revisable

    @property
    def default(self) -> Any:
        """What the deadline will answer automatically; None: nothing, it expires."""
        return self._entry.ask.default

    @property
    def asked_at(self) -> datetime:
        """When it was asked, UTC."""
        return instant(self._entry.ask.opened)

    @property
    def deadline(self) -> datetime | None:
        """When it ends, UTC; None: when it is answered or withdrawn."""
        deadline = self._entry.ask.deadline
        return None if deadline is None else instant(deadline.epoch)

    @property
    def remaining(self) -> float | None:
        """Seconds until the deadline, now; None without one."""
        deadline = self._entry.ask.deadline
        return None if deadline is None else deadline.remaining(self._now())

    @property
    def answered(self) -> tuple[Who, ...]:
        """Who has answered, in order of arrival."""
        return tuple([self._who(given.by) for given in self._entry.answers])

    @property
    def waiting_for(self) -> tuple[Who, ...]:
        """Who may answer and has not."""
        return tuple(map(self._who, self._entry.missing))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OpenQuestion):
            return NotImplemented
        mine, its = (self.may_answer, self.answered_by_me), (other.may_answer, other.answered_by_me)
        return self._entry is other._entry and self.question is other.question and mine == its

    def __ne__(self, other: object) -> bool:
        return not self == other  # a struct's own would go by identity

    def __hash__(self) -> int:
        return hash(self._entry.ask.id)

    def __rich_repr__(self) -> Iterator[tuple[str, object]]:  # type: ignore[override]  # rich takes either
        """The same for rich, which would else show the entry, answers included."""
        yield "id", self.id
        yield "message", self.question.message
        yield "scope", str(self.scope)

    def __repr__(self) -> str:
        return f"OpenQuestion(id={self.id!r}, message={self.question.message!r}, scope={self.scope!s})"
