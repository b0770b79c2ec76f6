"""What `questions ask` is to ask, whom, and when the answers are enough: out of its options."""

from __future__ import annotations

import argparse
import re
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from facets.errors import InvalidPrincipal
from facets.link.identity import parse_principal
from facets.principal import Principal
from questions.audience import Present
from questions.policies import All, First, Policy, Quorum
from questions.question import LONGEST_DETAILS, Confirm, Option, Question, Select, Text
from questions.rooms.policy import Mechanism
from questions.rooms.presets import MECHANISMS

from .answer_value import YES_OR_NO
from .bad_command import BadCommand
from .settings import load_settings

__all__ = ["Terms", "terms_of"]

_ANSWERING = ("user", "guest", "program")
_QUORUM = re.compile(r"quorum:([0-9]{1,9})")
_VOTE = re.compile(rf"vote:({'|'.join(MECHANISMS)})(?::([0-9]{{1,9}}))?")


@attrs.frozen
class Terms:
    """One ask, ready to be made."""

    question: Question[Any]
    audience: tuple[Principal, ...] | Present
    policy: Policy
    key: str
    is_named: bool
    """Whether somebody has said the key, so that there may be something that is kept for it."""
    timeout: float | None
    """Seconds; None: for ever."""
    default: Any
    on_behalf_of: Principal | None
    durable: bool = False
    """Whether it outlives this command and the server."""


def terms_of(options: argparse.Namespace) -> Terms:
    """What the options and the settings say. Raises `BadCommand`, `InvalidQuestion` and `InvalidPolicy`.

    Without `--key` it gets a key that nobody else has, so that a lost connection goes on by itself all the same.
    """
    settings = load_settings()
    question = _question(options)
    if options.durable and options.key is None:
        raise BadCommand("--durable: by which --key is it to be found again?")
    if options.durable and question.secret:
        raise BadCommand("--durable: a secret is never stored; leave out one of --durable and --secret.")
    if options.durable and options.present:
        raise BadCommand("--durable: who is present changes; name who is asked, --to ana.")
    return Terms(
        question,
        _audience(options.to, options.present, settings.value("to")),
        _policy(options.policy),
        options.key if options.key is not None else f"ask-{secrets.token_hex(8)}",
        options.key is not None,
        settings.value("timeout", options.timeout),
        None if options.default is None else _default(question, options.default),
        None if options.on_behalf_of is None else _principal("--on-behalf-of", options.on_behalf_of, ("program",)),
        options.durable,
    )


def _question(options: argparse.Namespace) -> Question[Any]:
    details = "" if options.details_file is None else _details(options.details_file)
    if options.kind == "confirm":
        return Confirm(options.message, options.allow, options.deny, options.help_text, details=details)
    if options.kind == "select":
        return Select(options.message, tuple(map(_option, options.option)), options.help_text, details=details)
    return Text(
        options.message, options.secret, options.help_text, options.min_length, options.max_bytes, details=details
    )


def _option(text: str) -> Option:
    id, equals, label = text.partition("=")
    return Option(id, label if equals else id)


def _details(file: Path) -> str:
    """As it is; a character that is no UTF-8 is kept, for people to see that it is none."""
    try:
        if str(file) == "-":
            data = sys.stdin.buffer.read(LONGEST_DETAILS + 1)
        else:
            with file.open("rb") as opened:
                data = opened.read(LONGEST_DETAILS + 1)
    except OSError as error:
        raise BadCommand(f"{file} cannot be read: {error.strerror}.") from None
    if len(data) > LONGEST_DETAILS:
        raise BadCommand(f"{file}: details have {LONGEST_DETAILS} bytes at most.")
    return data.decode(errors="backslashreplace")


def _audience(to: Sequence[str] | None, present: bool, set_elsewhere: Sequence[str] | None) -> Any:
    if present and to:
        raise BadCommand("--to names who is asked, and --present asks everyone who is there: one of them.")
    if present:
        return Present()
    if not (names := to or set_elsewhere):
        raise BadCommand("Who is asked? --to ana, which may be repeated, or --present for everyone who is there.")
    return tuple(_principal("--to", name, _ANSWERING) for name in names)


def _principal(option: str, text: str, kinds: Sequence[str]) -> Principal:
    """Of the first of the kinds, unless the text says which."""
    try:
        principal = parse_principal(text if ":" in text else f"{kinds[0]}:{text}")
    except InvalidPrincipal as error:
        raise BadCommand(f"{option} {text!r}: {error}.") from None
    if principal.kind not in kinds:
        raise BadCommand(f"{option} {text!r}: it is a {principal.kind}, and has to be a {' or a '.join(kinds)}.")
    return principal


def _policy(text: str) -> Policy:
    if text in ("first", "all"):
        return First() if text == "first" else All()
    if match := _QUORUM.fullmatch(text):
        return Quorum(int(match[1]))
    if match := _VOTE.fullmatch(text):
        return Mechanism(match[1], quorum=None if match[2] is None else int(match[2]))
    raise BadCommand(
        f"--policy {text!r}: first, all, or quorum:N, such as quorum:2; of a select also vote:MECHANISM, or "
        f"vote:MECHANISM:N if N have to vote at least.\nMechanisms: {', '.join(MECHANISMS)}."
    )


def _default(question: Question[Any], text: str) -> Any:
    if question.secret:
        raise BadCommand("--default: a secret has none; it would stand on the command line.")
    if not isinstance(question, Confirm):
        return text
    if (answer := YES_OR_NO.get(text.lower())) is None:
        raise BadCommand(f"--default {text!r}: yes or no.")
    return answer
