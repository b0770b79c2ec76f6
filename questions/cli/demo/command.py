"""`questions demo` on the command line: its options, and which people and presentation they ask for."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TextIO

import trio

from facets.errors import MissingExtra

from .calls import ToolCall, load_calls
from .errors import BadToolCalls, Fault
from .face import Face
from .json_face import JsonFace
from .pace import AUTO
from .plain_face import PlainFace
from .served import ServedTroupe
from .stage import play
from .troupe import Company, Troupe

__all__ = ["add_demo"]

_EXAMPLES = """\
examples:
  questions demo                      you are Alice, if this is a terminal; Bob and Carol are scripted
  questions demo --auto               everybody is scripted
  questions demo --json               the same, as one settlement event a line
  questions demo --served             the same, with each person in a process of their own
  questions demo --calls calls.jsonl  your own agent's tool calls ("-" reads them from standard input)

Nothing of what the calls ask for is ever run.
"""
_PLACES = ("examples/data/tool_calls.jsonl", "questions/cli/demo/tool_calls.jsonl")


def add_demo(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `demo` to the parser of `questions`."""
    parser = commands.add_parser(
        "demo",
        description="Run an agent's loop over a file of tool calls. Harmless ones pass by rule; "
        "the others are asked of Alice, Bob and Carol, and a summary of how each question ended follows.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--auto", action="store_true", help="scripted people answer, on a terminal too")
    parser.add_argument("--json", action="store_true", help="print the settlement events as JSON lines; implies --auto")
    parser.add_argument("--served", action="store_true", help="people in processes of their own; implies --auto")
    parser.add_argument("--calls", metavar="FILE", help="tool calls, one JSON object a line (default: an example)")
    parser.set_defaults(run=run_demo)


def run_demo(options: argparse.Namespace) -> int:
    """Run the demo; returns the exit code. Raises `BadToolCalls` and `MissingExtra`."""
    calls = _read_calls(options.calls)
    company = ServedTroupe(AUTO) if options.served else Troupe(AUTO)
    if options.json:
        return _play_auto(calls, company, JsonFace(sys.stdout))
    if options.auto or options.served or not _is_terminal():
        return _play_auto(calls, company, _face(sys.stdout))
    return _play_on_terminal(calls)


def _play_auto(calls: tuple[ToolCall, ...], company: Company, face: Face) -> int:
    trio.run(play, calls, company, AUTO, face)
    return 0


def _play_on_terminal(calls: tuple[ToolCall, ...]) -> int:
    try:
        from .rich_stage import play_on_terminal  # noqa: PLC0415  # rich comes with an extra
    except ModuleNotFoundError as error:
        if _is_rich(error):
            raise MissingExtra("Answering on the terminal", "rich", "terminal", "questions demo --auto") from None
        raise
    play_on_terminal(calls)
    return 0


def _face(output: TextIO) -> Face:
    if not output.isatty():
        return PlainFace(output)
    try:
        from .rich_stage import rich_face  # noqa: PLC0415  # rich comes with an extra
    except ModuleNotFoundError as error:
        if _is_rich(error):
            return PlainFace(output)
        raise
    return rich_face(output)


def _is_rich(error: ModuleNotFoundError) -> bool:
    return (error.name or "").split(".")[0] == "rich"


def _is_terminal() -> bool:
    """Whether a person can answer here: both ways, with a cursor that moves, and on a system with termios."""
    both = sys.stdin.isatty() and sys.stdout.isatty()
    return both and os.name == "posix" and os.environ.get("TERM", "dumb") != "dumb"


def _read_calls(name: str | None) -> tuple[ToolCall, ...]:
    if name == "-":
        return load_calls(sys.stdin.buffer.read(), "standard input")
    path = _example() if name is None else Path(name)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadToolCalls(str(path), [Fault(0, "$", f"cannot be read: {error.strerror}")]) from None
    return load_calls(data, str(path))


def _example() -> Path:
    """The example of a checkout, or the copy of it that an installed package carries."""
    root = Path(__file__).parents[3]
    places = [root / place for place in _PLACES]
    return next((place for place in places if place.exists()), places[0])
