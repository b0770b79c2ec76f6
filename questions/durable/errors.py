"""What durable decisions can refuse.

QuestionError
├── BadArgument (Invalid)           a field breaks a limit, or is not known; `faults` lists all
├── BadAnswer (InvalidAnswer)       an answer that does not fit its decision, which is still open
├── UnknownDecision                 no such decision, or none that the caller may see
├── NotOpen                         it has ended; says how
├── SelfAnswer (Forbidden)          raised by this very call
├── NotHolder (Forbidden)           another one has to act now; says who
│   └── HeldByUser                  a person has to, and the caller is a program
├── NoNextHolder                    there is nobody to escalate to
├── TooManyOpen (LimitExceeded)     the limit of open decisions is reached
├── ChangedConcurrently (Retryable) others were quicker, eight times in a row
├── ReservedKey (Forbidden)         a key that only decisions are written under
├── CommitRefused                   what an engine refuses: see `backend`
├── Unreadable                      what is stored is no decision, or no settings: kept, and left out
└── StoreUnavailable (Retryable)    the engine cannot be reached, or cannot write
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from facets.errors import Forbidden, Retryable
from questions.errors import Invalid, InvalidAnswer, LimitExceeded, QuestionError

__all__ = [
    "BadAnswer",
    "BadArgument",
    "ChangedConcurrently",
    "CommitRefused",
    "HeldByUser",
    "NoNextHolder",
    "NotHolder",
    "NotOpen",
    "ReservedKey",
    "SelfAnswer",
    "StoreUnavailable",
    "TooManyOpen",
    "UnknownDecision",
    "Unreadable",
]


class BadArgument(Invalid):
    """Arguments of a decision that break its limits, or are not known. Nothing was written."""


class BadAnswer(InvalidAnswer):
    """An answer that its decision does not take; the faults name the options. The decision is still open."""


@attrs.define(eq=False, slots=False, str=False)
class UnknownDecision(QuestionError):
    """There is no decision `id` that the caller may see, or none any more: ended ones are kept for a while only."""

    id: str

    def __str__(self) -> str:
        return f"there is no decision {self.id!r} here; list them to see what is open"


@attrs.define(eq=False, slots=False, str=False)
class NotOpen(QuestionError):
    """Decision `id` has ended and stays as it is: `status` is answered, expired or cancelled."""

    id: str
    status: str

    def __str__(self) -> str:
        return f"decision {self.id!r} is not open any more: it is {self.status}"


@attrs.define(eq=False, slots=False, str=False)
class SelfAnswer(QuestionError, Forbidden):
    """The caller raised decision `id`, in this same call, and so may not judge it."""

    id: str
    why: str = attrs.field(init=False, default="who raised a decision does not judge it")

    def __str__(self) -> str:
        return f"decision {self.id!r} is not yours to judge: {self.why}; somebody else has to"


@attrs.define(eq=False, slots=False, str=False)
class NotHolder(QuestionError, Forbidden):
    """Decision `id` is held by `holder` now, and the caller is not that one. Nothing was changed."""

    id: str
    holder: str
    why: str = attrs.field(init=False, default="only its holder may act on a decision")

    def __str__(self) -> str:
        return f"decision {self.id!r} is held by {self.holder}: {self.why}"


class HeldByUser(NotHolder):
    """Decision `id` is held by people: a program cannot act on it. They can, on a page, in an inbox or a terminal."""

    def __str__(self) -> str:
        return f"decision {self.id!r} waits for a person: on a page, in an inbox, or by `questions decisions answer`"


@attrs.define(eq=False, slots=False, str=False)
class NoNextHolder(QuestionError):
    """Decision `id` has nobody to go on to. Its holder has to answer or cancel it."""

    id: str

    def __str__(self) -> str:
        return f"decision {self.id!r} has no further holder; answer or cancel it"


class TooManyOpen(LimitExceeded):
    """`limit` decisions are open, or open by this raiser. Nothing was written: wait for some to end."""

    def __str__(self) -> str:
        return f"{self.what}: the limit of {self.limit} is reached; wait for some to end, or change the store's limits"


@attrs.define(eq=False, slots=False, str=False)
class ChangedConcurrently(QuestionError, Retryable):
    """Others changed `key` each time between reading and writing it. Nothing was changed: read it and try again."""

    key: str

    def __str__(self) -> str:
        return f"{self.key!r} was changed by others at the same time; read it and try again"


@attrs.define(eq=False, slots=False, str=False)
class ReservedKey(QuestionError, Forbidden):
    """`key` belongs to decisions: it can be read here, and is written by what decisions do alone."""

    key: str
    why: str = attrs.field(init=False, default="the keys under decisions/ are written by decisions alone")

    def __str__(self) -> str:
        return f"{self.key!r} is reserved: {self.why}"


class CommitRefused(QuestionError):
    """The root of what an engine refuses, each time with nothing changed."""


@attrs.define(eq=False, slots=False, str=False)
class Unreadable(QuestionError):
    """What is stored is not what it should be: `why`. It is left as it is; a newer version may have written it."""

    why: str

    def __str__(self) -> str:
        return f"what is stored there cannot be read: {self.why}; a newer version may have written it"


@attrs.define(eq=False, slots=False, str=False)
class StoreUnavailable(QuestionError, Retryable):
    """The engine cannot be reached, or cannot write: `why`. Not a denial.

    `faults`: what is to be put right first, if anything, a line each. Nothing was changed, unless `unknown` is true:
    then a commit may have happened, and reading again tells.
    """

    why: str
    unknown: bool = False
    faults: Sequence[str] = ()

    def __str__(self) -> str:
        outcome = "whether it was done is not known, read again" if self.unknown else "nothing was changed"
        return "; ".join((f"the store is not available: {self.why}", outcome, *self.faults))
