"""The parser of every command: it says what is wrong with a command line, and quotes nothing that could do harm."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from questions.visible import visible

__all__ = ["Parser", "parsed", "quotable"]

_TOKEN = re.compile(r"eyJ[\w-]*\.[\w-]*\.[\w-]*", re.ASCII)
_HIDDEN = "(a token)"


class Parser(argparse.ArgumentParser):
    """As `argparse` has it. Its subcommands are of this class, too."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and exit with code 2."""
        said = quotable(message)
        if _HIDDEN in said:
            said += "\nA token on the command line can be seen by every user of this machine; revoke that one."
        super().error(said)


def parsed(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options. Exits with code 2 for what cannot be, and what is no text; names of files may be any bytes."""
    options = parser.parse_args(arguments)
    for text in _texts_of(vars(options).values()):
        if _is_no_text(text):
            parser.error(f"{text!r} is not text in UTF-8")
    return options


def _texts_of(values: Any) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from _texts_of(value)


def _is_no_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def quotable(text: str) -> str:
    """The text as a terminal may be given it: what cannot be seen is made visible, and a token is left out."""
    return _TOKEN.sub(_HIDDEN, visible(text))
