"""How fast the demo goes: for eyes on a terminal, or for a machine that only waits for the end."""

from __future__ import annotations

import attrs

__all__ = ["AUTO", "TERMINAL", "Pace"]


@attrs.frozen
class Pace:
    """All fields are in seconds."""

    thinking: float
    """What the agent takes before its next call."""
    quick: float
    """What a scripted person takes to answer for a session that is theirs."""
    slow: float
    """The same, for somebody else's session."""
    everyone: float
    """The same, for a question to everyone present: long enough for somebody to join."""
    late: float
    """When the late person comes, counted from such a question."""
    on_call: float
    """How long the person on call has."""
    patience: float
    """How long everybody else has."""


AUTO = Pace(thinking=0.04, quick=0.12, slow=0.5, everyone=0.9, late=0.4, on_call=1.2, patience=20)
TERMINAL = Pace(thinking=0.4, quick=12, slow=12, everyone=8, late=2, on_call=8, patience=120)
