"""What a scripted person is told who takes part from a process of their own: by whom, where, and how fast."""

from __future__ import annotations

import attrs

from facets import Principal

from .pace import Pace

__all__ = ["ENTER", "HERE", "READY", "Part"]

READY = b"ready\n"
"""From the person: connected, and not in the room yet."""
ENTER = b"enter\n"
"""To the person: come in."""
HERE = b"here\n"
"""From the person: in the room."""


@attrs.frozen
class Part:
    """The first line that a person's process reads. It holds a token, so it never stands on a command line."""

    url: str
    token: str = attrs.field(repr=False)
    who: Principal
    sessions: tuple[str, ...]
    home: tuple[str, ...]
    """The sessions that they answer faster than the others."""
    pace: Pace
