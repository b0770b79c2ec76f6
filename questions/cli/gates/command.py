"""The parser of `questions gates`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from questions.cli.decisions.acts import code_of
from questions.cli.parser import add_commands
from questions.cli.serve_http import add_open_port
from questions.cli.store_command import add_explained, add_root, root_of

from . import acts
from .answering import run_answer
from .serving import run_serve

__all__ = ["add_gates"]

_EXAMPLES = """\
examples:
  questions gates list                   what workflows wait for, newest first
  questions gates show DECISION          all that people are shown of one
  questions gates answer DECISION        choose, on a terminal
  questions gates serve                  apply deadlines until stopped
  questions gates answer --help          all about a command

the store: --root, else $QUESTIONS_ROOT, else root in the configuration file. A folder that is there, in which decisions
are kept in one file; or postgresql://[user@]host/database[?schema=questions], whose password is in ~/.pgpass.

exit codes: 0 done; 1 refused, and nothing was changed; 2 bad usage, or no terminal; 5 the store is not available;
            70 internal error; 130 interrupted
            answer: 0 answered, 4 settled elsewhere, 6 left without an answer, and still open
"""

_Run = Callable[[str, argparse.Namespace], int]


def add_gates(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `gates` to the parser of `questions`."""
    parser = commands.add_parser(
        "gates",
        description="See and answer what workflows wait for at gates, and serve their deadlines.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kinds = add_commands(parser)
    _add_list(kinds)
    _with_id(
        _add(
            kinds,
            "show",
            "all that people are shown of one",
            partial(acts.run, acts.show),
            "DECISION",
            "DECISION --json",
        )
    )
    _add_answer(kinds)
    what = "take one back; its run is cancelled with it, and all else that it waits for"
    _with_id(_add(kinds, "cancel", what, partial(acts.run, acts.cancel), "DECISION"))
    _add_serve(kinds)


def _add_list(kinds: Any) -> None:
    run = partial(acts.run, acts.list_gates)
    parser = _add(kinds, "list", "what is open, or how things have ended, newest first", run, "", "--state all --json")
    states = ("open", "accepted", "cancelled", "all")
    parser.add_argument("--state", metavar="S", choices=states, default="open", help=", ".join(states))
    parser.add_argument("--audience", metavar="A", help="asked of this audience")
    parser.add_argument("--limit", metavar="N", type=_limit, default=50, help="at most so many, 1 to 200; default: 50")
    parser.add_argument("--ids", action="store_true", help="print ids alone")


def _add_answer(kinds: Any) -> None:
    codes = (
        "0 answered, 1 refused, 2 bad usage or no terminal, 4 settled elsewhere (by somebody, by its deadline, or\n"
        "            taken back), 5 the store is not available, 6 left without an answer, 130 interrupted"
    )
    parser = _add(kinds, "answer", "choose for a workflow, on a terminal", run_answer, "DECISION", codes=codes)
    parser.description = (
        "Show all that there is to read, and choose: Up and Down or a number, then Enter. A text takes any number of\n"
        "lines, and arrives as it stands there; Ctrl+S or F2 gives it. Of what is pasted, the last line end is left\n"
        "out. Esc leaves the decision open. What was typed in the first half second chooses nothing. It is for people\n"
        "alone: it takes no answer from the command line, nor from a pipe."
    )
    _with_id(parser)
    parser.set_defaults(on_interrupt="Interrupted; nothing was answered, and the decision stays open.")


def _add_serve(kinds: Any) -> None:
    codes = "0 stopped by SIGTERM, 2 bad usage or a port in use, 5 the store is not available, 130 stopped by Ctrl-C"
    examples = ("", "--name build-1 --json", "--http-port 8601")
    parser = _add(kinds, "serve", "apply the deadlines of gates, until stopped", run_serve, *examples, codes=codes)
    parser.description = (
        "Apply the deadlines of gates and run their channels, until Ctrl-C or SIGTERM. Of all that serve a store one\n"
        "leads; when it ends, another one does. Without any, answers count as ever, and deadlines are applied late.\n"
        "With --http-port each of them has the page /decide, to which the links of webhooks lead."
    )
    parser.add_argument("--name", metavar="NAME", help="what this server is called; default: the name of the machine")
    folder = "the folder of its channels, see `questions channels`; default: $QUESTIONS_CHANNELS, or in ~/.config"
    parser.add_argument("--channels", metavar="DIR", type=Path, help=folder)
    parser.add_argument("--lease-ms", metavar="N", type=_lease, default=10_000, help=_LEASE)
    add_open_port(parser)


_LEASE = "milliseconds after which another one leads if this one was killed, 1000 to 600000; default: 10000"


def _add(
    kinds: Any, name: str, what: str, run: _Run, *examples: str, codes: str = "see questions gates --help"
) -> argparse.ArgumentParser:
    lines = [f"gates {name} {example}" for example in examples]
    parser = add_explained(kinds, name, what, lines, codes)
    add_root(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run, gates=run, parser=parser, code_of=code_of, on_interrupt="")
    return parser


def _with_id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="DECISION", help="its id")


def _run(options: argparse.Namespace) -> int:
    """Raises `FacetError`, and exits with code 2 for what is missing."""
    code: int = options.gates(root_of(options), options)
    return code


def _whole(text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and least <= int(text) <= most):
        raise argparse.ArgumentTypeError(f"{text!r} is not from {least} to {most}")
    return int(text)


def _limit(text: str) -> int:
    return _whole(text, 1, 200)


def _lease(text: str) -> int:
    return _whole(text, 1_000, 600_000)
