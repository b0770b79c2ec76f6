"""What can go wrong with the demo. Of bad input every bad line is named, and the good ones are not lost.

QuestionError
├── BadToolCalls   a file of tool calls that cannot be used
└── PersonLeft     somebody's process has ended before the demo
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import attrs

from questions.cli.codes import INTERNAL
from questions.errors import QuestionError

if TYPE_CHECKING:
    from .calls import ToolCall

__all__ = ["BadToolCalls", "Fault", "PersonLeft"]

_SHOWN_FAULTS = 20


@attrs.frozen
class Fault:
    """One thing that is wrong: `line` counts from 1, `path` points into that line's JSON ("$.tool_name").

    Line 0 is the file as a whole. `problem` never quotes the value at fault, which may be a secret.
    """

    line: int
    path: str
    problem: str

    def __str__(self) -> str:
        return f", line {self.line}, {self.path}: {self.problem}" if self.line else f": {self.problem}"


# Positional fields only: an attrs exception with keyword-only ones can be neither pickled nor copied.
@attrs.define(eq=False, slots=False, str=False)
class BadToolCalls(QuestionError):
    """`file` cannot be used as it is. `faults` lists every bad line; `calls` are the lines that were good.

    The person who wrote the file is at fault, and repeating will not help. Nothing was asked of anybody.
    """

    file: str
    faults: Sequence[Fault]
    calls: Sequence[ToolCall] = ()

    def __str__(self) -> str:
        lines = [f"{self.file}{fault}" for fault in self.faults]
        if len(lines) > _SHOWN_FAULTS:
            lines[_SHOWN_FAULTS:] = [f"... and {len(lines) - _SHOWN_FAULTS} more faults"]
        return "\n".join([*lines, f"Nothing was asked; lines without a fault: {len(self.calls)}."])


@attrs.define(eq=False, slots=False, str=False)
class PersonLeft(QuestionError):
    """The process of `who` has ended with `returncode` while it was needed. What it had to say is on standard error."""

    who: str
    returncode: int
    exit_code: ClassVar[int] = INTERNAL

    def __str__(self) -> str:
        return f"The process of {self.who} has left the demo, with exit code {self.returncode}."
