"""What the scripted people say to a question: a table, so that every run of the demo ends alike."""

from __future__ import annotations

import re

from facets import Principal
from questions.open_question import OpenQuestion
from questions.policies import All
from questions.question import Confirm, Select
from questions.visible import visible

from .cast import BOB
from .pace import Pace

__all__ = ["REFUSED", "answer_of", "delay_of"]

REFUSED = re.compile(
    r"""
    \\[uUx]                     # escaped: somebody hid a character there
    | \|\ *sh\b | /etc/ | \.env\b | \.ssh/ | chmod\ -R
    | push\ --force | paste\.example
    | PRIVATE\ KEY | masked:\ private
    | [^\x00-\x7f]+thub         # looks like a well-known name, and is not
    """,
    re.VERBOSE,
)
"""Scripted people deny a call whose message or arguments hold one of these, as they are shown to people."""

_CODE = "735 202"


def answer_of(opened: OpenQuestion) -> bool | str:
    """What a scripted person answers."""
    question = opened.question
    if isinstance(question, Confirm):
        return not REFUSED.search(f"{question.message}\n{visible(question.details)}")
    return question.options[0].id if isinstance(question, Select) else _CODE


def delay_of(opened: OpenQuestion, who: Principal, at_home: bool, pace: Pace) -> float | None:
    """Seconds until `who` answers; None for a question that they let pass.

    Bob is on call, and away: what is asked of him alone runs into its deadline.
    """
    audience = [*opened.waiting_for, *opened.answered]
    if who == BOB and len(audience) == 1 and not isinstance(opened.policy, All):
        return None
    if isinstance(opened.policy, All):
        return pace.everyone
    return pace.quick if at_home else pace.slow
