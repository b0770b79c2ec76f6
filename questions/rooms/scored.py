"""score_vote: a number for each option, and the highest sum wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, Sequence

import attrs

from .ballots import Ballot, Cleaned, on_slate
from .draws import leaders_of, tie_winner
from .outcome import ScoreTrace, Verdict, no_quorum
from .presets import ScoreParams

__all__ = ["ScoreRules"]

Scores = Mapping[str, float]

_NUMBERS = frozenset({int, float})


@attrs.frozen
class ScoreRules:
    """The rules of score_vote over these options."""

    params: ScoreParams
    options: Sequence[str]
    _slate: frozenset[str] = attrs.field(init=False)

    open_slate = False

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_slate", frozenset(self.options))

    @property
    def reach(self) -> float:
        """How far one more ballot of weight 1 can bring an option up to another."""
        return self.params.max_score - self.params.min_score

    @property
    def most(self) -> float:
        """The most that such a ballot can give to an option."""
        return self.params.max_score

    @property
    def least(self) -> float:
        """The least that such a ballot can give to an option."""
        return self.params.min_score

    def read(self, ballot: Ballot) -> Scores | None:
        """The scores that a ballot gives to options of the slate, or None if it is invalid."""
        given = on_slate(ballot, self._slate)
        if given is None:
            return None
        least, most = self.params.min_score, self.params.max_score
        highest = least
        for score in given.values():
            if type(score) not in _NUMBERS or not least <= score <= most:
                return None
            if score > highest:
                highest = score
        return given if highest > least else None

    def count(self, ballots: Iterable[Ballot], contents: Iterable[Scores], scores: MutableMapping[str, float]) -> None:
        """Add what the ballots give, in order; what one leaves out has the least score."""
        least = self.params.min_score
        for ballot, given in zip(ballots, contents, strict=True):
            weight = ballot.weight
            everything = {option: given.get(option, least) for option in self.options} if least else given
            for option, score in everything.items():
                scores[option] += score * weight

    def stands(self, top: float, cast: int, total_weight: float, outstanding: int) -> bool:  # noqa: ARG002
        """Whether the leader has more than if every ballot had given it the least."""
        return top > self.params.min_score * total_weight

    def newcomer(self, total_weight: float) -> float:
        """The score that an option would have that was proposed now: the least of every ballot."""
        return self.params.min_score * total_weight

    def decide(self, cleaned: Cleaned[Scores], quorum_met: bool, seed: str) -> Verdict:
        """The verdict; nobody wins who has no more than the least score of every ballot."""
        if not quorum_met:
            return no_quorum(self.options, ScoreTrace())
        scores = dict.fromkeys(self.options, 0.0)
        self.count(cleaned.ballots, cleaned.contents, scores)
        total = 0.0
        for ballot in cleaned.ballots:
            total += ballot.weight
        if not self.stands(max(scores.values()), cleaned.cast, total, 0):
            return Verdict("no_pass", None, scores, ScoreTrace(total))
        winner = tie_winner(self.params.tie_break, leaders_of(scores, self.options), self.options, seed)
        return Verdict("tied" if winner is None else "pass", winner, scores, ScoreTrace(total))
