"""What one writes by hand in a few lines, for each mechanism and for a lock: no checks, no draws, no traces."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any

from questions.rooms import Ballot

Loop = Callable[[Sequence[Ballot], Sequence[str]], object]


def latest(ballots: Sequence[Ballot]) -> Sequence[Ballot]:
    """The last ballot of each voter, at its own place."""
    kept: dict[str, Ballot] = {}
    for ballot in ballots:
        kept.pop(ballot.voter, None)
        kept[ballot.voter] = ballot
    return [*kept.values()]


def _over_choices(ballots: Sequence[Ballot], options: Sequence[str]) -> Mapping[str, float]:
    scores = dict.fromkeys(options, 0.0)
    for ballot in latest(ballots):
        if ballot.choice in scores:
            scores[ballot.choice] += ballot.weight
    return scores


def _over_lists(ballots: Sequence[Ballot], options: Sequence[str]) -> Mapping[str, float]:
    scores = dict.fromkeys(options, 0.0)
    for ballot in latest(ballots):
        for option in ballot.choice:
            if option in scores:
                scores[option] += ballot.weight
    return scores


def _over_scores(ballots: Sequence[Ballot], options: Sequence[str]) -> Mapping[str, float]:
    scores = dict.fromkeys(options, 0.0)
    for ballot in latest(ballots):
        for option, score in ballot.choice.items():  # type: ignore[union-attr]
            if option in scores and 0 <= score <= 5:
                scores[option] += score * ballot.weight
    return scores


def _over_credits(ballots: Sequence[Ballot], options: Sequence[str]) -> Mapping[str, float]:
    scores = dict.fromkeys(options, 0.0)
    for ballot in latest(ballots):
        spent = 0.0
        for option, credits in ballot.choice.items():  # type: ignore[union-attr]
            spent += credits
            if option in scores and spent <= 9:
                scores[option] += math.sqrt(credits) * ballot.weight
    return scores


def _instant_runoff(ballots: Sequence[Ballot], options: Sequence[str]) -> str:
    """The winner: every ballot is read again in every round."""
    counted, running = latest(ballots), dict.fromkeys(options)
    while True:
        scores = dict.fromkeys(running, 0.0)
        for ballot in counted:
            for option in ballot.choice:
                if option in running:
                    scores[option] += ballot.weight
                    break
        leader = max(scores, key=scores.__getitem__)
        if len(running) == 1 or scores[leader] * 2 > sum(scores.values()):
            return leader
        del running[min(scores, key=scores.__getitem__)]


def _schulze(ballots: Sequence[Ballot], options: Sequence[str]) -> str:
    """The winner, by the strongest paths as Floyd and Warshall find them."""
    wins = {option: dict.fromkeys(options, 0.0) for option in options}
    for ballot in latest(ballots):
        for above, below in combinations(ballot.choice, 2):
            wins[above][below] += ballot.weight
        for unranked in set(options).difference(ballot.choice):
            for above in ballot.choice:
                wins[above][unranked] += ballot.weight
    paths = {a: {b: wins[a][b] if wins[a][b] > wins[b][a] else 0.0 for b in options} for a in options}
    for via, a, b in permutations(options, 3):
        paths[a][b] = max(paths[a][b], min(paths[a][via], paths[via][b]))
    return max(options, key=lambda a: sum(paths[a][b] > paths[b][a] for b in options))


SUMS: Mapping[str, Loop] = {
    "simple_majority": _over_choices,
    "supermajority": _over_choices,
    "plurality": _over_choices,
    "approval": _over_lists,
    "score_vote": _over_scores,
    "quadratic_vote": _over_credits,
}
"""The scores, where ballots add up."""

RANKED: Mapping[str, Loop] = {"ranked_choice": _instant_runoff, "ranked_pairwise": _schulze}
"""The winner, where ballots rank."""

LOOPS: Mapping[str, Loop] = {**SUMS, **RANKED}

_GIVEN: Mapping[str, tuple[float, Callable[[Any], Mapping[str, float]]]] = {
    "approval": (1.0, lambda choice: dict.fromkeys(choice, 1.0)),
    "score_vote": (5.0, lambda choice: choice),
    "quadratic_vote": (3.0, lambda choice: {option: math.sqrt(credits) for option, credits in choice.items()}),
}
"""The most that a ballot can give to an option, and what it gives."""


def locks(mechanism: str, ballots: Sequence[Ballot], options: Sequence[str], eligible: int) -> Iterator[bool]:
    """After each ballot, of as many voters, whether the next can still overtake the leader: all scores are sorted."""
    most, given = _GIVEN.get(mechanism, (1.0, lambda choice: {choice: 1.0}))
    scores = dict.fromkeys(options, 0.0)
    for cast, ballot in enumerate(ballots, 1):
        for option, amount in given(ballot.choice).items():
            scores[option] += amount * ballot.weight
        second, first = sorted(scores.values())[-2:]
        yield first - second > (eligible - cast) * most
