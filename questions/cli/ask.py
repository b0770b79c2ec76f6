"""`questions ask`: ask people from a shell, a git hook or a CI job, with a worker's token, and wait."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import trio

from .ask_progress import progress_on
from .ask_terms import terms_of
from .ask_wait import Wait
from .bad_command import BadCommand
from .connecting import CONNECTING, add_link_options, server_of
from .durations import parse_duration

__all__ = ["add_ask"]

_EXAMPLES = f"""\
examples:
  questions ask confirm "Deploy?" --to ana --token-file worker.token && ./deploy
  questions ask confirm "Drop the table?" --to ana --to bo --policy all --timeout 10m
  questions ask select "Where to?" --option eu=Europe --option us=America --to ana --default eu --timeout 5m
  questions ask select "Where to?" --option eu --option us --to ana --to bo --policy vote:approval --timeout 5m
  questions ask text "Why is this urgent?" --present
  git diff | questions ask confirm "Push this?" --details-file - --to guest:bo
  questions ask confirm "Deploy 7?" --to ana --key deploy-7   again, it joins the question or gets the kept answer
  questions ask confirm "Deploy 7?" --to ana --key deploy-7 --durable   the same tomorrow, whatever was stopped between

The answer is on standard output: yes or no, an option's id, or the text; with --policy all or quorum:N a line for each,
who and what, with a tab between them; of a vote the option that has won, or nothing. How it stands is told on standard
error. Ctrl-C and SIGTERM withdraw it, unless it is --durable: then it stays open, for whoever asks again with its key.

{CONNECTING}
exit codes: 0 answered; a confirm: allowed, by everybody who has answered
            1 a confirm: denied, by somebody at least; a vote: nobody has won, though enough have voted
            3 the time was over, even if some had answered; a vote: too few had; 4 withdrawn or superseded
            2 bad usage; 5 unreachable, token not accepted; 6 interrupted, and the --durable question is still open
            70 internal error
"""


def add_ask(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `ask` to the parser of `questions`."""
    ask = commands.add_parser(
        "ask",
        description="Ask people a question through a server, wait for the answer, and say by the exit code what it is.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kinds = ask.add_subparsers(title="kinds", metavar="KIND", required=True, dest="kind")
    confirm = _add_kind(kinds, "confirm", "a question for a yes or a no", 'questions ask confirm "Deploy?" --to ana')
    confirm.add_argument("--allow", metavar="LABEL", default="Allow", help="what yes is called; default: Allow")
    confirm.add_argument("--deny", metavar="LABEL", default="Deny", help="what no is called; default: Deny")
    text = _add_kind(kinds, "text", "a question for some text, or a secret", 'questions ask text "Why?" --to ana')
    text.add_argument("--secret", action="store_true", help="nobody else is shown the answer; takes a server's token")
    text.add_argument("--min-length", metavar="N", type=int, default=0, help="code points that it has at least")
    text.add_argument("--max-bytes", metavar="N", type=int, default=65_536, help="bytes that it has at most")
    select = _add_kind(
        kinds,
        "select",
        "a choice of one of several",
        'questions ask select "Where?" --option eu=Europe --option us --to ana',
    )
    select.add_argument(
        "--option", metavar="ID[=LABEL]", action="append", required=True, help="one of the choices; may be repeated"
    )


def _add_kind(
    kinds: argparse._SubParsersAction[argparse.ArgumentParser], kind: str, what: str, example: str
) -> argparse.ArgumentParser:
    parser = kinds.add_parser(
        kind,
        help=what,
        description=f"Ask {what}, and wait.",
        epilog=f"examples:\n  {example}\n\nMore of them, and the exit codes: questions ask --help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("message", metavar="MESSAGE", help="the question; every user of this machine can see it")
    add("--to", metavar="WHO", action="append", help="who is asked: ana, guest:bo, program:run-1; may be repeated")
    add("--present", action="store_true", help="ask everyone who is there, and who comes")
    add(
        "--policy",
        metavar="P",
        default="first",
        help="first (default), all, or quorum:N; of a select also vote:MECHANISM[:N]",
    )
    add("--details-file", metavar="FILE", type=Path, help="what it is about, shown below it; -: standard input")
    add("--help-text", metavar="TEXT", help="a hint for who answers")
    add("--timeout", metavar="TIME", type=parse_duration, help="such as 90s or 5m; default: for ever")
    add("--default", metavar="VALUE", help="what counts as the answer when the time is over; with --policy first only")
    add("--key", metavar="KEY", help="a name for it: asked again, it joins the question or gets the kept answer")
    add(
        "--durable", action="store_true", help="with --key: it outlives this command and the server, which has a --root"
    )
    add("--on-behalf-of", metavar="PROGRAM", help="the program whose run asks; it may never answer")
    add("--json", action="store_true", help="print one JSON object")
    add("--quiet", action="store_true", help="tell nothing on standard error while waiting")
    add_link_options(parser)
    parser.set_defaults(run=run_ask, on_interrupt="Interrupted; nothing was asked.")
    return parser


def run_ask(options: argparse.Namespace) -> int:
    """Ask and wait; returns the exit code. Raises `FacetError` for what is at fault."""
    if len(options.session or ()) > 1:
        raise BadCommand("A question is asked in one --session.")
    terms, server = terms_of(options), server_of(options, "A worker's")
    wait = Wait(server, terms, options.session is not None, progress_on(sys.stderr, quiet=options.quiet))
    outcome = trio.run(wait.run)
    options.decided, options.on_interrupt = outcome.exit_code, outcome.words  # whatever comes of telling it
    lines = outcome.lines(for_terminal=sys.stdout.isatty())
    for line in [outcome.as_json(wait.id, terms.key)] if options.json else lines:
        print(line, flush=True)
    if not options.quiet:
        print(outcome.words, file=sys.stderr)
    return outcome.exit_code
