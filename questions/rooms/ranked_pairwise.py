"""ranked_pairwise (Schulze): every option against every other, and the strongest paths decide."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from itertools import combinations

import attrs

from .ballots import Ballot, Cleaned
from .draws import index_first, leaders_of, tie_winner
from .outcome import Matrix, RankedPairwiseTrace, Verdict, no_quorum
from .presets import RankedParams
from .ranked_choice import Ranking, read_ranking

__all__ = ["RankedPairwiseRules"]

Rows = dict[str, dict[str, float]]


@attrs.frozen
class RankedPairwiseRules:
    """The rules of ranked_pairwise over these options."""

    params: RankedParams
    options: Sequence[str]
    _slate: frozenset[str] = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_slate", frozenset(self.options))

    def read(self, ballot: Ballot) -> Ranking | None:
        """The options that a ballot ranks, or None if it is invalid."""
        return read_ranking(ballot, self._slate)

    def decide(self, cleaned: Cleaned[Ranking], quorum_met: bool, seed: str) -> Verdict:
        """The verdict: the option with the most opponents beaten, less those lost to, wins."""
        options = self.options
        if not quorum_met:
            return no_quorum(options, RankedPairwiseTrace(_zeros(options), _zeros(options)))
        pairwise = _preferences(options, cleaned)
        paths = _strongest_paths(options, pairwise)
        scores = dict.fromkeys(options, 0.0)
        for one, other in combinations(options, 2):
            beaten = (paths[one][other] > paths[other][one]) - (paths[one][other] < paths[other][one])
            scores[one] += beaten
            scores[other] -= beaten
        leaders = leaders_of(scores, options)
        winner = tie_winner(self.params.tie_break, leaders, options, seed)
        trace = RankedPairwiseTrace(pairwise, paths, tuple(index_first(leaders)))
        return Verdict("tied" if winner is None else "pass", winner, scores, trace)


def _zeros(options: Sequence[str]) -> Rows:
    return {option: dict.fromkeys(options, 0.0) for option in options}


def _preferences(options: Sequence[str], cleaned: Cleaned[Ranking]) -> Rows:
    """For each option the weight of the ballots that prefer it to each other: those ranked below, or not at all."""
    rows = (_counted_at_once if cleaned.are_whole else _added_in_order)(options, cleaned)
    return {option: dict(zip(options, row, strict=True)) for option, row in zip(options, rows, strict=True)}


def _counted_at_once(options: Sequence[str], cleaned: Cleaned[Ranking]) -> Iterator[Iterator[float]]:
    """The rows where all weights are whole: each is one long number with 64 bits for each option, added to at once."""
    ones = {option: 1 << 64 * number for number, option in enumerate(options)}
    everybody, rows = sum(ones.values()), dict.fromkeys(options, 0)
    for ballot, ranking in zip(cleaned.ballots, cleaned.contents, strict=True):
        weight, below = int(ballot.weight), everybody
        for option in ranking:
            below -= ones[option]
            rows[option] += below * weight
    for row in rows.values():
        yield map(float, struct.unpack(f"<{len(options)}Q", row.to_bytes(8 * len(options), "little")))


def _added_in_order(options: Sequence[str], cleaned: Cleaned[Ranking]) -> list[list[float]]:
    """The rows where doubles are rounded, so that the order of the ballots counts."""
    numbers = {option: number for number, option in enumerate(options)}
    rows = [[0.0] * len(options) for _ in options]
    for ballot, ranking in zip(cleaned.ballots, cleaned.contents, strict=True):
        weight, below = ballot.weight, set(numbers.values())
        for option in ranking:
            number = numbers[option]
            row = rows[number]
            below.remove(number)
            for other in below:
                row[other] += weight
    return rows


def _strongest_paths(options: Sequence[str], pairwise: Matrix) -> Rows:
    """The widest paths over the wins of one option against another.

    Wins are let in from the strongest down, and whoever can newly be reached then can be reached so strongly, and not
    more so. Sets of options are the bits of whole numbers, so that a win takes about as long as it brings news.
    """
    paths = _zeros(options)
    reached = [1 << number for number in range(len(options))]
    reaching = list(reached)
    for strength, winner, loser in _wins(options, pairwise):
        for start in _bits(reaching[winner] & ~reaching[loser]):
            row = paths[options[start]]
            news = reached[loser] & ~reached[start]
            reached[start] |= news
            for end in _bits(news):
                row[options[end]] = strength
                reaching[end] |= 1 << start
    return paths


def _wins(options: Sequence[str], pairwise: Matrix) -> list[tuple[float, int, int]]:
    """(its votes, number of the winner, of the loser) of each duel that is won, the strongest first."""
    wins = []
    for (first, one), (second, other) in combinations(enumerate(options), 2):
        there, back = pairwise[one][other], pairwise[other][one]
        if there > back:
            wins.append((there, first, second))
        elif back > there:
            wins.append((back, second, first))
    return sorted(wins, reverse=True)


def _bits(number: int) -> Iterator[int]:
    """The places of the bits that are set."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
