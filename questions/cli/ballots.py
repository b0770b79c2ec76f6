"""Ballots as people write them on a command line and in the inbox."""

from __future__ import annotations

from typing import Any

from questions.durable.open_decision import OpenDecision
from questions.gates.open_gate import OpenGate
from questions.gates.responses import response_faults
from questions.open_question import OpenQuestion
from questions.question import Select, Text
from questions.rooms.forms import how_to_write, read_ballot
from questions.rooms.policy import Mechanism

__all__ = ["answer_faults", "ballot_of", "how_to_vote", "is_picked", "is_typed", "is_written", "vote_in_words"]

Open = OpenQuestion | OpenDecision | OpenGate


def _mechanism(opened: Open) -> Mechanism | None:
    policy = opened.policy if isinstance(opened, OpenQuestion) else None
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
    if isinstance(opened, OpenGate):
        return response_faults("$.answer", opened.view.choices, answer)
    return opened.policy.check(opened.question, answer)


def how_to_vote(opened: Open) -> str:
    """How a ballot is written; empty where none is."""
    mechanism, question = _mechanism(opened), opened.question
    if mechanism is None or not isinstance(question, Select):
        return ""
    return how_to_write(mechanism.ballot, mechanism.params, [option.id for option in question.options])


_ENDS = {
    "determined": "until nobody can change the result",
    "complete": "until everybody has voted",
    "deadline": "until the time is over",
}


def vote_in_words(policy: Mechanism) -> str:
    """How a vote is decided."""
    quorum = f", {policy.quorum} voters at least" if policy.quorum else ""
    return f"a vote by {policy.name.replace('_', ' ')}{quorum}, {_ENDS[policy.ends]}"
