"""When the answers are enough, and what the asker is given then.

Data only: of `First`, `Quorum` and `All` it is `settlement` that judges. A `CustomPolicy` judges by itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NoReturn, TypeVar

import attrs
import msgspec

from facets.principal import Who

from .errors import InvalidAnswer, InvalidPolicy
from .question import Question
from .redaction import Secret, redact

if TYPE_CHECKING:
    from .entry import Ask, Entry

__all__ = ["All", "Answered", "Collected", "CustomPolicy", "First", "ForeignPolicy", "Policy", "Quorum", "validate"]

A = TypeVar("A")
R = TypeVar("R")


class Policy:
    """When the answers are enough: `First`, `Quorum`, `All`, or a `CustomPolicy`. Immutable, and equal by value."""

    __slots__ = ()

    revisable: ClassVar[bool] = False
    """Whether a principal may answer again while the question is open; the last answer counts (Q-SET-3)."""

    @property
    def least(self) -> int:
        """How many answers it takes at least: a fixed audience that is smaller is refused (Q-POL-4)."""
        return 1

    def check(self, question: Question[Any], answer: object) -> list[str]:
        """What is wrong with an answer, each fault with its path. Never quotes it."""
        return question.answer_faults(answer)


class CustomPolicy(Policy, ABC, Generic[R]):
    """A policy that judges by itself; `ask` returns an `R`. Derive an attrs class from it, frozen and hashable.

    `Mechanism` of `questions.rooms` is one. It runs inside the store, at each answer and whenever somebody leaves: all
    of it has to be pure, quick, and must not raise: an answer at which it raises is not taken, and a question that it
    cannot end is closed (`StoreClosed`). One that `questions` does not know cannot be asked by over a link
    (`InvalidPolicy`) or durably (`InvalidAsk`); people see and answer what is asked by it from anywhere.
    """

    __slots__ = ()

    is_portable: ClassVar[bool] = False
    """Whether links and stores know how to write it."""

    def ask_faults(self, question: Question[Any], *, timed: bool) -> list[str]:  # noqa: ARG002
        """What is wrong with asking this by it, each with its path (`$.policy...`). `timed`: there is a deadline."""
        return []

    @abstractmethod
    def is_enough(self, entry: Entry) -> bool:
        """Whether the answers of an open entry settle it. Asked after an answer, and when somebody has left."""

    @abstractmethod
    def result(self, ask: Ask, collected: Collected[Any]) -> R:
        """What the asker is given, made of what there is at the end, whether that is enough or not."""


@attrs.frozen
class First(Policy):
    """The first valid answer settles the question; the asker gets an `Answered`."""


@attrs.frozen
class Quorum(Policy):
    """Answers by `count` distinct principals settle it, whatever they say; the asker gets a `Collected`.

    `count`: a whole number from 1, below 2**53. Raises `InvalidPolicy`.
    """

    count: int

    def __attrs_post_init__(self) -> None:
        if type(self.count) is not int or not 1 <= self.count < 2**53:  # more has no canonical JSON
            raise InvalidPolicy(["$.count: a whole number from 1, below 2**53"])

    @property
    def least(self) -> int:
        """The count."""
        return self.count


@attrs.frozen
class All(Policy):
    """It settles when every current member of the audience has answered; the asker gets a `Collected`.

    `join`: with `"live"`, who joins a live audience is asked too, and who leaves is waited for no more; with
    `"snapshot"` the audience stays as it was at the ask. Raises `InvalidPolicy`.
    """

    join: Literal["live", "snapshot"] = "live"

    def __attrs_post_init__(self) -> None:
        if self.join not in ("live", "snapshot"):
            raise InvalidPolicy(['$.join: "live" or "snapshot"'])


class Answered(msgspec.Struct, Generic[A], frozen=True, gc=False):
    """One answer. `automatic`: given by the deadline, as the asker declared, and not by a person."""

    by: Who
    answer: A
    automatic: bool = False
    secret: bool = False
    """True for the answer to a secret question, which no text then shows."""

    def __repr__(self) -> str:
        automatic = ", automatic=True" if self.automatic else ""
        return f"Answered(by={self.by!r}, answer={redact(self.answer, self.secret)!r}{automatic})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """The same for rich, whose tracebacks with locals would else read the fields."""
        shown = [("by", self.by), ("answer", redact(self.answer, self.secret))]
        return [*shown, ("automatic", True)] if self.automatic else shown


@attrs.frozen
class Collected(Generic[A]):
    """Several answers. It has no truth value: say which answer you look for, `collected.unanimous(True)`."""

    answers: tuple[Answered[A], ...]
    """In order of arrival; one a principal."""
    missing: tuple[Who, ...]
    """Who was in the audience at the end and had not answered."""
    seen: tuple[Who, ...]
    """Who was shown the question, leavers included."""
    ended: Literal["reached", "deadline"]
    """Whether the policy was fulfilled, or the time was over."""

    def __bool__(self) -> NoReturn:
        raise TypeError("a Collected is neither true nor false; ask collected.unanimous(value)")

    def unanimous(self, value: A) -> bool:
        """True only if the policy was reached, somebody answered, and every answer is `value`, in type too."""
        same = (type(one.answer) is type(value) and one.answer == value for one in self.answers)
        return self.ended == "reached" and bool(self.answers) and all(same)


@attrs.frozen
class ForeignPolicy(CustomPolicy[Collected[Any]]):
    """A policy of another process that this one does not know, by its `name`. What it judges is shown and answered."""

    name: str

    def ask_faults(self, question: Question[Any], *, timed: bool) -> list[str]:  # noqa: ARG002
        """Nothing can be asked by it here."""
        return ["$.policy: a policy that only the host of another question knows"]

    def check(self, question: Question[Any], answer: object) -> list[str]:  # noqa: ARG002
        """Nothing: its host judges."""
        return []

    def is_enough(self, entry: Entry) -> bool:  # noqa: ARG002
        """Never, here."""
        return False

    def result(self, ask: Ask, collected: Collected[Any]) -> Collected[Any]:  # noqa: ARG002
        """What there is."""
        return collected


def validate(policy: Policy, question: Question[Any], answer: Secret[Any]) -> None:
    """Raise `InvalidAnswer` unless the answer fits the question. No frame that raises holds the answer (Q-SEC-1)."""
    if faults := policy.check(question, answer.reveal()):
        raise InvalidAnswer(faults)
