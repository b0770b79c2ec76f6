"""A nursery for what serves its block: it ends with the block, and does not wrap what the block raises."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

__all__ = ["open_serving_nursery"]


@asynccontextmanager
async def open_serving_nursery() -> AsyncIterator[trio.Nursery]:
    """A nursery whose tasks are cancelled at the end of the block.

    What the block raises comes out bare, so that `except` clauses around it work; what tasks raise as well comes
    with it in one group.
    """
    try:
        async with trio.open_nursery() as nursery:
            try:
                yield nursery
            finally:
                nursery.cancel_scope.cancel()
    except BaseExceptionGroup as group:  # the nursery's own
        if len(group.exceptions) == 1:
            raise group.exceptions[0] from None
        raise
