"""The store that `questions serve` serves: decisions, gates, and questions that outlive their askers."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from facets.errors import InvalidPrincipal
from facets.facet import Facet
from facets.principal import Principal
from questions.operations import observed

from .bad_command import BadCommand, Unreachable
from .serve_http import Pages, confirming_pages
from .settings import channels_folder

if TYPE_CHECKING:
    from questions.durable import Journal, Store

__all__ = ["Stored", "add_store", "stored"]


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add the options of the store."""
    group = parser.add_argument_group("decisions, gates and durable questions")
    add = group.add_argument
    add("--root", metavar="R", help="the store, as for `questions decisions`: a folder, or postgresql://host/database")
    folder = "of gates, see `questions channels`; default: $QUESTIONS_CHANNELS, or in ~/.config"
    add("--channels", metavar="DIR", type=Path, help=f"the folder of the channels {folder}")
    add("--main", metavar="PROGRAM", type=_program, action="append", help="it may answer what `root` holds")


def _program(text: str) -> Principal:
    try:
        return Principal.program(text.removeprefix("program:"))
    except InvalidPrincipal as error:
        raise argparse.ArgumentTypeError(f"the id of a program: {error}") from None


@attrs.frozen
class Stored:
    """What is served with a store behind it: facets, and pages of the HTTP port, which are made when there is one."""

    facets: tuple[Facet, ...]
    pages: Pages = tuple


@asynccontextmanager
async def stored(
    facets: Sequence[Facet], options: argparse.Namespace, watch_journal: Callable[[Journal], object]
) -> AsyncIterator[Stored]:
    """The facets with the store behind them, and those of decisions and gates, for the length of the block.

    Which live questions are open is written down in it, and what a server that was killed has lost is logged: as a
    warning, which is shown on standard error also where nothing else is. A gate server runs beside them, with the
    channels that are configured. Without a store they are as they were. Raises `BadCommand`, and `Unreachable` if it
    cannot be opened.
    """
    if options.root is None:
        if options.main:
            raise BadCommand("--main says who may answer decisions, which are in a store: --root R.")
        if options.channels:
            raise BadCommand("--channels says where gates are shown, which are in a store: --root R.")
        yield Stored(tuple(facets))
        return
    for name in {"decisions", "gates"} & {one.name for one in facets}:
        raise BadCommand(f"--root serves the {name} of a store; a --facet has the name {name} already.")
    # Only who has a store needs what stores need.
    from questions.durable import decisions_facet, durable_asks, open_journal  # noqa: PLC0415

    async with AsyncExitStack() as stack:
        store = await _opened(stack, options.root)
        journal = await stack.enter_async_context(open_journal(store))
        watch_journal(journal)
        main, durable = frozenset(options.main or ()), durable_asks(store)
        decisions = decisions_facet.configured(store=store, main=main.__contains__)
        kept = [
            observed(one.configured(durable=durable), journal.observe) if one.name == "questions" else one
            for one in facets
        ]
        gates, pages = await _gates(stack, store, options.channels)
        yield Stored((*kept, decisions, gates), pages)


async def _gates(stack: AsyncExitStack, store: Store, folder: Path | None) -> tuple[Facet, Pages]:
    """The gates of the store, with a gate server, the channels that a folder configures, and the page of webhooks."""
    from questions.gates.configured import ConfiguredChannels  # noqa: PLC0415  # as above
    from questions.gates.gates_facet import gates_facet  # noqa: PLC0415
    from questions.gates.opening import open_gates  # noqa: PLC0415

    channels = ConfiguredChannels(channels_folder(folder))
    opened = open_gates(store, audiences=channels.audiences, works=[channels.work])
    gates = await stack.enter_async_context(opened)
    await stack.enter_async_context(channels.following(gates))
    facet = gates_facet.configured(gates=gates, channels_of=channels.channels_of)
    return facet, confirming_pages(gates, channels)


async def _opened(stack: AsyncExitStack, root: str) -> Store:
    from questions.durable import BadArgument, StoreUnavailable, open_store  # noqa: PLC0415  # as above
    from questions.gates.tables import GATE_TABLES  # noqa: PLC0415

    try:
        return await stack.enter_async_context(open_store(root, tables=GATE_TABLES))
    except BadArgument as error:
        raise BadCommand("; ".join(fault.replace("$.where", "--root", 1) for fault in error.faults)) from None
    except StoreUnavailable as error:
        raise Unreachable(f"--root: {error}") from None
