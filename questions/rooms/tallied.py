"""`Tallied`: what the asker gets of a question that was settled by a vote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NoReturn

import attrs

from facets.principal import Who
from questions.answers import own
from questions.policies import Answered

from .ballots import Ballot
from .cases import Case
from .outcome import Outcome

__all__ = ["Tallied"]


def _owned(ballots: tuple[Answered[Any], ...]) -> tuple[Answered[Any], ...]:
    return tuple(Answered(one.by, own(one.answer)) for one in ballots)


@attrs.frozen
class Tallied:
    """A vote that has ended. Its outcome is counted from what is here, so that nothing in it can contradict that.

    It has no truth value: look at `winner`, which is None if nobody has won. Raises `InvalidParams`.
    """

    id: str
    """Of the question, which seeds draws."""
    mechanism: str
    params: Mapping[str, Any]
    """All of them; `quorum` is the share of `eligible`."""
    options: tuple[str, ...]
    """The ids of the options, as listed."""
    eligible: int
    """Who was in the audience at the end, and who had voted and left; the quorum if that is more."""
    ballots: tuple[Answered[Any], ...] = attrs.field(converter=_owned)
    """The last ballot of each voter, in the order in which they came."""
    missing: tuple[Who, ...]
    """Who was in the audience at the end and had not voted."""
    seen: tuple[Who, ...]
    """Who was shown the question, leavers included."""
    ended: Literal["reached", "deadline"]
    """Whether the vote ended by itself, or the time was over."""
    outcome: Outcome = attrs.field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "outcome", self._case.counted())

    @property
    def _case(self) -> Case:
        ballots = [Ballot(str(one.by.principal), one.answer) for one in self.ballots]
        return Case(self.mechanism, self.params, self.options, self.eligible, 0, self.id, ballots)

    @property
    def winner(self) -> str | None:
        """The id of the option that has won; None: none has."""
        return self.outcome.winner

    def as_case(self) -> dict[str, Any]:
        """The vote as a line for `questions rooms replay` and `explain`: anybody can count it again."""
        return {"id": self.id, **self._case.as_json()}

    def __bool__(self) -> NoReturn:
        raise TypeError("a Tallied is neither true nor false; look at its winner")
