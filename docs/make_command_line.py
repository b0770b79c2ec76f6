"""Writes docs/command-line.md: every command, option, setting and exit code, read out of the parser itself.

Run by `make docs`, checked by a test.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from docs.make_reference import NOTE
from questions.cli import build_parser, codes
from questions.cli.settings import SETTINGS

ROOT = Path(__file__).resolve().parents[1]

INTRODUCTION = f"""\
{NOTE}

# The command line

Every command of `questions`, with all of its options. This page is written from the code (`make docs`), and
`questions COMMAND --help` says the same. How they play together: [serve and answer from the command
line](howto/serve-and-answer-from-the-command-line.md); ask from [a shell script](howto/ask-in-a-shell-script.md),
[a git hook](howto/ask-in-a-git-hook.md) and [a CI job](howto/ask-in-a-ci-job.md); [raise and await
decisions](howto/decisions-from-scripts.md); [answer gates](howto/answer-at-a-terminal.md).
"""

CODES = (
    ("DONE", "done; for `ask`: answered, and a confirm was allowed by everybody who has answered"),
    ("DENIED", "`ask`: a confirm was denied, by one at least; `decisions`, `gates`: refused, or (`wait`) cancelled"),
    ("DIFFERENT", "`rooms replay --check`: something came out differently; `rooms verify`: something is wrong"),
    ("USAGE", "the command line, a setting, or what it names is at fault; the message says what to change"),
    ("EXPIRED", "`ask`, `decisions wait`: the time was over, even if some had answered"),
    ("WITHDRAWN", "`ask`: withdrawn (Ctrl-C, SIGTERM) or superseded. `answer`, `gates answer`: not open any more"),
    ("UNREACHABLE", "no connection, or none that lets one in, or no store; nothing was decided, and it may work later"),
    ("STILL_OPEN", "`decisions wait`: not ended yet, and the time is over. `gates answer`: left without an answer"),
    ("INTERNAL", "a fault of this program; `questions --traceback ...` shows where"),
    ("INTERRUPTED", "Ctrl-C, save for a question that `ask` has asked, which is 4"),
)

SETTING = """\
## Settings

Each is taken from its option; else from the environment; else from the configuration file; else what is built in holds.
`questions config` shows which hold, and where each is from.
"""

AFTER_SETTINGS = """\
The file is `$QUESTIONS_CONFIG`, else `questions/config.toml` in `$XDG_CONFIG_HOME` or `~/.config`:

```toml
url = "wss://questions.example"
sessions = ["build-7", "build-8"]
token-file = "~/.local/state/questions/tokens/user-ana.token"
to = ["ana", "guest:bo"]
wait = 10
timeout = "10m"
```

A path in it begins with `~`, or is taken from the folder of the file. What is not known, or is no such value, is
refused with its path, and so is a token: that never stands there, and never on a command line. In the environment,
lists have commas in between. `$QUESTIONS_TOKEN` holds a token itself, where nobody else sees the environment (the
secrets of a CI service); it goes before `$QUESTIONS_TOKEN_FILE` and the file.
"""


def row(*cells: object) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def table(*heads: str) -> list[str]:
    return [row(*heads), row(*["---"] * len(heads))]


def page() -> str:
    """docs/command-line.md."""
    parser = build_parser()
    lines = [INTRODUCTION, *overview(parser), "", *exit_codes(), "", SETTING, *settings(), "", AFTER_SETTINGS]
    for name, command, _ in commands(parser):
        lines += described(name, command)
    return "\n".join(lines).rstrip("\n") + "\n"


def commands(parser: argparse.ArgumentParser, prefix: str = "") -> Iterator[tuple[str, argparse.ArgumentParser, str]]:
    """(full name, parser, what it is for) of each command, those inside others included."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, below in action.choices.items():
                yield f"{prefix}{name}", below, helps[name]
                yield from commands(below, f"{prefix}{name} ")


def overview(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield from table("command", "what it is for")
    for name, _, what in commands(parser):
        yield row(f"[`questions {name}`](#questions-{name.replace(' ', '-')})", what)


def exit_codes() -> Iterator[str]:
    yield from ("## Exit codes", "", "They stay: scripts rely on them.", "", *table("code", "what it says"))
    for name, what in CODES:
        yield row(getattr(codes, name), what)


def settings() -> Iterator[str]:
    yield from table("in the file", "option", "environment", "what", "built in")
    for one in SETTINGS:
        yield row(f"`{one.name}`", f"`{one.option}`", f"`${one.variable}`", one.what, one.built_in)


def described(name: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    yield from (f"## questions {name}", "", (parser.description or "").strip(), "")
    options = [one for one in parser._actions if not isinstance(one, argparse._HelpAction | argparse._SubParsersAction)]
    if options:
        yield from table("argument", "what it does")
        for one in options:
            yield row(f"`{' '.join([*one.option_strings[-1:], *value_of(one)])}`", one.help or "")
        yield ""
    if examples := re.search(r"examples:\n((?:  .*\n|\n(?=  ))+)", f"{parser.epilog or ''}\n"):
        yield from ("```sh", *(line[2:] for line in examples[1].rstrip("\n").split("\n")), "```", "")


def value_of(action: argparse.Action) -> Iterator[str]:
    if action.nargs == 0:
        return
    name = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if action.choices:
        name = "{" + ",".join(map(str, action.choices)) + "}"
    yield f"[{name}]" if action.nargs == "?" else name


PAGES = {"command-line.md": page}


def main() -> None:
    """Write the page."""
    for name, make in PAGES.items():
        (ROOT / "docs" / name).write_text(make(), encoding="utf-8")
        print(f"wrote docs/{name}")


if __name__ == "__main__":
    main()
