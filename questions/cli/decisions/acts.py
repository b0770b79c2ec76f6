"""What `questions decisions` does with a store, once it is open."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import attrs
import trio

from facets.errors import FacetError
from questions.cli.codes import DENIED, DONE, EXPIRED, REFUSED, STILL_OPEN, UNREACHABLE, USAGE
from questions.cli.machine_user import machine_user
from questions.durable.caller import Caller
from questions.durable.decision import Decision, Status, flat
from questions.durable.decisions import Decisions
from questions.durable.errors import BadAnswer, BadArgument, StoreUnavailable
from questions.durable.limits import StoreLimits
from questions.durable.opening import open_store
from questions.durable.postgres_address import is_address
from questions.durable.store import Store
from questions.errors import QuestionError

from .waiting import awaited
from .wording import as_json, described, of_options, summary, written

__all__ = [
    "LIMITS",
    "Act",
    "Opened",
    "answer",
    "cancel",
    "change_limits",
    "code_of",
    "escalate",
    "list_decisions",
    "raise_decision",
    "run",
    "show",
    "wait",
]


@attrs.frozen
class Opened:
    """A store that is open, and what is to be done there as whom."""

    store: Store
    decisions: Decisions
    options: argparse.Namespace


Act = Callable[[Opened], Awaitable[int]]
"""What one command does; returns the exit code."""

LIMITS = ("max_open", "max_stored", "retention_ms", "max_open_per_raiser")

_CODES = {
    Status.ANSWERED: DONE,
    Status.CANCELLED: DENIED,
    Status.EXPIRED: EXPIRED,
    Status.OPEN: STILL_OPEN,
}


def run(act: Act, root: str, options: argparse.Namespace) -> int:
    """Act in the store in `root`, as the user of this process; returns the exit code. Raises `FacetError`."""
    caller = Caller(machine_user(), via="cli")
    where = root if is_address(root) else Path(root)  # what is kept in memory alone would be gone with this process

    async def opened() -> int:
        try:
            async with open_store(where, sweep_ms=None) as store:
                return await act(Opened(store, store.decisions(caller), options))
        except (BadArgument, BadAnswer) as refused:
            raise type(refused)([*map(of_options, refused.faults)]) from None

    return trio.run(opened)


def code_of(error: FacetError) -> int:
    """The exit code for what a store has refused, or could not do."""
    if isinstance(error, StoreUnavailable):
        return UNREACHABLE
    return REFUSED if isinstance(error, QuestionError) else getattr(error, "exit_code", USAGE)


async def list_decisions(at: Opened) -> int:
    """Print what fits, newest first."""
    found = await at.decisions.list(at.options.status, at.options.holder, at.options.limit)
    if at.options.json:
        print(as_json([flat(one) for one in found]))
    else:
        print("\n".join(map(summary, found)) or "No decisions")
    return DONE


async def show(at: Opened) -> int:
    """Print one, with all there is to know."""
    _print(await at.decisions.get(at.options.id), at.options)
    return DONE


async def raise_decision(at: Opened) -> int:
    """Raise one, and print its id."""
    chain = None if at.options.chain is None else at.options.chain.split(",")
    given = {"chain": chain, "hop_timeout_ms": at.options.hop_ms, "on_final": at.options.on_final}
    escalation = {name: value for name, value in given.items() if value is not None}
    raised = await at.decisions.raise_decision(
        at.options.title,
        kind=at.options.kind,
        body=at.options.body,
        input=at.options.input,
        options=None if at.options.option is None else [*map(_option, at.options.option)],
        holder=at.options.holder,
        timeout_ms=at.options.timeout_ms,
        deadline=at.options.deadline,
        on_expire=at.options.on_expire,
        default_option_id=at.options.default,
        escalation=escalation or None,
    )
    print(as_json(flat(raised)) if at.options.json else raised.id)
    return DONE


async def answer(at: Opened) -> int:
    """Answer one."""
    _print(await at.decisions.answer(at.options.id, option=at.options.option, text=at.options.text), at.options)
    return DONE


async def escalate(at: Opened) -> int:
    """Pass one on."""
    _print(await at.decisions.escalate(at.options.id, at.options.reason), at.options)
    return DONE


async def cancel(at: Opened) -> int:
    """Take one back."""
    _print(await at.decisions.cancel(at.options.id), at.options)
    return DONE


async def wait(at: Opened) -> int:
    """Wait for the end of one; the exit code says what it was."""
    ended = await awaited(at.store, at.decisions, at.options.id, at.options.timeout_ms, sys.stderr)
    at.options.decided = _CODES[ended.status]  # whatever comes of telling it
    _print(ended, at.options)
    return _CODES[ended.status]


async def change_limits(at: Opened) -> int:
    """Change the limits that were given, and print them all."""
    given: dict[str, Any] = {name: value for name in LIMITS if (value := getattr(at.options, name)) is not None}
    limits = await at.store.limits()
    if given:
        changed = {name: None if value == "none" else value for name, value in given.items()}
        limits = StoreLimits(**attrs.asdict(limits) | changed)
        await at.store.set_limits(limits)
    shown = attrs.asdict(limits)
    if at.options.json:
        print(as_json(shown))
    else:
        width = max(map(len, shown))
        print("\n".join(f"{name.replace('_', '-').ljust(width)}  {written(value)}" for name, value in shown.items()))
    return DONE


def _option(text: str) -> dict[str, str]:
    id, equals, label = text.partition("=")
    return {"id": id, "label": label if equals else id}


def _print(decision: Decision, options: argparse.Namespace) -> None:
    print(as_json(flat(decision)) if options.json else "\n".join(described(decision)))
