"""The answer to a question, as it is given on the command line, in a file, on standard input, or typed."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from getpass import getpass
from pathlib import Path
from typing import Any

from questions.open_question import OpenQuestion
from questions.question import Confirm, Select
from questions.redaction import Secret
from questions.visible import visible

from .arming import ARMING_DELAY
from .ballots import ballot_of
from .connecting import BadCommand
from .lines import line_of
from .watch_lines import answered_with

__all__ = ["YES_OR_NO", "answer_given"]

YES_OR_NO = {"yes": True, "true": True, "allow": True, "no": False, "false": False, "deny": False}
_LARGEST = 2**20
"""Bytes that are read; the largest answer has a good deal fewer."""


def answer_given(opened: OpenQuestion, value: str | None, file: Path | None) -> Secret[Any]:
    """The answer, checked against its question; asks for it on a terminal if need be. Raises `BadCommand`.

    A secret is not taken from `value`, which every user of the machine could see.
    """
    question = opened.question
    if question.secret and value not in (None, "-"):
        raise BadCommand(
            "This question asks for a secret, and every user of this machine can see the command line. Nothing was\n"
            "sent; change the secret if it matters. Leave it out to be asked for it, or give it on standard input:\n"
            f"questions answer {opened.id} - < FILE"
        )
    text = _text(opened, value, file)
    return Secret(_checked(opened, _parsed(opened, text)))


def _text(opened: OpenQuestion, value: str | None, file: Path | None) -> str:
    if file is not None:
        try:
            with file.open("rb") as opened_file:
                return _decoded(opened_file.read(_LARGEST))
        except OSError as error:
            raise BadCommand(f"{file} cannot be read: {error.strerror}") from None
    if value == "-":
        return _decoded(sys.stdin.buffer.read(_LARGEST))
    if value is not None:
        return value
    if not sys.stdin.isatty():
        raise BadCommand(
            "What is the answer? VALUE, - for standard input, or --file FILE. On a terminal it is asked for."
        )
    return _asked(opened)


def _decoded(data: bytes) -> str:
    try:
        return data.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise BadCommand("The answer is not text in UTF-8.") from None


def _asked(opened: OpenQuestion) -> str:
    question = opened.question
    print(visible(question.message), file=sys.stderr)
    if question.details:
        print("".join(f"  | {line}\n" for line in visible(question.details).split("\n")), end="", file=sys.stderr)
    time.sleep(ARMING_DELAY)  # what is typed meanwhile is forgotten: nobody has read so soon what it would answer
    typed = _typed(f"{line_of(answered_with(opened))}? ", hidden=question.secret)
    if not typed:  # a slip of the finger is no answer
        raise BadCommand(f'Nothing was typed or answered. Empty text is given so: questions answer {opened.id} ""')
    return typed


def _typed(prompt: str, *, hidden: bool) -> str:
    if hidden:
        try:
            return getpass(prompt)
        except EOFError:
            return ""
    _forget_what_was_typed()
    print(prompt, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().removesuffix("\n")


def _forget_what_was_typed() -> None:
    """What was typed before the question was shown is no answer to it. (A hidden prompt does so by itself.)"""
    with suppress(ImportError, OSError, ValueError):
        import termios  # noqa: PLC0415  # not on every system

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def _parsed(opened: OpenQuestion, text: str) -> Any:
    question = opened.question
    if isinstance(question, Select):
        return ballot_of(opened, text.strip())
    if not isinstance(question, Confirm):
        return text
    answer = YES_OR_NO.get(text.strip().lower())
    if answer is None:
        raise BadCommand(f"This question is answered with yes or no ({line_of(answered_with(opened))}).")
    return answer


def _checked(opened: OpenQuestion, answer: Any) -> Any:
    """Here as well as at the server, for the sake of words that help."""
    if faults := opened.policy.check(opened.question, answer):
        if isinstance(opened.question, Select):
            raise BadCommand(f"This question is answered with {line_of(answered_with(opened))}.")
        raise BadCommand("; ".join(fault.replace("$.answer", "The answer", 1) for fault in faults) + ".")
    return answer
