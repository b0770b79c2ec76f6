"""Who is asked about a tool call, and how: a table. What is not in it is asked of two people; the first one counts."""

from __future__ import annotations

import enum
import re

from .calls import ToolCall

__all__ = ["WAYS", "Way", "way_to_ask"]


class Way(enum.Enum):
    """One way of asking; the agent has a method for each."""

    FIRST = "the first of two people"
    CHOICE = "a choice, the first of two people"
    EVERYONE = "everyone present"
    QUORUM = "two of three people"
    ON_CALL = "the person on call, for a short time"
    LOGIN = "a login code, asked by the host itself"


WAYS: tuple[tuple[Way, str, str, re.Pattern[str]], ...] = (
    (Way.CHOICE, "AskUserQuestion", "questions", re.compile(r"")),
    (Way.EVERYONE, "Bash", "command", re.compile(r"docker compose .*\bshared\b")),
    (Way.QUORUM, "Bash", "command", re.compile(r"terraform (apply|destroy)\b")),
    (Way.ON_CALL, "Bash", "command", re.compile(r"ssh prod\S* ")),
    (Way.LOGIN, "Bash", "command", re.compile(r"npm publish\b")),
)
"""Way, tool, argument, and what the argument begins with."""


def way_to_ask(call: ToolCall) -> Way:
    """How people are asked about `call`."""
    for way, tool, field, pattern in WAYS:
        if call.tool == tool and field in call.input and pattern.match(str(call.input[field])):
            return way
    return Way.FIRST
