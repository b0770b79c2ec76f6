"""An open decision as one caller sees it, and one that has gone: what a card needs, worked out when it is read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from datetime import datetime
from typing import Any, final

import msgspec

from questions.deadlines import Deadline, instant
from questions.errors import InvalidQuestion
from questions.question import Confirm, Option, Question, Select, Text
from questions.visible import visible

from .decision import Decision, Move
from .expiry import default_of, ends_at
from .holders import ROOT, USER, supervised_by

__all__ = ["ClosedDecision", "OpenDecision", "plainly"]

_LONGEST_LABEL, _LONGEST_TEXT = 200, 16_000


@final
class OpenDecision(msgspec.Struct, frozen=True, eq=False):
    """What somebody knows of one open decision, and may do about it. Immutable; time alone changes no value."""

    decision: Decision
    """The record; its times are milliseconds of the store's clock."""
    may_answer: bool
    may_escalate: bool
    """Whether there is a next holder, and this caller may pass it on."""
    may_cancel: bool
    names: Mapping[str, str]
    """How the host calls holders and participants that stand in the record, where that is not simply their id."""
    _deadline: Deadline | None
    _now: Callable[[], float]
    written: dict[Hashable, Any] = {}  # an empty dict of a struct is made anew for each
    """For surfaces: what they have made of it, once for all who are shown the same."""
    answered_by_me = False  # as for questions: this one ends with its answer

    @property
    def id(self) -> str:
        """What to act on it by; never used again."""
        return self.decision.id

    @property
    def message(self) -> str:
        """The title, with what cannot be seen in it made visible."""
        return visible(self.decision.title)

    @property
    def details(self) -> str:
        """What it is about, any text; show it through `visible(...)`."""
        return self.decision.body or ""

    @property
    def question(self) -> Question[Any]:
        """The same as a question, for what shows questions: a `Confirm` for yes and no, a `Select`, or a `Text`."""
        try:
            return _question(self.decision, self.message, self.details)
        except InvalidQuestion:  # of a newer version
            return Text(self.message or "?", details=self.details)

    def answer_of(self, value: object) -> Mapping[str, str]:
        """What to call `answer` with for an answer to `question`: an option, or a text."""
        if isinstance(value, bool):
            return {"option": "yes" if value else "no"}
        return {"option" if self.decision.options else "text": str(value)}

    @property
    def asked_at(self) -> datetime:
        """When it was raised, UTC, by the store's clock."""
        return instant(self.decision.created_at / 1000)

    @property
    def deadline(self) -> datetime | None:
        """When its holder's time is over, UTC, by the clock of the host; None: it has no end."""
        return None if self._deadline is None else instant(self._deadline.epoch)

    @property
    def remaining(self) -> float | None:
        """Seconds that its holder has left, now; None without a deadline."""
        return None if self._deadline is None else self._deadline.remaining(self._now())

    @property
    def ends_at(self) -> datetime | None:
        """When it ends by itself if nobody does anything, UTC, by the clock of the host; None: never."""
        end, deadline = ends_at(self.decision), self.decision.deadline
        if end is None or deadline is None or self._deadline is None:
            return None
        return instant(self._deadline.epoch + (end - deadline) / 1000)

    @property
    def default(self) -> Option | None:
        """What it is then answered with by itself; None: it ends without an answer."""
        id = default_of(self.decision)
        return next((one for one in self.decision.options or () if one.id == id), None)

    @property
    def hop(self) -> tuple[int, int] | None:
        """Which holder of how many in its chain, from 1; None without a chain."""
        chain = self.decision.escalation
        return None if chain is None else (chain.hop + 1, len(chain.chain))

    @property
    def next_holders(self) -> tuple[str, ...]:
        """Who comes after its holder, in order."""
        chain = self.decision.escalation
        return () if chain is None or self.decision.next_holder is None else chain.chain[chain.hop + 1 :]

    @property
    def history(self) -> tuple[Move, ...]:
        """Who has held it before, the first one first."""
        return self.decision.history or ()

    def name_of(self, holder: str) -> str:
        """A holder, or a participant, for people: the id stands beside a name that is another one."""
        if holder in (USER, ROOT):
            return "a person" if holder == USER else "root"
        id = supervised_by(holder) or holder
        name = self.names.get(holder)
        return plainly(id if name is None else f"{name} ({id})")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OpenDecision):
            return NotImplemented
        return _compared(self) == _compared(other)

    def __ne__(self, other: object) -> bool:
        return not self == other  # a struct's own would go by identity

    def __hash__(self) -> int:
        return hash(self.decision)

    def __rich_repr__(self) -> Iterator[tuple[str, object]]:  # type: ignore[override]  # rich takes either
        """For rich."""
        yield "id", self.id
        yield "holder", self.decision.holder

    def __repr__(self) -> str:
        return f"OpenDecision(id={self.id!r}, holder={self.decision.holder!r})"


class ClosedDecision(msgspec.Struct, frozen=True):
    """A decision that has left somebody's `open`; so that a card can say how, rather than vanish."""

    id: str
    message: str
    """Its title."""
    how: str
    """answered, expired, cancelled; moved: somebody else has to act now, and it is not to be seen here any more; or
    gone: it is not in the store any more, or cannot be read."""
    by: str | None
    """Who has answered or cancelled it, by the plain id; `deadline` if nobody did."""
    via: str | None
    """Where: see `Answer.via`."""
    answer: str | None
    """The option's label; a text is not repeated."""
    at: float
    """When it was noticed, epoch seconds."""


def plainly(text: str) -> str:
    """One line of a text of somebody else's, with what cannot be seen made visible."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def _compared(one: OpenDecision) -> tuple[object, ...]:
    return one.decision, one.may_answer, one.may_escalate, one.may_cancel, one.names


def _question(decision: Decision, message: str, details: str) -> Question[Any]:
    options = {one.id: plainly(one.label)[:_LONGEST_LABEL] for one in decision.options or ()}
    if not options:
        return Text(message, details=details, max_bytes=_LONGEST_TEXT)
    if decision.input == "confirm" and options.keys() == {"yes", "no"}:
        return Confirm(message, options["yes"], options["no"], details=details)
    return Select(message, [Option(id, label) for id, label in options.items()], details=details)
