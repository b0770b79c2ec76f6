"""The parser of `questions decisions`."""

from __future__ import annotations

import argparse
import re
from functools import partial
from typing import Any

from questions.cli.codes import DONE
from questions.cli.parser import add_commands
from questions.cli.store_command import add_explained, add_root, root_of

from . import acts

__all__ = ["add_decisions"]

_EXAMPLES = """\
examples:
  questions decisions raise --title "Deploy 7?" --input confirm --timeout-ms 600000
  questions decisions list                          what is open, newest first
  questions decisions answer ID --option yes
  questions decisions wait ID && ./deploy           goes on once somebody has answered, whatever the answer is
  questions decisions raise --help                  all about a command

the store: --root, else $QUESTIONS_ROOT, else root in the configuration file. A folder that is there, in which decisions
are kept in one file; or postgresql://[user@]host/database[?schema=questions], whose password is in ~/.pgpass.
You act as the user of this machine whose shell this is.

exit codes: 0 done; 1 refused, and nothing was changed; 2 bad usage; 5 the store is not available; 70 internal error
            wait: 0 answered, 1 cancelled, 3 expired, 6 still open
"""


def add_decisions(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `decisions` to the parser of `questions`."""
    parser = commands.add_parser(
        "decisions",
        description="Raise, see and answer decisions: questions in a store, which outlive the programs that ask them.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kinds = add_commands(parser)
    _add_list(kinds)
    _add_raise(kinds)
    _add_acts(kinds)
    _add_wait(kinds)
    _add_config(kinds)
    epilog = "examples:\n  questions decisions help"
    help = kinds.add_parser("help", help="how to use it", description="Say how to use it.", epilog=epilog)
    help.set_defaults(run=partial(_help, parser))


def _help(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:  # noqa: ARG001
    parser.print_help()
    return DONE


def _add_list(kinds: Any) -> None:
    parser = _add(kinds, "list", "what is open, or how things have ended, newest first", acts.list_decisions, "")
    statuses = ("open", "answered", "expired", "cancelled", "all")
    parser.add_argument("--status", metavar="S", choices=statuses, default="open", help=f"{', '.join(statuses)}")
    parser.add_argument("--holder", metavar="H", help="held by this one now: user, root, supervisor:ID")
    parser.add_argument("--limit", metavar="N", type=_limit, default=50, help="at most so many, 1 to 200; default: 50")


def _add_raise(kinds: Any) -> None:
    examples = (
        '--title "Deploy 7?" --input confirm --timeout-ms 600000',
        '--title "Where to?" --option eu=Europe --option us --timeout-ms 60000 --on-expire default --default eu',
        '--title "Drop it?" --input confirm --holder root --on-expire escalate --chain root,user --hop-ms 60000',
    )
    parser = _add(kinds, "raise", "raise a decision, and print its id", acts.raise_decision, *examples)
    add = parser.add_argument
    add("--title", metavar="T", required=True, help="the question, up to 200 characters")
    add("--kind", metavar="K", help="approval, question (default) or escalation; a label, which changes no rule")
    add("--body", metavar="B", help="what it is about, up to 4000 characters")
    add("--input", metavar="I", help="text, confirm, select or editor; default: select with options, else text")
    add("--option", metavar="ID[=LABEL]", action="append", help="one of up to 12 choices; repeated")
    add("--holder", metavar="H", help="who has to act: user (default), root, supervisor:ID")
    time = "milliseconds from now, 1000 to 2592000000; default: --hop-ms with --on-expire escalate, else for ever"
    add("--timeout-ms", metavar="N", type=_whole, help=time)
    add("--deadline", metavar="MS", type=_whole, help="in place of that the instant, in epoch milliseconds")
    add("--on-expire", metavar="E", help="when the time is over: cancel (default), default or escalate")
    add("--default", metavar="ID", help="the option that counts then, with --on-expire or --on-final default")
    chain = "who holds it in turn, with --on-expire escalate; the first is --holder; default: up to root, then user"
    add("--chain", metavar="H,H,...", help=chain)
    add("--hop-ms", metavar="N", type=_whole, help="milliseconds for each after the first; default: 600000")
    add("--on-final", metavar="F", help="when the time of the last one is over: cancel (default) or default")


def _add_acts(kinds: Any) -> None:
    _with_id(_add(kinds, "show", "all there is to know of one", acts.show, "ID", "ID --json"))
    examples = ("ID --option yes", 'ID --text "after lunch"', 'ID --option no --text "not on a Friday"')
    parser = _with_id(_add(kinds, "answer", "answer one, whoever holds it", acts.answer, *examples))
    parser.add_argument("--option", metavar="ID", help="the id of an option")
    parser.add_argument("--text", metavar="T", help="a text; beside an option, a remark on it")
    parser.set_defaults(check=_has_payload)
    reason = 'ID --reason "outside my lane"'
    parser = _with_id(_add(kinds, "escalate", "pass one on to the next in its chain", acts.escalate, "ID", reason))
    parser.add_argument("--reason", metavar="T", help="why, up to 500 characters")
    _with_id(_add(kinds, "cancel", "take one back; it has ended then, without an answer", acts.cancel, "ID"))


def _add_wait(kinds: Any) -> None:
    codes = "0 answered, 1 cancelled or refused, 2 bad usage, 3 expired, 5 the store is not available, 6 still open"
    examples = ("ID && ./deploy    goes on once somebody has answered, whatever it is", "ID --timeout-ms 60000 --json")
    parser = _with_id(_add(kinds, "wait", "wait until one has ended", acts.wait, *examples, codes=codes))
    parser.add_argument(
        "--timeout-ms", metavar="N", type=_whole, help="at most so long; 0: look once; default: for ever"
    )
    parser.set_defaults(on_interrupt="Interrupted; the decision stays as it is.")


def _add_config(kinds: Any) -> None:
    examples = ("", "--max-open 10000 --max-stored 20000", "--max-open-per-raiser none")
    parser = _add(kinds, "config", "show and change the limits of the store", acts.change_limits, *examples)
    add = parser.add_argument
    add("--max-open", metavar="N", type=_whole, help="decisions that are open, up to 100000")
    add("--max-stored", metavar="N", type=_whole, help="in all, up to 1000000, and 300 more than may be open")
    add("--retention-ms", metavar="N", type=_whole, help="how long those that have ended are kept, up to 365 days")
    add("--max-open-per-raiser", metavar="N", type=_whole_or_none, help="open of one raiser; none: not limited")


def _add(
    kinds: Any, name: str, what: str, act: acts.Act, *examples: str, codes: str = "see questions decisions --help"
) -> argparse.ArgumentParser:
    lines = [f"decisions {name} {example}" for example in examples]
    parser = add_explained(kinds, name, what, lines, codes)
    add_root(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run, act=act, parser=parser, check=None, code_of=acts.code_of, on_interrupt="")
    return parser


def _with_id(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("id", metavar="ID", help="of the decision")
    return parser


def _run(options: argparse.Namespace) -> int:
    """Raises `FacetError`, and exits with code 2 for what is missing."""
    if options.check is not None:
        options.check(options)
    return acts.run(options.act, root_of(options), options)


def _has_payload(options: argparse.Namespace) -> None:
    if options.option is None and options.text is None:
        options.parser.error("which answer? --option ID, --text T, or both")


def _whole(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def _whole_or_none(text: str) -> int | str:
    return text if text == "none" else _whole(text)


def _limit(text: str) -> int:
    if not 1 <= (limit := _whole(text)) <= 200:
        raise argparse.ArgumentTypeError(f"{text!r} is not from 1 to 200")
    return limit
