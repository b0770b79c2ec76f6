"""`questions list`: what is open for the principal of a token, as a table, as JSON, or as ids."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol, TypeVar

import msgspec
import trio

from questions.open_question import OpenQuestion
from questions.remote.wire import number_of, shown

from .bad_command import Unreachable
from .codes import DONE
from .connecting import CONNECTING, Server, add_link_options, open_views, server_of, unreached
from .durations import in_words
from .lines import line_of
from .watch_lines import names_of

__all__ = ["add_list", "by_age", "open_now", "whose_turn"]


class Dated(Protocol):
    """What is open, and was asked at some time."""

    @property
    def id(self) -> str:
        """What orders those of the same time."""

    @property
    def asked_at(self) -> datetime:
        """When."""


Q = TypeVar("Q", bound=Dated)

_EXAMPLES = f"""\
examples:
  questions list --token-file ana.token                  a table, the oldest question first
  questions list --token-file ana.token --session build-7 --json
  questions list --token-file ana.token --ids            the ids alone, a line each, of what you may answer

{CONNECTING}
exit codes: 0 listed, also when nothing is open; 2 bad usage, 5 unreachable or token not accepted, 70 internal error
"""
_HEADS = ("ID", "LEFT", "SESSION", "FOR YOU", "QUESTION")


def add_list(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `list` to the parser of `questions`."""
    parser = commands.add_parser(
        "list",
        description="Print what is open on a server, as far as your token lets you see it, the oldest first.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON array, of questions as links carry them")
    form.add_argument("--ids", action="store_true", help="print the ids of what you may answer, and nothing else")
    add_link_options(parser)
    parser.set_defaults(run=run_list, on_interrupt="")


def run_list(options: argparse.Namespace) -> int:
    """List; returns the exit code. Raises `FacetError` for what is at fault."""
    trio.run(_list, server_of(options), options)
    return DONE


async def _list(server: Server, options: argparse.Namespace) -> None:
    questions = await open_now(server)
    if options.json:
        print(json.dumps([msgspec.to_builtins(shown(one, number_of(one))) for one in questions]))
    elif options.ids:
        print("".join(f"{one.id}\n" for one in questions if one.may_answer and not one.answered_by_me), end="")
    elif questions:
        print("\n".join(_table([_HEADS, *map(_row, questions)])))
    else:
        looked_into = ", ".join(session.session for session in server.sessions)
        print(f"Nothing is open for you in {looked_into}. --session S looks into another session.", file=sys.stderr)


async def open_now(server: Server) -> list[OpenQuestion]:
    """What is open, oldest first. Raises `Unreachable` if that cannot be told of every session."""
    async with open_views(server) as (_, views):
        for scope, viewer in views.items():
            if why := await unreached(viewer, server.wait):
                raise Unreachable(f"{scope} at {server.url}: {why}.")
        return by_age([question for viewer in views.values() for question in viewer.open.value.values()])


def by_age(questions: Sequence[Q]) -> list[Q]:
    """The oldest first, whatever the session."""
    return sorted(questions, key=lambda question: (question.asked_at, question.id))


def whose_turn(question: OpenQuestion) -> str:
    """Whether it waits for this viewer's answer, in words: colour never is the only sign."""
    if question.answered_by_me:
        return "answered; may revise" if question.may_revise else "answered"
    return "yes" if question.may_answer else f"no, for {names_of(question.waiting_for)}"


def _row(question: OpenQuestion) -> tuple[str, ...]:
    left = "" if question.remaining is None else in_words(question.remaining)
    place = line_of(str(question.scope).removeprefix("session:"))
    return question.id, left, place, whose_turn(question), f"{question.kind}: {line_of(question.message)}"


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns side by side; the last one is as wide as it likes."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    for row in rows:
        yield "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip()
