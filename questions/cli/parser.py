"""The parser of every command: it says what is wrong with a command line, and quotes nothing that could do harm."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn

from questions.visible import visible

__all__ = ["LateCommands", "Parser", "add_commands", "parsed", "quotable"]

_TOKEN = re.compile(r"eyJ[\w-]*\.[\w-]*\.[\w-]*", re.ASCII)
_HIDDEN = "(a token)"


class Parser(argparse.ArgumentParser):
    """As `argparse` has it, but that an option which takes a value takes the next word, whatever that begins with.

    Its subcommands are of this class, too.
    """

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What its caller is told, and what is left."""
        return super().parse_known_args([*self._joined(sys.argv[1:] if args is None else args)], namespace)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and exit with code 2."""
        said = quotable(message)
        if _HIDDEN in said:
            said += "\nA token on the command line can be seen by every user of this machine; revoke that one."
        super().error(said)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.option_strings and arg_strings == ["--"]:  # which argparse would leave out
            value = self._get_value(action, "--")
            self._check_value(action, value)
            return value
        return super()._get_values(action, arg_strings)

    def _joined(self, words: Sequence[str]) -> Iterator[str]:
        """The words, with those that are values joined to their options: `--title=--now`."""
        rest = iter(words)
        for word in rest:
            if word == "--":
                yield word
                break
            value = next(rest, None) if self._takes_value(word) else None
            yield word if value is None else f"{word}={value}"
        yield from rest

    def _takes_value(self, word: str) -> bool:
        if not word.startswith("--"):
            return False
        named = self._option_string_actions
        found = {id(named[name]): named[name] for name in named if name.startswith(word)}
        action = named.get(word) or (found.popitem()[1] if len(found) == 1 else None)
        return action is not None and action.nargs is None


class LateCommands(argparse._SubParsersAction):  # type: ignore[type-arg]  # it is generic for type checkers alone
    """Commands that are made when they are named, so that what only they need is not imported for others."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._late: dict[str, Callable[[LateCommands], None]] = {}

    def declare(self, name: str, what: str, make: Callable[[LateCommands], None]) -> None:
        """There is such a command, and `what` it is for. `make` adds it."""
        self.add_parser(name, help=what)
        self._late[name] = make

    def make(self, name: str) -> None:
        """Make a command now."""
        if make := self._late.pop(name, None):
            del self._name_parser_map[name]
            make(self)

    def make_all(self) -> None:
        """Make all of them, in their order."""
        for name in [*self._name_parser_map]:
            self.make(name)

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        """One of them is on the command line."""
        self.make(values[0])
        super().__call__(parser, namespace, values, option_string)


def add_commands(parser: argparse.ArgumentParser, action: type[argparse.Action] = argparse._SubParsersAction) -> Any:
    """Have a parser take commands. Who names none is told which there are, and exits with code 2."""
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", action=action)
    parser.set_defaults(run=partial(_refuse, parser, commands))
    return commands


def _refuse(parser: argparse.ArgumentParser, commands: Any, options: argparse.Namespace) -> NoReturn:  # noqa: ARG001
    parser.error(f"which command? {', '.join(commands.choices)}\n`{parser.prog} --help` says what each is for.")


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
