"""How the inbox gives what somebody has decided."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from questions.cli.inbox.pile import Open
from questions.durable.errors import NoNextHolder
from questions.durable.open_decision import OpenDecision
from questions.redaction import Secret

__all__ = ["Deed", "PassOn", "Send", "pass_nothing_on"]

Send = Callable[[Open, Secret[Any]], Awaitable[None]]
"""Answers a question or a decision; raises a `FacetError` with what refuses it."""

PassOn = Callable[[OpenDecision, str], Awaitable[None]]
"""Passes a decision on to its next holder, with a reason, which may be empty; raises likewise."""

Deed = Callable[[], Awaitable[None]]
"""Either of them, with all that it takes."""


async def pass_nothing_on(one: OpenDecision, _: str) -> None:
    """For an inbox of questions alone."""
    raise NoNextHolder(one.id)
