"""What happens in the demo, in the order in which it happens: the agent's own events beside the broker's reports."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from questions.reports import Opened, Settled

__all__ = ["Event", "Passed", "Tell", "Verdict"]


@attrs.frozen
class Passed:
    """A call that a rule let through: its tool, its line for people, and why."""

    tool: str
    message: str
    why: str


@attrs.frozen
class Verdict:
    """What the agent may do after people were asked."""

    message: str
    runs: bool
    why: str


Event = Passed | Verdict | Opened | Settled
Tell = Callable[[Event], None]
