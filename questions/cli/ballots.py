"""Ballots as people write them on a command line and in the inbox."""

from __future__ import annotations

from typing import Any

from questions.durable.open_decision import OpenDecision
from questions.open_question import OpenQuestion
from questions.policies import Policy
from questions.question import Select, Text
from questions.rooms.forms import how_to_write, read_ballot
from questions.rooms.policy import Mechanism

__all__ = ["answer_faults", "ballot_of", "how_to_vote", "is_picked", "is_typed", "is_written", "vote_in_words"]

Open = OpenQuestion | OpenDecision


def _mechanism(opened: Open) -> Mechanism | None:
    policy = None if isinstance(opened, OpenDecision) else opened.policy
    return policy if isinstance(policy, Mechanism) else None


def is_written(opened: Open) -> bool:
    """Whether it is answered by a ballot that is written in a line: one that says more than the id of an option."""
    mechanism = _mechanism(opened)
    return mechanism is not None and mechanism.ballot != "one"


def is_typed(opened: Open | None) -> bool:
    """Whether its answer is typed: a text, or a ballot."""
    return opened is not None and (isinstance(opened.question, Text) or is_written(opened))


def is_picked(opened: Open | None) -> bool:
    """Whether its answer is one of its options."""
    return opened is not None and isinstance(opened.question, Select) and not is_written(opened)


def ballot_of(opened: Open, text: str) -> Any:
    """The ballot in a text; the text itself, where no ballot is written."""
    mechanism = _mechanism(opened)
    return text if mechanism is None else read_ballot(mechanism.ballot, text)


def answer_faults(opened: Open, answer: Any) -> list[str]:
    """What is wrong with an answer, as its host will say."""
    if isinstance(opened, OpenDecision):
        return opened.question.answer_faults(answer)
    return opened.policy.check(opened.question, answer)


def how_to_vote(policy: Policy) -> str:
    """How a ballot is written; empty where none is."""
    return how_to_write(policy.ballot, policy.params) if isinstance(policy, Mechanism) else ""


_ENDS = {
    "determined": "until nobody can change the result",
    "complete": "until everybody has voted",
    "deadline": "until the time is over",
}


def vote_in_words(policy: Mechanism) -> str:
    """How a vote is decided."""
    quorum = f", {policy.quorum} voters at least" if policy.quorum else ""
    return f"a vote by {policy.name.replace('_', ' ')}{quorum}, {_ENDS[policy.ends]}"
