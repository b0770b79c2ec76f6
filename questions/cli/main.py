"""The `questions` command: one parser, and exit codes that stay (`codes.py`)."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module

from facets.errors import FacetError

from .codes import DONE, INTERNAL, INTERRUPTED, USAGE
from .parser import LateCommands, Parser, add_commands, parsed, quotable
from .streams import output_fault, prepare_streams

__all__ = ["build_parser", "main"]

_EXAMPLES = """\
examples:
  questions demo                 an agent's tool calls, asked of people; you are one of them
  questions demo --auto          the same with scripted people
  questions serve --person ana   a server that people and work in other processes can reach
  questions ask confirm "Deploy?" --to ana && ./deploy
  questions inbox                what is asked of you, to answer in place
  questions list                 the same, as a table
  questions watch                what the server asks, and each change
  questions answer ID yes        answer one of its questions
  questions decisions list       the same of what outlives the programs that ask, from its store
  questions gates list           what workflows wait for at gates, and how it has ended
  questions channels status      where people are asked at gates beside this machine, and how that goes
  questions rooms replay FILE    run decisions of many again, and see whether they come out the same
  questions rooms verify FILE    what the signed receipts of a room prove
  questions token user:ana       a token by which Ana proves to a server who she is
  questions config               which settings hold, and where each is from
  questions completion bash      a script that completes commands in your shell
  questions ask --help           all about a command

exit codes: 0 done, answered or allowed; 1 denied or refused, 2 bad usage or input, 3 the time was over, 4 the question
is not open any more, 5 unreachable or token not accepted, 6 still open, 70 internal error, 130 interrupted
"""
_COMMANDS = {
    "demo": "an agent's tool calls: harmless ones pass by rule, the others are asked of people",
    "serve": "a server for people and work in other processes",
    "ask": "ask people, and wait for their answer",
    "inbox": "all that is open for you, on a terminal, to answer in place",
    "list": "what is open for you now",
    "watch": "what a server asks people, and each change of it",
    "answer": "answer an open question of a server",
    "decisions": "questions in a store, which outlive the programs that ask them",
    "gates": "what workflows wait for at gates: see it, answer it, serve it",
    "channels": "where people are asked at gates beside this machine: set it up, see how it goes, repair it",
    "rooms": "check how decisions of many came out, and what their receipts prove",
    "token": "issue a token, by which somebody proves who they are to a server; revoke it; change the keys",
    "config": "which settings hold, and where each is from",
    "completion": "a script that completes commands in your shell",
}
"""Each is a module, or a package, beside this one, and is imported when it is named."""
_WITHDRAWN = "Interrupted; what was still open is withdrawn."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with `arguments` (default: those of the process) and return its exit code.

    Faults of the user's are told in words on standard error, and never with a traceback.
    """
    prepare_streams()
    options = parsed(_parser(), arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except SystemExit:  # of the parser, which has said why
        raise
    except BaseException as error:
        return _told(error, options)


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command, with every subcommand in it."""
    parser = _parser()
    for action in parser._actions:
        if isinstance(action, LateCommands):
            action.make_all()
    return parser


def _parser() -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = Parser(
        prog="questions",
        description="Questions that work asks of people, and what they answer.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--traceback", action="store_true", help="show where an internal error was raised")
    parser.set_defaults(whole=build_parser)
    commands = add_commands(parser, LateCommands)
    for name, what in _COMMANDS.items():
        commands.declare(name, what, partial(_make, name))
    return parser


def _make(name: str, commands: LateCommands) -> None:
    getattr(import_module(f".{name}", __package__), f"add_{name}")(commands)


def _told(error: BaseException, options: argparse.Namespace) -> int:
    """Say what happened and return the exit code. Nurseries wrap what they raise: look inside groups."""
    causes = list(_causes(error))
    if any(isinstance(cause, KeyboardInterrupt) for cause in causes):
        print(f"\n{getattr(options, 'on_interrupt', _WITHDRAWN)}".rstrip(), file=sys.stderr)
        return INTERRUPTED
    if (fault := output_fault()) is not None and all(isinstance(cause, OSError) for cause in causes):
        return _unprinted(fault, getattr(options, "decided", DONE))
    if all(isinstance(cause, FacetError) for cause in causes):
        print(quotable("\n".join(map(str, causes))), file=sys.stderr)
        code_of: Callable[[BaseException], int] = getattr(options, "code_of", _code_of)
        return max(map(code_of, causes))
    _tell_internal(error, causes, options.traceback)
    return INTERNAL


def _code_of(error: BaseException) -> int:
    code: int = getattr(error, "exit_code", USAGE)
    return code


def _unprinted(fault: OSError, decided: int) -> int:
    """What a command has decided stands, though it cannot be printed. Whoever hangs up has read enough."""
    if isinstance(fault, BrokenPipeError):
        return decided
    print(f"What there is to print cannot be written: {fault.strerror}. What was done stands.", file=sys.stderr)
    return decided or USAGE


def _causes(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _causes(inner)
    else:
        yield error


def _tell_internal(error: BaseException, causes: Sequence[BaseException], whole: bool) -> None:
    # The text of an exception may quote what it was raised about; without being asked only its place is shown.
    for cause in causes:
        place = traceback.extract_tb(cause.__traceback__)[-1:]
        where = f" at {place[0].filename}:{place[0].lineno}" if place else ""
        print(f"internal error: {type(cause).__name__}{where}", file=sys.stderr)
    if whole:
        traceback.print_exception(error)
    else:
        print("Run `questions --traceback ...` to see all of it.", file=sys.stderr)
