"""Asking by a vote, for the tests of it: a question, and a ballot of each kind for it."""

from typing import Any

from questions import Option, Select
from questions.rooms import Mechanism

DRINK = Select("What to drink?", [Option("tea", "Tea"), Option("coffee", "Coffee"), Option("cocoa", "Cocoa")])
OPTIONS = tuple(option.id for option in DRINK.options)

BALLOTS: dict[str, tuple[Any, Any]] = {
    "simple_majority": ("tea", "coffee"),
    "supermajority": ("tea", "coffee"),
    "plurality": ("tea", "coffee"),
    "approval": (["tea"], ["coffee", "cocoa"]),
    "ranked_choice": (["tea", "cocoa"], ["coffee"]),
    "ranked_pairwise": (["tea", "cocoa"], ["coffee"]),
    "score_vote": ({"tea": 5, "cocoa": 1.5}, {"coffee": 2}),
    "quadratic_vote": ({"tea": 8, "cocoa": 1}, {"coffee": 9}),
}
"""By mechanism: a ballot that is best for tea, and another."""

BY_ALL = Mechanism("plurality", ends="complete")


def result(asking) -> Any:
    """What an ask that has ended has returned."""
    return asking.outcome.value


def refusal(asking) -> Any:
    """What an ask that has ended has raised."""
    return asking.outcome.error
