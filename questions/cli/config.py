"""`questions config`: which settings hold, and where each is from. No secret is shown."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .codes import DONE
from .durations import in_words
from .lines import line_of
from .settings import SETTINGS, Applied, Setting, Settings, channels_folder, load_settings
from .token import auth_keys_path, is_like_token

__all__ = ["add_config"]

_HIDDEN = "(not shown)"


def _table_of_settings() -> str:
    rows = [(one.name, one.option, f"${one.variable}", one.what) for one in SETTINGS]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return "\n".join(f"  {line}" for line in lines)


_EXAMPLES = f"""\
examples:
  questions config               which settings hold here, and where each is from
  questions config --json

Each is taken from its option, else from the environment, else from the configuration file, else what is built in holds:

{_table_of_settings()}

The file is $QUESTIONS_CONFIG, else questions/config.toml in $XDG_CONFIG_HOME or ~/.config. It has one setting a line:

  url = "wss://questions.example"
  sessions = ["build-7"]
  token-file = "~/.local/state/questions/tokens/user-ana.token"
  timeout = "10m"

A path in it begins with ~, or is taken from the folder of the file. A token never stands in it. $QUESTIONS_TOKEN has
one, where nobody else sees the environment, and goes before $QUESTIONS_TOKEN_FILE and token-file.

exit codes: 0 shown, 2 a setting that is at fault, 70 internal error
"""


def add_config(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `config` to the parser of `questions`."""
    parser = commands.add_parser(
        "config",
        description="Show which settings hold, and where each is from. Secrets are not shown.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run_config)


def run_config(options: argparse.Namespace) -> int:
    """Show them; returns the exit code. Raises `BadCommand` for a setting that is at fault."""
    settings = load_settings()
    shown = dict(_shown(settings))
    if options.json:
        told = {name: {"value": one.value, "from": one.source} for name, one in shown.items()}
        print(json.dumps({"config": str(settings.path), "exists": settings.exists, "settings": told}))
        return DONE
    print(line_of(f"{settings.path}{'' if settings.exists else '  (there is none)'}"))
    width = max(map(len, shown))
    for name, one in shown.items():
        print(f"{name.ljust(width)}  {line_of(_written(one.value))}  ({line_of(one.source)})")
    return DONE


def _shown(settings: Settings) -> Iterator[tuple[str, Applied]]:
    for setting in SETTINGS:
        one = settings.applied(setting.name)
        if one.value is None:
            one = Applied(_built_in(setting), one.source)
        yield setting.name, Applied(_HIDDEN, one.source) if _is_secret(one.value) else one
        if setting.name == "token-file":  # which it goes before
            is_set = bool(os.environ.get("QUESTIONS_TOKEN", "").strip())
            yield "token", Applied(_HIDDEN, "$QUESTIONS_TOKEN") if is_set else Applied(None, "not set")


def _built_in(setting: Setting) -> Any:
    if setting.name == "auth-keys":
        return str(auth_keys_path(None))
    if setting.name == "channels":
        return str(channels_folder(None))
    return ["main"] if setting.name == "sessions" else None


def _is_secret(value: Any) -> bool:
    """Whether somebody has put a token, or a password, where none belongs."""
    if not isinstance(value, str):
        return False
    return is_like_token(value) or is_like_token(Path(value).name) or "?" in value or "@" in value


def _written(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return in_words(value)
    return ", ".join(value) if isinstance(value, list) else str(value)
