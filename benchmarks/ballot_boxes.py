"""Ballots to count, always the same ones."""

import random
from collections.abc import Callable, Mapping
from typing import Any

from questions.rooms import Ballot


def slate(size: int) -> list[str]:
    """So many options."""
    return [f"option-{number}" for number in range(size)]


def box(mechanism: str, size: int, options: list[str], named: int = 3) -> list[Ballot]:
    """So many ballots of as many voters; those that name several options name up to `named`."""
    chance = random.Random(f"{mechanism} {size} {len(options)}")
    several = min(named, len(options))
    makers: Mapping[str, Callable[[], Any]] = {
        "approval": lambda: chance.sample(options, several),
        "score_vote": lambda: {option: chance.randint(1, 5) for option in chance.sample(options, several)},
        "quadratic_vote": lambda: {option: chance.randint(1, 3) for option in chance.sample(options, several)},
        "ranked_choice": lambda: chance.sample(options, several),
        "ranked_pairwise": lambda: chance.sample(options, several),
    }
    make = makers.get(mechanism, lambda: chance.choice(options))
    return [Ballot(f"voter {number}", make()) for number in range(size)]
