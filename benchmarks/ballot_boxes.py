"""Ballots to count, always the same ones, and the plain loops that one writes by hand for them."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from questions.rooms import Ballot

Loop = Callable[[Sequence[Ballot], Sequence[str]], Mapping[str, float]]


def slate(size: int) -> list[str]:
    """So many options."""
    return [f"option {number}" for number in range(size)]


def box(mechanism: str, size: int, options: Sequence[str], named: int = 3) -> list[Ballot]:
    """So many ballots of as many voters; those that name several options name up to `named`."""
    chance = random.Random(f"{mechanism} {size} {len(options)}")
    several = min(named, len(options))
    makers: Mapping[str, Callable[[], Any]] = {
        "plurality": lambda: chance.choice(options),
        "approval": lambda: chance.sample(options, several),
        "score_vote": lambda: {option: chance.randint(1, 5) for option in chance.sample(options, several)},
        "quadratic_vote": lambda: {option: chance.randint(1, 3) for option in chance.sample(options, several)},
        "ranked_choice": lambda: chance.sample(options, several),
        "ranked_pairwise": lambda: chance.sample(options, several),
    }
    return [Ballot(f"voter {number}", makers[mechanism]()) for number in range(size)]


def latest(ballots: Sequence[Ballot]) -> Sequence[Ballot]:
    """The last ballot of each voter, at its own place."""
    kept: dict[str, Ballot] = {}
    for ballot in ballots:
        kept.pop(ballot.voter, None)
        kept[ballot.voter] = ballot
    return [*kept.values()]


def _loop_over_choices(ballots: Sequence[Ballot], options: Sequence[str]) -> Mapping[str, float]:
    scores = dict.fromkeys(options, 0.0)
    for ballot in latest(ballots):
        if ballot.choice in scores:
            scores[ballot.choice] += ballot.weight
    return scores


def _loop_over_lists(ballots: Sequence[Ballot], options: Sequence[str]) -> Mapping[str, float]:
    scores = dict.fromkeys(options, 0.0)
    for ballot in latest(ballots):
        for option in ballot.choice:
            if option in scores:
                scores[option] += ballot.weight
    return scores


def _loop_over_scores(ballots: Sequence[Ballot], options: Sequence[str]) -> Mapping[str, float]:
    scores = dict.fromkeys(options, 0.0)
    for ballot in latest(ballots):
        for option, score in ballot.choice.items():  # type: ignore[union-attr]
            if option in scores and 0 <= score <= 5:
                scores[option] += score * ballot.weight
    return scores


def _loop_over_credits(ballots: Sequence[Ballot], options: Sequence[str]) -> Mapping[str, float]:
    scores = dict.fromkeys(options, 0.0)
    for ballot in latest(ballots):
        spent = 0.0
        for option, credits in ballot.choice.items():  # type: ignore[union-attr]
            spent += credits
            if option in scores and spent <= 9:
                scores[option] += math.sqrt(credits) * ballot.weight
    return scores


LOOPS: Mapping[str, Loop] = {
    "plurality": _loop_over_choices,
    "approval": _loop_over_lists,
    "score_vote": _loop_over_scores,
    "quadratic_vote": _loop_over_credits,
}
