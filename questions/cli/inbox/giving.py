"""How the inbox gives what somebody has decided."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from facets.errors import FacetError, LinkLost
from questions.cli.ballots import answer_faults, ballot_of
from questions.cli.inbox.pile import Open
from questions.cli.lines import line_of
from questions.durable.errors import NoNextHolder
from questions.durable.open_decision import OpenDecision
from questions.gates.open_gate import OpenGate
from questions.question import Select
from questions.redaction import Secret

__all__ = ["Deed", "PassOn", "Send", "given", "note_of", "pass_nothing_on", "takes_text", "why_unfit"]

Send = Callable[[Open, Secret[Any]], Awaitable[None]]
"""Answers a question or a decision; raises a `FacetError` with what refuses it."""

PassOn = Callable[[OpenDecision, str], Awaitable[None]]
"""Passes a decision on to its next holder, with a reason, which may be empty; raises likewise."""

Deed = Callable[[], Awaitable[None]]
"""Either of them, with all that it takes."""


async def pass_nothing_on(one: OpenDecision, _: str) -> None:
    """For an inbox of questions alone."""
    raise NoNextHolder(one.id)


def why_unfit(front: Open, value: Any, *, was_read: bool) -> str:
    """Why this is not to be given as the answer to what is in front; empty: it is."""
    if not was_read and (value is True or isinstance(front.question, Select)):  # what nobody has seen
        return "Read to the end first: Space."
    return "; ".join(fault.replace("$.answer", "The answer", 1) for fault in answer_faults(front, value))


def takes_text(front: Open, choice: str) -> bool:
    """Whether a text belongs to a choice, which is typed once it is picked."""
    return isinstance(front, OpenGate) and front.input_of(choice) is not None


def given(front: Open, choice: str, text: str | None = None) -> Any:
    """The answer that was picked, or typed, or both."""
    if isinstance(front, OpenGate):
        return front.response_of(choice, text or "")
    return choice if text is None else ballot_of(front, text)


async def note_of(act: Deed, done: str, front: Open) -> tuple[str, bool]:
    """Do it: what to say of it then, and whether it counts."""
    try:
        await act()
    except LinkLost:
        return "The connection was lost; whether it counts is unknown. You may do it again.", False
    except FacetError as error:
        return f"Not counted: {line_of(str(error))}.", False
    return f"{done}: {line_of(front.message)}", True
