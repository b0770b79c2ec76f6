"""What gates can refuse.

QuestionError
├── InvalidGate (Invalid)           choices, audience, timeout policy, builder or routes that cannot be
├── InvalidRequest (Invalid)        a prompt of which no request can be made; nothing exists, nothing was sent
├── InvalidResponse (InvalidAnswer) a response that the choices do not offer
├── InvalidApproval (Invalid)       a policy, a plan or an approval of one that cannot be
├── InvalidSubmission (Invalid)     a submission that does not say who answers, where, and by which event
├── InvalidRecord (Invalid)         what is stored, or was received, is not what it should be
├── IncompatibleState               it was written by another version of the schema
├── RecordAltered                   a stored record does not fit its digests; each part has its own class
│   ├── SubjectAltered, PresentationAltered, RequestAltered, DecisionIdAltered
│   └── AnswerAltered, ResolutionAltered
├── NotVerified                     what a gate is to go on with is not the stored decision
├── EffectRefused                   what cannot happen to an effect of a channel as it stands
└── Refusal                         a candidate that has settled nothing; the decision is as it was
    ├── Stale                       it answers another request
    ├── DeadlinePassed              a person's answer came at the deadline or later: not a denial
    ├── KeyReused                   its idempotency key was used for something else
    ├── DecisionCancelled           there is nothing to answer any more; says why
    ├── DecisionAccepted            there is nothing to cancel any more
    ├── SettledAlready              something else was first; says what was chosen, and whether by a person
    ├── NotDue                      the deadline has not come
    ├── NoDeadline, NoDefault       there is none
    ├── HasDefault                  a timeout policy decides at the deadline, so it cannot expire
    └── HumanRequired (Forbidden)   a program answers for a person
"""

from __future__ import annotations

from typing import ClassVar

import attrs

from facets.errors import Forbidden
from questions.errors import Invalid, InvalidAnswer, QuestionError

__all__ = [
    "AnswerAltered",
    "DeadlinePassed",
    "DecisionAccepted",
    "DecisionCancelled",
    "DecisionIdAltered",
    "EffectRefused",
    "HasDefault",
    "HumanRequired",
    "IncompatibleState",
    "InvalidApproval",
    "InvalidGate",
    "InvalidRecord",
    "InvalidRequest",
    "InvalidResponse",
    "InvalidSubmission",
    "KeyReused",
    "NoDeadline",
    "NoDefault",
    "NotDue",
    "NotVerified",
    "PresentationAltered",
    "RecordAltered",
    "Refusal",
    "RequestAltered",
    "ResolutionAltered",
    "SettledAlready",
    "Stale",
    "SubjectAltered",
]


class InvalidGate(Invalid):
    """A gate that cannot be: each fault with its path. Refused when it is defined."""


class InvalidRequest(Invalid):
    """A request that cannot be made. It does not exist, and nothing was shown to anybody."""


class InvalidResponse(InvalidAnswer):
    """A response that the choices do not offer. The decision is as it was; answer again. Never quotes the text."""


class InvalidApproval(Invalid):
    """A policy for plans, a plan, or an approval of one, that cannot be: each fault with its path. Nobody was asked."""


class InvalidSubmission(Invalid):
    """A submission without a proper source or key. The decision is as it was."""


class InvalidRecord(Invalid):
    """A record that cannot be read: each fault with its path. It is left as it is."""


@attrs.define(eq=False, slots=False, str=False)
class IncompatibleState(QuestionError):
    """A record has the schema `found`, and this version reads `expected`. It was not modified."""

    found: str
    expected: str

    def __str__(self) -> str:
        return f"incompatible state: its schema is {self.found!r}, not {self.expected!r}; it has to be reset"


@attrs.define(eq=False, slots=False, str=False)
class RecordAltered(QuestionError):
    """A part of the record of decision `id` is not what it was made over: `stored` says one thing, it is `actual`.

    Somebody has edited the record. It is left as it is, and can neither be shown nor answered.
    """

    id: str
    stored: str
    actual: str
    part: ClassVar[str] = "record"

    def __str__(self) -> str:
        return f"the {self.part} of decision {self.id!r} was altered: {self.stored} is stored, and it is {self.actual}"


class SubjectAltered(RecordAltered):
    """The subject does not fit `subjectDigest`."""

    part = "subject"


class PresentationAltered(RecordAltered):
    """The presentation does not fit `presentationDigest`."""

    part = "presentation"


class RequestAltered(RecordAltered):
    """Something else in the request does not fit `requestDigest`."""

    part = "request"


class DecisionIdAltered(RecordAltered):
    """The id is not the one that follows from the run, the attempt and the request."""

    part = "id"


class AnswerAltered(RecordAltered):
    """The accepted answer does not fit `answerDigest`."""

    part = "answer"


class ResolutionAltered(RecordAltered):
    """A resolution belongs to another request than the one it is stored for."""

    part = "resolution"


@attrs.define(eq=False, slots=False, str=False)
class NotVerified(QuestionError):
    """Decision `id` cannot be gone on with: `why`. The run waits as before."""

    id: str
    why: str

    def __str__(self) -> str:
        return f"decision {self.id!r} needs a verified decision: {self.why}; go on with the one that is stored"


@attrs.define(eq=False, slots=False, str=False)
class EffectRefused(QuestionError):
    """Effect `id` is `state`, and `event` cannot happen to it then. Nothing was changed; look at it again.

    Only what is ambiguous can be confirmed, and only what is ambiguous or rejected can be made again.
    """

    id: str
    state: str
    event: str

    def __str__(self) -> str:
        return f"effect {self.id!r} is {self.state}, so there is no {self.event} of it; look at it again"


@attrs.define(eq=False, slots=False, str=False)
class Refusal(QuestionError):
    """A candidate for decision `id` was refused, and the decision is as it was."""

    id: str

    def __str__(self) -> str:
        return f"decision {self.id!r} was left as it was"


class Stale(Refusal):
    """The submission answers another request than the one that waits: other words, other choices, another attempt."""

    def __str__(self) -> str:
        return f"this answers a stale request, not {self.id!r} as it stands now; look at it again"


@attrs.define(eq=False, slots=False, str=False)
class DeadlinePassed(Refusal):
    """The answer came at `deadline` or later, and was not counted. The exact instant belongs to the deadline."""

    deadline: str

    def __str__(self) -> str:
        return f"decision {self.id!r} had time until {self.deadline} and has expired; the answer was not counted"


class KeyReused(Refusal):
    """The idempotency key was used before, for another choice, text or source. Use a new key for each answer."""

    def __str__(self) -> str:
        return f"key reused: an earlier answer to {self.id!r} had the same key and other content; give each its own"


@attrs.define(eq=False, slots=False, str=False)
class DecisionCancelled(Refusal):
    """The decision has ended without an answer. `reason`: cancelled (somebody took it back), or expired."""

    reason: str

    def __str__(self) -> str:
        return f"decision {self.id!r} is closed ({self.reason}) and takes no answer"


class DecisionAccepted(Refusal):
    """The decision was made and stays: it can be cancelled no more."""

    def __str__(self) -> str:
        return f"decision {self.id!r} was made already, and stays"


@attrs.define(eq=False, slots=False, str=False)
class SettledAlready(Refusal):
    """Another answer was first, or the deadline. `provenance`: human or timeout. `words`: what was chosen, and how."""

    provenance: str
    words: str

    def __str__(self) -> str:
        return f"decision {self.id!r} was settled already, and this answer was not counted. {self.words}"


@attrs.define(eq=False, slots=False, str=False)
class NotDue(Refusal):
    """The deadline has not come: `deadline`. Nothing happens before it."""

    deadline: str

    def __str__(self) -> str:
        return f"decision {self.id!r} is not due before {self.deadline}"


class NoDeadline(Refusal):
    """The request has no deadline, and waits for ever."""

    def __str__(self) -> str:
        return f"decision {self.id!r} has no deadline; it waits until it is answered or cancelled"


class NoDefault(Refusal):
    """The request has no default, so that its deadline chooses nothing."""

    def __str__(self) -> str:
        return f"decision {self.id!r} has no default to choose at its deadline; it can expire, or be answered in time"


class HasDefault(Refusal):
    """The request has a timeout policy, which chooses at the deadline: it can never expire."""

    def __str__(self) -> str:
        return f"decision {self.id!r} has a timeout policy, which chooses at the deadline; it cannot expire"


@attrs.define(eq=False, slots=False, str=False)
class HumanRequired(Refusal, Forbidden):
    """A program, or a model, has answered a decision that is a person's. Nothing a program says satisfies it."""

    why: str = attrs.field(init=False, default="a verified human is required")

    def __str__(self) -> str:
        return f"decision {self.id!r} is not a program's to make: {self.why}"
