"""Everything that asking, answering and waiting can raise.

    FacetError (facets)
    └── QuestionError
        ├── Invalid                 bad input; `faults` lists every fault with its path, nothing was changed
        │   ├── InvalidQuestion     a question that cannot be shown or answered
        │   ├── InvalidAnswer       an answer that does not fit its question; the question stays open
        │   ├── InvalidPolicy       a policy that nobody can fulfil
        │   └── InvalidAsk          audience, key, scope or times of an ask
        ├── UnknownQuestion         no such question, or none that the caller may view
        ├── NotInAudience           (Forbidden) one may view it, and not answer it
        ├── NoLongerActive          it has ended, or the caller has answered already; says how
        ├── NoLiveAsker             a secret answer, and nobody there to take it
        ├── Expired                 the deadline came and nobody had answered: not a denial
        ├── Superseded              the same key was asked with a different question
        ├── Withdrawn               its asker took it back while this waited for it
        ├── StoreClosed             (Retryable) the store went away: not a denial; ask again with the same key
        ├── LimitExceeded           a limit that protects the host; says which
        ├── NotApproved             a guarded tool was not allowed: denied, or not decided; it has not run
        ├── WorkTimeExceeded        a budget of work time is spent
        ├── DigestMismatch          what is about to be done is not what was approved
        ├── NoDurableStore          a durable ask on a host without a durable store
        └── IllegalTransition       a step that the table of states does not have: a fault of the program

Each class has `code`, its name in snake case. Texts are built from the attributes; none ever holds an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import attrs

from facets.errors import FacetError, Forbidden, Retryable
from facets.principal import Who

__all__ = [
    "DigestMismatch",
    "Expired",
    "IllegalTransition",
    "Invalid",
    "InvalidAnswer",
    "InvalidAsk",
    "InvalidPolicy",
    "InvalidQuestion",
    "LimitExceeded",
    "NoDurableStore",
    "NoLiveAsker",
    "NoLongerActive",
    "NotApproved",
    "NotInAudience",
    "QuestionError",
    "StoreClosed",
    "Superseded",
    "UnknownQuestion",
    "Withdrawn",
    "WorkTimeExceeded",
]


class QuestionError(FacetError):
    """The root of what the broker raises."""


# Positional fields only: an attrs exception with keyword-only ones can be neither pickled nor copied.
@attrs.define(eq=False, slots=False, str=False)
class Invalid(QuestionError):
    """Bad input. Nothing was published, changed or lost. `faults`: one line each, beginning with its path."""

    faults: Sequence[str]

    def __str__(self) -> str:
        return "; ".join(self.faults)


class InvalidQuestion(Invalid):
    """A question that cannot be shown or answered, refused when it is built."""


class InvalidAnswer(Invalid):
    """An answer that does not fit its question. The question is still open; answer again. Never quotes the answer."""


class InvalidPolicy(Invalid):
    """A policy that is malformed, or that its audience could never fulfil."""


class InvalidAsk(Invalid):
    """An ask whose audience, key, scope, times or default are at fault. Nothing was published."""


@attrs.define(eq=False, slots=False, str=False)
class UnknownQuestion(QuestionError):
    """There is no question `id` that the caller may view. The same whether it never existed or is somebody else's."""

    id: str

    def __str__(self) -> str:
        return f"there is no question {self.id!r} here; look at what is open now"


@attrs.define(eq=False, slots=False, str=False)
class NotInAudience(QuestionError, Forbidden):
    """The caller may view question `id`, or could before leaving its audience, and may not answer it."""

    id: str
    why: str = attrs.field(init=False, default="only the audience of a question may answer it")

    def __str__(self) -> str:
        return f"question {self.id!r} is not yours to answer: {self.why}"


_HOW = {
    "answered": "was answered",
    "expired": "ran out of time",
    "withdrawn": "was withdrawn by its asker",
    "superseded": "was replaced by another question",
    "closed": "was closed with its host",
    "already_answered": "already has your answer",
}


@attrs.define(eq=False, slots=False, str=False)
class NoLongerActive(QuestionError):
    """The answer came too late and was not counted.

    `how`: answered, expired, withdrawn, superseded, closed, or already_answered (it is open, and has the caller's
    answer). `by`: who had answered. `answered_by_me`: whether the caller's answer is among them.
    """

    id: str
    how: str
    by: Sequence[Who]
    answered_by_me: bool

    def __str__(self) -> str:
        by = f" (by {', '.join(who.name for who in self.by)})" if self.by and self.how == "answered" else ""
        return f"question {self.id!r} {_HOW.get(self.how, self.how)}{by}; your answer was not counted"


@attrs.define(eq=False, slots=False, str=False)
class NoLiveAsker(QuestionError):
    """A secret answer to `id` was refused, since its asker is away and secrets are never kept. It stays open."""

    id: str

    def __str__(self) -> str:
        return f"the asker of {self.id!r} is away, and a secret is not kept for it; answer again when it is back"


@attrs.define(eq=False, slots=False, str=False)
class Expired(QuestionError):
    """The deadline came and nobody had answered. It says nothing about what anybody wanted.

    `missing`: who could have answered. `seen`: who was shown it; empty means that nobody ever was.
    """

    missing: Sequence[Who]
    seen: Sequence[Who]
    deadline: datetime

    @property
    def reason(self) -> str:
        """In words: whether anybody had been shown the question."""
        seen = ", ".join(who.name for who in self.seen)
        return f"seen by {seen}, answered by nobody" if seen else "never shown to anyone"

    def __str__(self) -> str:
        when = self.deadline.isoformat(timespec="seconds")
        return f"nobody had answered by {when}: {self.reason}; nothing was decided, ask again or go on without"


@attrs.define(eq=False, slots=False, str=False)
class Superseded(QuestionError):
    """Question `id` was closed, because its asker asked a different one with the same key."""

    id: str

    def __str__(self) -> str:
        return f"question {self.id!r} was replaced by a different one with the same key; give each question its own key"


@attrs.define(eq=False, slots=False, str=False)
class Withdrawn(QuestionError):
    """Question `id`, which the caller waited for, was taken back by its asker: `asker.withdraw(key)`. Not a denial."""

    id: str

    def __str__(self) -> str:
        return f"question {self.id!r} was withdrawn by its asker; nothing was decided"


@attrs.define(eq=False, slots=False, str=False)
class StoreClosed(QuestionError, Retryable):
    """The store that held the question has closed or crashed: `why`. Not a denial; ask again with the same key."""

    why: str

    def __str__(self) -> str:
        return f"the question store is gone ({self.why}); nothing was decided, ask again with the same key"


@attrs.define(eq=False, slots=False, str=False)
class LimitExceeded(QuestionError):
    """`what` is at its limit of `limit`. Nothing was published. Wait for questions to end, or raise the limit."""

    what: str
    limit: int

    def __str__(self) -> str:
        return f"{self.what}: the limit of {self.limit} is reached; have fewer of them, or raise it in Limits"


@attrs.define(eq=False, slots=False, str=False)
class NotApproved(QuestionError):
    """Guarded tool `tool` was not allowed, and has not run.

    `how`: denied (somebody said no) or undecided (not enough people had answered in time, or not with a yes).
    `by`: who had answered. `why`: more, in words, where nobody was there to be asked.
    """

    tool: str
    how: str
    by: Sequence[Who]
    why: str = ""

    def __str__(self) -> str:
        by = f" by {', '.join(who.name for who in self.by)}" if self.by and self.how == "denied" else ""
        return f"{self.tool} was not run: {self.how}{by}{f' ({self.why})' if self.why else ''}"


@attrs.define(eq=False, slots=False, str=False)
class WorkTimeExceeded(QuestionError):
    """The block of a `work_clock` has used its `seconds` of work; time waiting for people is not among them."""

    seconds: float

    def __str__(self) -> str:
        return f"the budget of {self.seconds:g} s of work is spent; time waiting for people does not count"


@attrs.define(eq=False, slots=False, str=False)
class DigestMismatch(QuestionError):
    """What is about to be done has another digest (`actual`) than what was approved (`approved`). Ask again."""

    approved: str
    actual: str

    def __str__(self) -> str:
        return f"approved was {self.approved}, and this is {self.actual}; ask again with what is to be done now"


class NoDurableStore(QuestionError):
    """A durable ask on a host without a durable store. Configure one: `questions_facet.configured(durable=...)`."""

    def __str__(self) -> str:
        return "this host has no durable store; configure one: questions_facet.configured(durable=...)"


@attrs.define(eq=False, slots=False, str=False)
class IllegalTransition(QuestionError):
    """An entry in `state` was given an `event` that the table does not have. A fault of the program."""

    state: str
    event: str

    def __str__(self) -> str:
        return f"no step leads from {self.state} by {self.event}"
