"""The demo with `rich`: the only module that the command imports late, since rich comes with an extra."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

import trio
from rich.console import Console
from rich.text import Text

from .calls import ToolCall
from .cast import ALICE
from .keyboard import Keyboard
from .pace import TERMINAL
from .rich_face import RichFace
from .stage import play
from .terminal_person import TerminalPerson
from .troupe import Troupe

__all__ = ["play_on_terminal", "rich_face"]


_WELCOME = """\
You are Alice. Agents want to make {calls} tool calls; you, Bob and Carol are asked about those that no rule lets pass.
Nothing of it is ever run. Ctrl-C ends it.
"""


def play_on_terminal(calls: Sequence[ToolCall]) -> None:
    """Run the demo on this process's terminal, where a person is Alice."""
    console = Console()
    console.print(Text(_WELCOME.format(calls=len(calls))))
    alice = TerminalPerson(ALICE, console, Keyboard(sys.stdin.fileno()))
    trio.run(play, calls, Troupe(TERMINAL, alice), TERMINAL, RichFace(console))


def rich_face(output: TextIO) -> RichFace:
    """A presentation in rich text."""
    return RichFace(Console(file=output))
