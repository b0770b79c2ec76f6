"""quadratic_vote: every voter has credits to spend, and n credits count as the square root of n."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from math import floor, sqrt
from typing import cast

import attrs

from .ballots import Ballot, Cleaned, is_number, on_slate
from .draws import leaders_of, tie_winner
from .outcome import QuadraticTrace, Verdict, no_quorum
from .presets import QuadraticParams

__all__ = ["QuadraticRules"]

Credits = Mapping[str, int]


@attrs.frozen
class QuadraticRules:
    """The rules of quadratic_vote over these options."""

    params: QuadraticParams
    options: Sequence[str]
    _slate: frozenset[str] = attrs.field(init=False)

    least = 0.0
    """The least that one more ballot of weight 1 can give to an option."""
    open_slate = False

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_slate", frozenset(self.options))

    @property
    def reach(self) -> float:
        """How far one more ballot of weight 1 can bring an option up to another."""
        return sqrt(self.params.credits_per_voter)

    @property
    def most(self) -> float:
        """The most that such a ballot can give to an option."""
        return self.reach

    def read(self, ballot: Ballot) -> Credits | None:
        """The credits that a ballot spends on options of the slate, in whole numbers, or None if it is invalid."""
        given = on_slate(ballot, self._slate)
        if given is None:
            return None
        total = 0
        for credits in given.values():
            if type(credits) is not int:
                return self._read_fractions(ballot, given)
            if credits < 0:
                return None
            total += credits
        return cast(Credits, given) if 0 < total <= self.params.credits_per_voter else None

    def _read_fractions(self, ballot: Ballot, given: Mapping[str, float]) -> Credits | None:
        if not all(map(is_number, given.values())):
            return None
        return self.read(attrs.evolve(ballot, choice={option: floor(credits) for option, credits in given.items()}))

    def count(self, ballots: Iterable[Ballot], contents: Iterable[Credits], scores: MutableMapping[str, float]) -> None:
        """Add the roots of what the ballots spend, in order."""
        for ballot, spent in zip(ballots, contents, strict=True):
            weight = ballot.weight
            for option, credits in spent.items():
                scores[option] += sqrt(credits) * weight

    def stands(self, top: float, cast: int, total_weight: float, outstanding: int) -> bool:  # noqa: ARG002
        """Whether anybody has spent anything."""
        return top > 0

    def newcomer(self, total_weight: float) -> float:  # noqa: ARG002
        """The score that an option would have that was proposed now."""
        return 0.0

    def decide(self, cleaned: Cleaned[Credits], quorum_met: bool, seed: str) -> Verdict:
        """The verdict: the highest sum of roots wins."""
        voters = [ballot.voter for ballot in cleaned.ballots]
        trace = QuadraticTrace(dict(zip(voters, [sum(spent.values()) for spent in cleaned.contents], strict=True)))
        if not quorum_met:
            return no_quorum(self.options, trace)
        scores = dict.fromkeys(self.options, 0.0)
        self.count(cleaned.ballots, cleaned.contents, scores)
        if not max(scores.values()) > 0:
            return Verdict("no_pass", None, scores, trace)
        winner = tie_winner(self.params.tie_break, leaders_of(scores, self.options), self.options, seed)
        return Verdict("tied" if winner is None else "pass", winner, scores, trace)
