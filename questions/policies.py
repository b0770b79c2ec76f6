"""When the answers are enough, and what the asker is given then. Data only; `settlement` judges."""

from __future__ import annotations

from typing import Any, Generic, Literal, NoReturn, TypeVar

import attrs
import msgspec

from facets.principal import Who

from .errors import InvalidPolicy
from .redaction import redact

__all__ = ["All", "Answered", "Collected", "First", "Policy", "Quorum"]

A = TypeVar("A")


@attrs.frozen
class First:
    """The first valid answer settles the question; the asker gets an `Answered`."""


@attrs.frozen
class Quorum:
    """Answers by `count` distinct principals settle it, whatever they say; the asker gets a `Collected`.

    `count`: a whole number from 1, below 2**53. Raises `InvalidPolicy`.
    """

    count: int

    def __attrs_post_init__(self) -> None:
        if type(self.count) is not int or not 1 <= self.count < 2**53:  # more has no canonical JSON
            raise InvalidPolicy(["$.count: a whole number from 1, below 2**53"])


@attrs.frozen
class All:
    """It settles when every current member of the audience has answered; the asker gets a `Collected`.

    `join`: with `"live"`, who joins a live audience is asked too, and who leaves is waited for no more; with
    `"snapshot"` the audience stays as it was at the ask. Raises `InvalidPolicy`.
    """

    join: Literal["live", "snapshot"] = "live"

    def __attrs_post_init__(self) -> None:
        if self.join not in ("live", "snapshot"):
            raise InvalidPolicy(['$.join: "live" or "snapshot"'])


Policy = First | Quorum | All


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
