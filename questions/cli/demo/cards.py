"""A tool call in words that a person can judge: one line, and all of its arguments under it."""

from __future__ import annotations

import json
from typing import Any

from questions.visible import visible

from .calls import ToolCall
from .masking import mask

__all__ = ["details_of", "message_of"]

_LONGEST = 70
_TELLING = ("command", "file_path", "url", "pattern", "title")
_CLAIMS = {"description": "description, in the agent's own words"}


def message_of(call: ToolCall) -> str:
    """What `call` would do, in one line of at most 120 characters, secrets masked, hidden characters escaped.

    It may be cut; `details_of` never is.
    """
    values = (mask(call.input).get(name) for name in _TELLING)
    telling = next((value for value in values if isinstance(value, str)), "")
    line = " ".join(visible(telling).split())
    if len(line) > _LONGEST:
        line = f"{line[:_LONGEST]} ... ({len(line) - _LONGEST} more)"
    return f"{visible(call.tool)[:30]}: {line or ', '.join(map(visible, call.input))[:_LONGEST]}"


def details_of(call: ToolCall) -> str:
    """Every argument of `call`, whole, with secrets masked. Raw otherwise: whoever shows it uses `visible`."""
    return "\n".join(_argument(name, value) for name, value in mask(call.input).items())


def _argument(name: str, value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    # Lines of one argument are set in, so that no argument can pass for the next one.
    return f"{_CLAIMS.get(name, name)}: " + text.replace("\n", "\n    ")
