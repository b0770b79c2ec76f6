"""The commands of `questions rooms`."""

from __future__ import annotations

import argparse

from .replay import add_replay

__all__ = ["add_rooms"]


def add_rooms(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `rooms` to the parser of `questions`."""
    rooms = commands.add_parser(
        "rooms",
        help="check how decisions of many came out",
        description="Check how decisions of many came out, from what was written down of them. No server is needed.",
    )
    below = rooms.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in (add_replay,):
        add(below)
