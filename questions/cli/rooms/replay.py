"""`questions rooms replay`: run decisions again from what was written down of them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

import attrs

from questions.cli.bad_command import BadCommand
from questions.cli.codes import DIFFERENT, DONE, USAGE
from questions.cli.lines import line_of
from questions.rooms.errors import InvalidCase
from questions.rooms.replaying import differences, replay
from questions.visible import visible

from .cases import Line, lines_of

__all__ = ["add_replay", "run_replay"]

_EXAMPLES = """\
examples:
  questions rooms replay cases.jsonl           what comes of each case, as {"id": ..., "expected": ...}, a line each
  questions rooms replay cases.jsonl --check   nothing for what comes out as the case expects; else what differs
  questions rooms replay - < cases.jsonl       from standard input

A case is a JSON object in one line, with id, mechanism, params, options, eligible, abstentions, seed and ballots; or,
about receipts, with id, a kind and its inputs; kinds are canonical, sign, chain, verify, mandate, agreement, merkle and
audit_chain. Its own expected is not looked at, but by --check, which compares: numbers exactly, keys in any order.
What cannot be counted comes out as an error; `questions rooms explain` says why, at length.

exit codes: 0 replayed; with --check: all came out as expected
            1 with --check: some came out differently, or expect nothing
            2 bad usage, or some lines are no cases; the others were replayed
"""


def add_replay(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `replay` to the parser of `questions rooms`."""
    parser = commands.add_parser(
        "replay",
        help="run decisions again from their inputs, and compare",
        description="Run decisions again from their inputs, so that anybody can check how they came out.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="cases in JSON, one a line; - reads standard input")
    parser.add_argument("--check", action="store_true", help="compare with what each case expects; tell what differs")
    parser.set_defaults(run=run_replay, on_interrupt="")


def run_replay(options: argparse.Namespace) -> int:
    """Replay; returns the exit code. Raises `FacetError` for a file that cannot be read."""
    run = _Run(options.file, options.check)
    for line in lines_of(options.file):
        run.take(line)
    return run.finish()


@attrs.define
class _Run:
    """One run over a file, and what it has counted."""

    name: str
    check: bool
    cases: int = 0
    different: int = 0
    faulty: int = 0

    def take(self, line: Line) -> None:
        """Replay one line, and tell what came of it."""
        try:
            if line.fault is not None:
                raise InvalidCase([line.fault])
            replayed = replay(line.value)
        except InvalidCase as error:
            self.faulty += 1
            print(f"{visible(self.name)}:{line.number}: {visible(str(error))}", file=sys.stderr)
            return
        self.cases += 1
        if not self.check:
            print(json.dumps(replayed))
        elif isinstance(line.value, Mapping):
            self._compare(replayed, line.value)

    def _compare(self, replayed: Mapping[str, Any], case: Mapping[str, Any]) -> None:
        found = ["$.expected: is missing"]
        if "expected" in case:
            found = list(differences(replayed["expected"], case["expected"], "$.expected"))
        self.different += bool(found)
        for difference in found:
            print(f"{visible(replayed['id'])}: {visible(difference)}")

    def finish(self) -> int:
        """Say how it went, and how to exit. Raises `BadCommand` for a file of nothing, with which all is not well."""
        if not self.cases:
            raise BadCommand(f"{line_of(self.name)} has no case: each is a JSON object in one line.")
        if self.check:
            print(f"{self.cases} replayed, {self.different} different", file=sys.stderr)
        if self.faulty:
            return USAGE
        return DIFFERENT if self.different else DONE
