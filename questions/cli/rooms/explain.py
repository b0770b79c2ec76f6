"""`questions rooms explain`: why decisions came out as they did, in words and as a picture."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from questions.cli.bad_command import BadCommand
from questions.cli.codes import DONE, USAGE
from questions.cli.lines import line_of
from questions.rooms.errors import InvalidCase, InvalidParams, ParticipationOutOfRange
from questions.rooms.explain_case import explain
from questions.rooms.explain_parts import Explanation
from questions.rooms.explain_svg import picture
from questions.visible import visible

from .cases import Line, lines_of

__all__ = ["add_explain", "run_explain"]

_EXAMPLES = """\
examples:
  questions rooms explain cases.jsonl                      why each case comes out as it does
  questions rooms explain cases.jsonl --id drinks --json   one of them, as data
  questions rooms explain cases.jsonl --id drinks --svg drinks.svg   and as a picture, besides

A case is a JSON object in one line, as `questions rooms replay` reads it. It is counted anew, and what it expects is
not looked at. Options that differ and would look alike get a number; what is invisible in a name is shown as an escape.

exit codes: 0 explained; 2 bad usage, or some lines are no counts of ballots; the others were explained
"""


def add_explain(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `explain` to the parser of `questions rooms`."""
    parser = commands.add_parser(
        "explain",
        help="say why decisions came out as they did",
        description="Say in plain words why decisions came out as they did: rounds, pairs, points, who was missing.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="cases in JSON, one a line; - reads standard input")
    parser.add_argument("--id", metavar="ID", help="only the case with this id")
    parser.add_argument("--json", action="store_true", help="print each explanation as a JSON object in one line")
    parser.add_argument("--svg", metavar="OUT", type=Path, help="write a picture of the one case to this file")
    parser.set_defaults(run=run_explain, on_interrupt="")


def run_explain(options: argparse.Namespace) -> int:
    """Explain; returns the exit code. Raises `FacetError` for a file that cannot be read, or written."""
    faulty, first, told = 0, None, 0
    for line in lines_of(options.file):
        if options.id is not None and not _is_named(line, options.id):
            continue
        try:
            explained = _explained(line)
        except (InvalidCase, InvalidParams, ParticipationOutOfRange) as error:
            faulty += 1
            print(f"{visible(options.file)}:{line.number}: {visible(str(error))}", file=sys.stderr)
            continue
        told += 1
        first = first or explained
        if options.svg is not None and told > 1:
            raise BadCommand("--svg draws one case, and there are several; --id ID says which.")
        print("\n".join(_words(explained, as_json=options.json, is_first=told == 1)))
    if first is None and not faulty:
        which = "" if options.id is None else f" with the id {line_of(options.id)}"
        raise BadCommand(f"{line_of(options.file)} has no case{which}: each is a JSON object in one line.")
    if options.svg is not None and first is not None:
        _draw(first, options.svg)
    return USAGE if faulty else DONE


def _is_named(line: Line, id: str) -> bool:
    return isinstance(line.value, dict) and line.value.get("id") == id


def _explained(line: Line) -> Explanation:
    if line.fault is not None:
        raise InvalidCase([line.fault])
    return explain(line.value)


def _words(explained: Explanation, *, as_json: bool, is_first: bool) -> Iterator[str]:
    if as_json:
        yield json.dumps(explained.as_json())
        return
    if not is_first:
        yield ""
    yield f"{line_of(explained.id)} ({explained.mechanism}): {explained.as_text()}"


def _draw(explained: Explanation, file: Path) -> None:
    try:
        file.write_text(picture(explained), encoding="utf-8")
    except OSError as error:
        raise BadCommand(f"{visible(str(file))} cannot be written: {error.strerror}.") from None
