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
    error: BaseException | None = None
    try:
        async with trio.open_nursery() as nursery:
            try:
                yield nursery
            except trio.Cancelled:  # perhaps by the nursery itself, which then takes it in
                raise
            except BaseException as raised:  # kept as it is: a nursery would wrap it, and split groups anew
                error = raised
            finally:
                nursery.cancel_scope.cancel()
    except BaseExceptionGroup as crash:
        own = _without_cancelled(error)
        if own is None:
            raise
        raise BaseExceptionGroup(crash.message, (own, *crash.exceptions)) from None
    if error is not None:
        raise error


def _without_cancelled(error: BaseException | None) -> BaseException | None:
    if isinstance(error, BaseExceptionGroup):
        return error.split(trio.Cancelled)[1]
    return None if isinstance(error, trio.Cancelled) else error
