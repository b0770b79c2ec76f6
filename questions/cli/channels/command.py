"""The parser of `questions channels`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from questions.cli.codes import REFUSED, UNREACHABLE, USAGE
from questions.cli.durations import parse_seconds
from questions.cli.parser import add_commands
from questions.cli.store_command import add_explained, add_root
from questions.durable.errors import StoreUnavailable
from questions.gates.errors import EffectRefused
from questions.gates.telegram.errors import TokenRefused

from . import acts
from .setup import setup_telegram, setup_webhook

__all__ = ["add_channels"]

_EXAMPLES = """\
examples:
  questions channels setup telegram approval --token-file bot.token --user 100 --chat -200 --audience operator
  questions channels setup webhook ops --secret-file ops.secret --url-file ops.url \\
      --page https://questions.example/decide --recipient ana --audience operator
  questions channels status              what is configured, and with --root what runs and what is in doubt
  questions channels reload              have the running gate server take what was changed
  questions channels recover EFFECT confirm
  questions channels setup telegram --help      all about a command

The configuration: channels.json and credentials.json in --channels, else $QUESTIONS_CHANNELS, else channels in the
configuration file, else ~/.config/questions/channels. Secrets stay in files of their own, which only you can read.
The store of status, reload and recover: as for `questions gates`.

exit codes: 0 done; 1 refused, and nothing was changed; 2 bad usage, or a configuration at fault; 5 a token that is not
            confirmed, no gate server, or no store; 70 internal error
"""
_WHOLE = "see questions channels --help"


def add_channels(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `channels` to the parser of `questions`."""
    parser = commands.add_parser(
        "channels",
        description="Say where people are asked at gates, beside this machine, and see how that goes.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kinds = add_commands(parser)
    setup = kinds.add_parser(
        "setup",
        help="add a channel, or more people to one",
        description="Add a channel to the configuration, or more people to one that is there. Nothing is taken away.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    of_setup = add_commands(setup)
    _add_telegram(of_setup)
    _add_webhook(of_setup)
    _add_status(kinds)
    _add_reload(kinds)
    _add_recover(kinds)


def _add_telegram(kinds: Any) -> None:
    what = "show requests in Telegram chats, with buttons"
    examples = (
        "setup telegram approval --token-file ~/bot.token --user 100 --chat -200 --audience operator",
        "setup telegram approval --token-file ~/bot.token --user 101 --chat -200     one more person",
    )
    parser = _add(kinds, "telegram", what, setup_telegram, *examples)
    parser.description = (
        "Show requests in Telegram chats, with buttons. The token is tried out before anything is written. How a bot\n"
        "is made, and the numbers of people and chats are found: docs/howto/ask-in-telegram.md."
    )
    add = parser.add_argument
    add("profile", metavar="PROFILE", help="a name for it, such as approval; its channel is telegram:PROFILE")
    add("--token-file", metavar="FILE", type=Path, required=True, help="the file that the bot's token is in; mode 0600")
    add("--user", metavar="N", action="append", required=True, help="the number of a person who may answer; repeated")
    add("--chat", metavar="N", action="append", required=True, help="the number of a chat that is asked; repeated")
    add("--audience", metavar="A", action="append", help="an audience of gates that is asked there; repeated")
    add("--base-url", metavar="URL", help="a Bot API server of your own; default: https://api.telegram.org")


def _add_webhook(kinds: Any) -> None:
    what = "post signed notices to an address, with links to a page"
    page = "--page https://questions.example/decide --recipient ana --audience operator"
    parser = _add(
        kinds, "webhook", what, setup_webhook, f"setup webhook ops --secret-file ops.secret --url-file ops.url {page}"
    )
    parser.description = (
        "Post signed notices to an address, with a link for each person to a page that takes the answer. Who receives\n"
        "them, and how the secret is made: docs/howto/ask-through-a-webhook.md."
    )
    add = parser.add_argument
    add("profile", metavar="PROFILE", help="a name for it, such as ops; its channel is webhook:PROFILE")
    add("--secret-file", metavar="FILE", type=Path, required=True, help="the file that whsec_... is in; mode 0600")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--url", help="where notices go; every user of this machine can see it while this runs")
    where.add_argument("--url-file", metavar="FILE", type=Path, help="the file that the address is in; mode 0600")
    add("--page", metavar="URL", required=True, help="where people reach the page for answers, as https://HOST/decide")
    add("--recipient", metavar="WHO", action="append", required=True, help="who gets a link; repeated")
    add("--audience", metavar="A", action="append", help="an audience of gates that is told there; repeated")
    add("--insecure", action="store_true", help="without TLS also to other machines")


def _add_status(kinds: Any) -> None:
    examples = ("status", "status --root /var/lib/gates --json")
    codes = "0 shown, 2 a configuration at fault, 5 the store is not available"
    parser = _add(
        kinds, "status", "what is configured, what runs, and what is in doubt", acts.status, *examples, codes=codes
    )
    parser.description = (
        "Show which channels and audiences are configured, and, with a store, which of them run, and which messages\n"
        "are in doubt. Neither people and chats nor secrets are shown."
    )
    add_root(parser)


def _add_reload(kinds: Any) -> None:
    codes = (
        "0 taken, 2 a configuration at fault, which nobody was asked to take, 5 no gate server has taken it, or the\n"
        "            store is not available"
    )
    examples = ("reload --root /var/lib/gates",)
    what = "have the running gate server take the configuration as it is now"
    parser = _add(kinds, "reload", what, acts.reload, *examples, codes=codes)
    add_root(parser)
    wait = "seconds in which the gate server is to take it; default: 30"
    parser.add_argument("--wait", metavar="SECONDS", type=parse_seconds, default=30.0, help=wait)


def _add_recover(kinds: Any) -> None:
    examples = ("recover effect-3f2a... confirm", "recover effect-3f2a... retry")
    parser = _add(kinds, "recover", "say how to go on with a message that is in doubt", acts.recover, *examples)
    parser.description = (
        "Say how to go on with a message of which nobody knows whether it has arrived; `questions channels status`\n"
        "has its id. Look into the chat first. confirm: it is there, and nothing is sent. retry: what is missing is\n"
        "sent again, and may then be there twice; also for what has failed too often."
    )
    parser.add_argument("effect", metavar="EFFECT", help="its id")
    parser.add_argument("how", metavar="confirm|retry", choices=("confirm", "retry"), help="confirm or retry")
    add_root(parser)


def _add(kinds: Any, name: str, what: str, run: Any, *examples: str, codes: str = _WHOLE) -> argparse.ArgumentParser:
    lines = [f"channels {example}" for example in examples]
    parser = add_explained(kinds, name, what, lines, codes)
    folder = "the folder of channels.json and credentials.json; default: $QUESTIONS_CHANNELS, or in ~/.config"
    parser.add_argument("--channels", metavar="DIR", type=Path, help=folder)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run, parser=parser, code_of=_code_of, on_interrupt="")
    return parser


def _code_of(error: BaseException) -> int:
    if isinstance(error, StoreUnavailable | TokenRefused):
        return UNREACHABLE
    code: int = REFUSED if isinstance(error, EffectRefused) else getattr(error, "exit_code", USAGE)
    return code
