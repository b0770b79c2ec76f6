"""The store that `questions serve` serves: decisions, and questions that outlive their askers."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from facets.errors import InvalidPrincipal
from facets.facet import Facet
from facets.principal import Principal
from questions.operations import observed

from .bad_command import BadCommand, Unreachable

if TYPE_CHECKING:
    from questions.durable import Journal, Store

__all__ = ["add_store", "stored"]


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add the options of the store."""
    group = parser.add_argument_group("decisions and durable questions")
    add = group.add_argument
    add("--root", metavar="R", help="the store, as for `questions decisions`: a folder, or postgresql://host/database")
    add("--main", metavar="PROGRAM", type=_program, action="append", help="it may answer what `root` holds")


def _program(text: str) -> Principal:
    try:
        return Principal.program(text.removeprefix("program:"))
    except InvalidPrincipal as error:
        raise argparse.ArgumentTypeError(f"the id of a program: {error}") from None


@asynccontextmanager
async def stored(
    facets: Sequence[Facet], options: argparse.Namespace, watch_journal: Callable[[Journal], object]
) -> AsyncIterator[tuple[Facet, ...]]:
    """The facets with the store behind them, and that of the decisions, for the length of the block.

    Which live questions are open is written down in it, and what a server that was killed has lost is logged: as a
    warning, which is shown on standard error also where nothing else is.
    Without a store they are as they were. Raises `BadCommand`, and `Unreachable` if it cannot be opened.
    """
    if options.root is None:
        if options.main:
            raise BadCommand("--main says who may answer decisions, which are in a store: --root R.")
        yield tuple(facets)
        return
    if any(one.name == "decisions" for one in facets):
        raise BadCommand("--root serves the decisions of a store; a --facet has the name decisions already.")
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
        yield *kept, decisions


async def _opened(stack: AsyncExitStack, root: str) -> Store:
    from questions.durable import BadArgument, StoreUnavailable, open_store  # noqa: PLC0415  # as above

    try:
        return await stack.enter_async_context(open_store(root))
    except BadArgument as error:
        raise BadCommand("; ".join(fault.replace("$.where", "--root", 1) for fault in error.faults)) from None
    except StoreUnavailable as error:
        raise Unreachable(f"--root: {error}") from None
