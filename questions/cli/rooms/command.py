"""The commands of `questions rooms`."""

from __future__ import annotations

import argparse

from questions.cli.parser import add_commands

from .explain import add_explain
from .replay import add_replay
from .verify import add_verify

__all__ = ["add_rooms"]

_EXAMPLES = """\
examples:
  questions rooms replay cases.jsonl --check    whether each comes out as it was written down
  questions rooms explain cases.jsonl           why each came out as it did
  questions rooms verify outcome.json --jwks keys.json   what the receipts of a room prove
  questions rooms verify --help                 all about it
"""


def add_rooms(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `rooms` to the parser of `questions`."""
    rooms = commands.add_parser(
        "rooms",
        help="check how decisions of many came out, and what their receipts prove",
        description="Check how decisions of many came out: from what was written down of them, or what was signed.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    below = add_commands(rooms)
    add_replay(below)
    add_explain(below)
    add_verify(below)
