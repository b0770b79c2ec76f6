"""Settings of the commands: an option, else the environment, else the configuration file, else what is built in.

`SETTINGS` is the whole table; `questions config` and the documents show it. A token is never in the file.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from .bad_command import BadCommand
from .durations import parse_duration, parse_seconds

__all__ = ["SETTINGS", "Applied", "Setting", "Settings", "channels_folder", "config_path", "load_settings"]

_LARGEST = 2**20
"""Bytes of a configuration file."""


@attrs.frozen
class Setting:
    """One thing that can be set in several places. `read` makes its value of what is in the environment, a text.

    `typed` does so of what is in the file; the value there is a text if it is left out. Both raise `ValueError` or
    `argparse.ArgumentTypeError`, with what it should be.
    """

    name: str
    """Its key in the file."""
    option: str
    what: str
    built_in: str
    """What holds if it is set nowhere, in words."""
    default: Any
    read: Callable[[str], Any]
    typed: Callable[[Any], Any]
    is_path: bool = False
    """In the file, it may begin with `~`, and is taken from the file's folder; save what is an address."""

    @property
    def variable(self) -> str:
        """The environment variable."""
        return f"QUESTIONS_{self.name.replace('-', '_').upper()}"


@attrs.frozen
class Applied:
    """The value of a setting, and where it is from, in words."""

    value: Any
    source: str


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("a text that is not empty")
    return value


def _names(value: Any) -> list[str]:
    if not isinstance(value, list) or not value or not all(isinstance(one, str) and one for one in value):
        raise ValueError('a list of texts, such as ["main"]')
    return value


def _names_in(text: str) -> list[str]:
    try:
        return _names([one.strip() for one in text.split(",")])
    except ValueError:
        raise ValueError("names with commas in between, none of them empty") from None


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("a number of seconds, 0 or more")
    return parse_seconds(str(value))


def _duration(value: Any) -> float:
    return parse_duration(_text(value))


def _setting(name: str, option: str, what: str, built_in: str, default: Any = None, kind: str = "text") -> Setting:
    read, typed = _KINDS[kind]
    return Setting(name, option, what, built_in, default, read, typed, kind in ("path", "store"))


_KINDS: dict[str, tuple[Callable[[str], Any], Callable[[Any], Any]]] = {
    "text": (_text, _text),
    "path": (_text, _text),
    "store": (_text, _text),
    "names": (_names_in, _names),
    "seconds": (parse_seconds, _seconds),
    "duration": (parse_duration, _duration),
}

SETTINGS: tuple[Setting, ...] = (
    _setting("url", "--url", "the server", "`ws://127.0.0.1:8765`", "ws://127.0.0.1:8765"),
    _setting("sessions", "--session", "the sessions to look into, or to ask in", "`main`", None, "names"),
    _setting("token-file", "--token-file", "the file that your token is in", "it is asked for", None, "path"),
    _setting("tls-ca", "--tls-ca", "whose certificates are believed, for `wss`", "the system's", None, "path"),
    _setting("wait", "--wait", "seconds for which to try to reach the server", "`5`", 5.0, "seconds"),
    _setting("to", "--to", "whom `ask` asks", "must be said", None, "names"),
    _setting("timeout", "--timeout", "how long `ask` waits for an answer", "for ever", None, "duration"),
    _setting(
        "auth-keys", "--auth-keys", "the signing keys, of `serve` and `token`", "in `~/.local/state`", None, "path"
    ),
    _setting("root", "--root", "the store of `decisions`, a folder or an address", "must be said", None, "store"),
    _setting("channels", "--channels", "the folder of the channels of gates", "in `~/.config`", None, "path"),
)
"""Everything that can be set in more than one place."""


def config_path() -> tuple[Path, bool]:
    """The configuration file, and whether it was named, by `$QUESTIONS_CONFIG`, and so has to be there."""
    if named := os.environ.get("QUESTIONS_CONFIG"):
        return Path(named), True
    return _home() / "config.toml", False


def channels_folder(given: str | Path | None) -> Path:
    """The folder of the channels of gates, of which `given` is what its option says. Raises `BadCommand`."""
    return Path(load_settings().value("channels", given) or _home() / "channels").absolute()


def _home() -> Path:
    folder = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    return (folder if folder.is_absolute() else Path.home() / ".config") / "questions"


@attrs.frozen
class Settings:
    """What the environment and the configuration file say."""

    path: Path
    exists: bool
    """Whether there is such a file."""
    in_file: Mapping[str, Any]

    def applied(self, name: str, given: Any = None) -> Applied:
        """What holds for a setting, with what its option was given. Raises `BadCommand` for a variable that is bad."""
        setting = next(one for one in SETTINGS if one.name == name)
        if given is not None:
            return Applied(given, setting.option)
        if text := os.environ.get(setting.variable):
            try:
                return Applied(setting.read(text), f"${setting.variable}")
            except (ValueError, argparse.ArgumentTypeError) as error:
                raise BadCommand(f"${setting.variable}: {error}.") from None
        if name in self.in_file:
            return Applied(self.in_file[name], str(self.path))
        return Applied(setting.default, "built in")

    def value(self, name: str, given: Any = None) -> Any:
        """The same without where it is from."""
        return self.applied(name, given).value


def load_settings() -> Settings:
    """Read the configuration file, if there is one. Raises `BadCommand` with every fault in it, each with its path."""
    path, is_named = config_path()
    if not is_named and not path.exists():
        return Settings(path, False, {})
    try:
        with path.open("rb") as opened:
            data = opened.read(_LARGEST)
    except OSError as error:
        raise BadCommand(f"{path} cannot be read: {error.strerror}.") from None
    import tomllib  # noqa: PLC0415  # most have no such file

    try:
        given = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadCommand(f"{path} is not TOML: {error}.") from None
    faults: list[str] = []
    found = dict(_read(given, path, faults))
    if faults:
        raise BadCommand("\n".join(f"{path}: {fault}" for fault in faults))
    return Settings(path, True, found)


def _read(given: Mapping[str, Any], path: Path, faults: list[str]) -> Iterator[tuple[str, Any]]:
    known = {setting.name: setting for setting in SETTINGS}
    for name, value in given.items():
        if name == "token":
            faults.append(
                "$.token: a token is a secret and does not stand here; token-file names the file that it is in"
            )
        elif name not in known:
            faults.append(f"$.{name}: there is no such setting; there are {_listed([*known])}")
        else:
            try:
                yield name, _placed(known[name], known[name].typed(value), path)
            except (ValueError, argparse.ArgumentTypeError) as error:
                faults.append(f"$.{name}: {error}")


def _placed(setting: Setting, value: Any, path: Path) -> Any:
    is_path = setting.is_path and "://" not in value
    return str(path.absolute().parent / Path(value).expanduser()) if is_path else value


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
