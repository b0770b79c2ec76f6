"""What `questions gates` does with a store, once it is open."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import trio

from questions.cli.codes import DONE
from questions.cli.decisions.wording import as_json, of_options
from questions.durable.errors import BadArgument
from questions.durable.postgres_address import is_address
from questions.gates.opening import open_gates
from questions.gates.steps import Standing, State
from questions.gates.store import GateStore
from questions.gates.verdicts import Refused

from .wording import described, flat, summary

__all__ = ["Act", "Opened", "cancel", "list_gates", "opened_gates", "run", "show", "told"]

_MOST = 1_000
"""Of which those of an audience are taken."""


@attrs.frozen
class Opened:
    """Gates that are open, and what is to be done there."""

    gates: GateStore
    options: argparse.Namespace


Act = Callable[[Opened], Awaitable[int]]
"""What one command does; returns the exit code."""


@asynccontextmanager
async def opened_gates(root: str) -> AsyncIterator[GateStore]:
    """The gates of the store in `root`, for the length of a block, without serving them. Raises `FacetError`."""
    where = root if is_address(root) else Path(root)  # what is kept in memory alone would be gone with this process
    try:
        async with open_gates(where, serve=False) as gates:
            yield gates
    except BadArgument as refused:
        raise BadArgument([*map(of_options, refused.faults)]) from None


def run(act: Act, root: str, options: argparse.Namespace) -> int:
    """Act on the gates of the store in `root`; returns the exit code. Raises `FacetError`."""

    async def opened() -> int:
        async with opened_gates(root) as gates:
            return await act(Opened(gates, options))

    return trio.run(opened)


async def list_gates(at: Opened) -> int:
    """Print what fits, newest first."""
    found = await _found(at)
    if at.options.ids:
        print("".join(f"{one.request.decision_id}\n" for one in found), end="")
    elif at.options.json:
        print(as_json([*map(flat, found)]))
    else:
        print("\n".join(map(summary, found)) or "No decisions")
    return DONE


async def _found(at: Opened) -> Sequence[Standing]:
    state = None if at.options.state == "all" else State(at.options.state)
    audience, limit = at.options.audience, at.options.limit
    if audience is None:
        return await at.gates.list(state, limit)
    found = await at.gates.list(state, _MOST)
    return [one for one in found if one.request.audience == audience][:limit]


async def show(at: Opened) -> int:
    """Print one, with all that people are shown."""
    print(told(await at.gates.get(at.options.id), at.options))
    return DONE


async def cancel(at: Opened) -> int:
    """Take one back, and its run with it."""
    verdict = await at.gates.cancel(at.options.id)
    if isinstance(verdict, Refused):
        raise verdict.error
    return await show(at)


def told(standing: Standing, options: argparse.Namespace) -> str:
    """One as it is printed."""
    return as_json(flat(standing)) if options.json else "\n".join(described(standing))
