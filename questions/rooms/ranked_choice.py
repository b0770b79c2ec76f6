"""ranked_choice (instant runoff): the last goes, and its ballots count for the next option that they name."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from .ballots import Ballot, Cleaned, is_list
from .draws import draw, index_first, leaders_of
from .outcome import RankedChoiceTrace, Round, Verdict, Word, no_quorum
from .presets import RankedParams

__all__ = ["RankedChoiceRules", "Ranking", "read_ranking"]

Ranking = Sequence[str]


def read_ranking(ballot: Ballot, slate: frozenset[str]) -> Ranking | None:
    """The options of the slate that a ballot ranks, each once, the best first; None if it is invalid."""
    choice = ballot.choice
    if ballot.weight <= 0 or not is_list(choice) or len(choice) == 0:
        return None
    try:
        options = set(choice)
    except TypeError:  # something that is no text
        options = set()
    if len(options) == len(choice) and options <= slate:
        return choice
    return tuple(dict.fromkeys([one for one in choice if isinstance(one, str) and one in slate])) or None


class _Piles:
    """The ballots, by number, in piles by the option that they count for. One is touched only when its option goes."""

    def __init__(self, options: Sequence[str], cleaned: Cleaned[Ranking]) -> None:
        self._rankings = cleaned.contents
        self._weights = [ballot.weight for ballot in cleaned.ballots]
        self._are_whole = cleaned.are_whole
        self._places = [0] * cleaned.cast  # in each ranking: where it stands, or its length once it is exhausted
        self._piles: dict[str, list[int]] = {option: [] for option in options}
        self.tally = dict.fromkeys(options, 0.0)
        self.active_weight = 0.0
        self.exhausted = 0
        for number, ranking in enumerate(self._rankings):
            self._piles[ranking[0]].append(number)
        self._recount()

    @property
    def are_exhausted(self) -> bool:
        """Whether no ballot names a running option."""
        return self.exhausted == len(self._places)

    def eliminate(self, option: str) -> None:
        """Move the ballots of an option on to the next running option that each names."""
        tally, piles = self.tally, self._piles
        self.active_weight -= tally.pop(option)
        for number in piles.pop(option):
            ranking, place = self._rankings[number], self._places[number] + 1
            while place < len(ranking) and ranking[place] not in tally:
                place += 1
            self._places[number] = place
            if place == len(ranking):
                self.exhausted += 1
            else:
                weight, later = self._weights[number], ranking[place]
                piles[later].append(number)
                tally[later] += weight
                self.active_weight += weight
        if not self._are_whole:
            self._recount()

    def _recount(self) -> None:
        """Fractions add up to something else in another order, and the order that counts is that of the ballots."""
        self.tally = tally = dict.fromkeys(self.tally, 0.0)
        active_weight = 0.0
        for ranking, place, weight in zip(self._rankings, self._places, self._weights, strict=True):
            if place < len(ranking):
                tally[ranking[place]] += weight
                active_weight += weight
        self.active_weight = active_weight


@attrs.frozen
class RankedChoiceRules:
    """The rules of ranked_choice over these options."""

    params: RankedParams
    options: Sequence[str]
    _slate: frozenset[str] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_slate", frozenset(self.options))

    def read(self, ballot: Ballot) -> Ranking | None:
        """The options that a ballot ranks, or None if it is invalid."""
        return read_ranking(ballot, self._slate)

    def decide(self, cleaned: Cleaned[Ranking], quorum_met: bool, seed: str) -> Verdict:
        """The verdict, after as many rounds as it takes."""
        if not quorum_met:
            return no_quorum(self.options, RankedChoiceTrace())
        piles, rounds = _Piles(self.options, cleaned), list[Round]()
        while True:
            end = self._end(piles, seed)
            loser = None if end else self._loser(piles, seed, len(rounds))
            eliminated = () if loser is None else (loser,)
            rounds.append(Round(dict(piles.tally), tuple(piles.tally), eliminated, piles.exhausted))
            if loser is None:
                word, winner = end or ("tied", None)
                return Verdict(word, winner, rounds[-1].tally, RankedChoiceTrace(tuple(rounds)))
            piles.eliminate(loser)

    def _end(self, piles: _Piles, seed: str) -> tuple[Word, str | None] | None:
        """The word and the winner, if this round is the last."""
        running = list(piles.tally)
        if piles.are_exhausted:
            winner = self._drawn(running, seed)
            return ("tied" if winner is None else "pass"), winner
        leaders = leaders_of(piles.tally, running)
        if len(leaders) == 1 and (len(running) == 1 or piles.tally[leaders[0]] > piles.active_weight / 2):
            return "pass", leaders[0]
        return None

    def _drawn(self, running: Sequence[str], seed: str) -> str | None:
        """The winner when no ballot names a running option."""
        if len(running) == 1 or self.params.tie_break == "first_listed":
            return running[0]
        if self.params.tie_break == "no_pass":
            return None
        remaining = index_first(running)
        return draw(seed, {"exhausted": True, "remaining": remaining}, remaining)

    def _loser(self, piles: _Piles, seed: str, number: int) -> str | None:
        """The option that goes; None if a tie for the last place ends it all."""
        remaining = list(piles.tally)
        least = min(piles.tally.values())
        lowest = [option for option in remaining if piles.tally[option] == least]
        if len(lowest) == 1 or self.params.tie_break == "first_listed":
            return lowest[-1]
        if self.params.tie_break == "no_pass":
            return None
        tied = index_first(lowest)
        return draw(seed, {"remaining": remaining, "round": number, "tied": tied}, tied)
