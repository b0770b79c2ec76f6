"""`questions completion`: scripts that complete commands, options, files and open questions in a shell."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from facets.errors import MissingExtra

from .codes import DONE

__all__ = ["SHELLS", "add_completion"]

SHELLS = ("bash", "zsh", "fish")
"""Those that there are scripts for."""

_EXAMPLES = """\
examples:
  eval "$(questions completion bash)"                                       in ~/.bashrc; or in files:
  mkdir -p ~/.local/share/bash-completion/completions ~/.zfunc ~/.config/fish/completions
  questions completion bash > ~/.local/share/bash-completion/completions/questions
  questions completion zsh > ~/.zfunc/_questions                            with ~/.zfunc in fpath
  questions completion fish > ~/.config/fish/completions/questions.fish

`questions answer` is completed with the ids of what is open for you, where the settings say which server and whose
token, and `questions gates answer` with those of what is open in the store; see `questions config`.

exit codes: 0 printed, 2 bad usage, or the library for it is not installed
"""

_IDS = {
    "ID": ("_questions_open_ids", "questions list --ids --wait 1 </dev/null 2>/dev/null"),
    "DECISION": ("_questions_open_gates", "questions gates list --ids </dev/null 2>/dev/null"),
}
"""By what an argument is called: the function of the shell that completes it, and the command that prints the ids."""
_FUNCTIONS = {
    "bash": '{name}() {{ compgen -W "$({command})" -- "$1"; }}',
    "zsh": '{name}() {{ local -a ids; ids=(${{(f)"$({command})"}}); compadd -a ids; }}',
    "fish": "function {name}; {command}; end",
}


def add_completion(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `completion` to the parser of `questions`. `whole` of its options makes that."""
    parser = commands.add_parser(
        "completion",
        description="Print a script that completes the commands and options of `questions` in a shell.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=SHELLS, help="bash, zsh or fish")
    parser.set_defaults(run=lambda options: run_completion(options, options.whole()))


def run_completion(options: argparse.Namespace, whole: argparse.ArgumentParser) -> int:
    """Print the script; returns the exit code. Raises `MissingExtra`."""
    try:
        import shtab  # noqa: PLC0415  # only who completes needs it
    except ModuleNotFoundError:
        raise MissingExtra("Completion", "shtab", "completion", "questions --help") from None
    for action in _actions(whole):
        _say_what_completes(action, {shell: str(shtab.FILE[shell]) for shell in SHELLS})
    functions = [_FUNCTIONS[options.shell].format(name=name, command=command) for name, command in _IDS.values()]
    print(shtab.complete(whole, options.shell, preamble="\n".join(functions)))
    return DONE


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)


def _say_what_completes(action: Any, file: dict[str, str]) -> None:
    if action.type is Path or action.metavar == "FILE":
        action.complete = file
    elif action.metavar in _IDS:
        name, _ = _IDS[action.metavar]
        action.complete = {"bash": name, "zsh": name, "fish": f"({name})"}
