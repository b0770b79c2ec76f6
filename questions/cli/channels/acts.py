"""What `questions channels status`, `reload` and `recover` do with the files and the store."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio

from questions.cli.bad_command import BadCommand, Unreachable
from questions.cli.codes import DONE, USAGE
from questions.cli.decisions.wording import as_json
from questions.cli.gates.acts import opened_gates
from questions.cli.lines import line_of
from questions.cli.settings import channels_folder, load_settings
from questions.gates.channel_reports import ask_to_reload
from questions.gates.channels import confirm_effect, retry_effect
from questions.gates.config_errors import InvalidChannels
from questions.gates.store import GateStore
from questions.gates.tables import GATE_SERVER

from .looking import Served, as_told, look_at_files, look_at_store
from .wording import described_files, described_store

__all__ = ["recover", "reload", "status"]

T = TypeVar("T")
_LOOK = 1.0
"""Seconds between looks although nothing was heard."""


def status(options: argparse.Namespace) -> int:
    """Print what is configured, and what runs; returns the exit code. Raises `FacetError`."""
    files = look_at_files(channels_folder(options.channels))
    root = load_settings().value("root", options.root)
    served = _in_store(root, look_at_store) if root else None
    if options.json:
        print(as_json(as_told(files, served)))
    else:
        print("\n".join([*described_files(files), *([] if served is None else described_store(served))]))
    is_at_fault = files.faults or (served is not None and served.report is not None and served.report.faults)
    return USAGE if is_at_fault else DONE


def reload(options: argparse.Namespace) -> int:
    """Have the gate server take the configuration; returns the exit code. Raises `FacetError`.

    What is at fault here nobody is asked to take.
    """
    files = look_at_files(channels_folder(options.channels))
    if files.faults:
        raise InvalidChannels(files.faults)
    served = _in_store(_root(options), lambda gates: _reloaded(gates, options.wait))
    if options.json:
        print(as_json(as_told(files, served)))
    else:
        print("\n".join(described_store(served)))
    return USAGE if served.report is not None and served.report.faults else DONE


async def _reloaded(gates: GateStore, patience: float) -> Served:
    heard = trio.Event()

    def hear(_: str | None) -> None:
        heard.set()

    gates.store.follower.listen(GATE_SERVER.name, hear)
    number = await ask_to_reload(gates)
    with trio.move_on_after(patience):
        while True:
            served = await look_at_store(gates)
            if served.lease is None:
                raise Unreachable(
                    "No gate server runs here. Whoever starts next takes the configuration as it is then."
                )
            if served.report is not None and served.report.reload >= number:
                return served
            with trio.move_on_after(_LOOK):
                await heard.wait()
            heard = trio.Event()
    raise Unreachable(
        f"The gate server has not taken it within {patience:g} seconds (--wait). Does it have channels? See status."
    )


def recover(options: argparse.Namespace) -> int:
    """Say how to go on with an effect, and print how it is then; returns the exit code. Raises `FacetError`."""
    act = confirm_effect if options.how == "confirm" else retry_effect
    try:
        effect = _in_store(_root(options), lambda gates: act(gates, options.effect))
    except KeyError:
        raise BadCommand(
            f"There is no effect {options.effect}; `questions channels status` lists those that are in doubt."
        ) from None
    if options.json:
        print(as_json({"id": effect.id, "decisionId": effect.decision_id, "state": effect.state.value}))
    else:
        print(line_of(f"{effect.id}  {effect.purpose} of {effect.decision_id}: {effect.state.value}"))
    return DONE


def _in_store(root: str, act: Callable[[GateStore], Awaitable[T]]) -> T:
    async def opened() -> T:
        async with opened_gates(root) as gates:
            return await act(gates)

    return trio.run(opened)


def _root(options: argparse.Namespace) -> str:
    root: str | None = load_settings().value("root", options.root)
    if not root:
        raise BadCommand("Which store? --root R, or $QUESTIONS_ROOT: a folder, or postgresql://...")
    return root
