"""What listens on a server's port: from the moment it runs it outlives a cancellation until connections are closed."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import trio
from websockets.trio.server import Server

__all__ = ["open_listening"]


@asynccontextmanager
async def open_listening(
    nursery: trio.Nursery, serve: Callable[[trio.TaskStatus[Server]], Awaitable[None]]
) -> AsyncIterator[Server]:
    """Run `serve` in the nursery for the length of the block.

    A cancellation while it starts stops it. One that comes later reaches the block alone, which may then say goodbye
    over connections that still are there.
    """
    keeping = trio.CancelScope()
    try:
        yield await nursery.start(_run, serve, keeping)
    finally:
        keeping.cancel()


async def _run(
    serve: Callable[[trio.TaskStatus[Server]], Awaitable[None]],
    keeping: trio.CancelScope,
    task_status: trio.TaskStatus[Server],
) -> None:
    with keeping:
        await serve(_Keeping(task_status, keeping))


class _Keeping(trio.TaskStatus[Server]):
    """Shields in the very step that says "started", and never over a cancellation that is already on its way.

    A shield put up later can come between listeners that were cancelled and the scope that was to catch that.
    """

    def __init__(self, status: trio.TaskStatus[Server], keeping: trio.CancelScope) -> None:
        self.status, self.keeping = status, keeping

    def started(self, value: Server | None = None) -> None:
        assert value is not None
        self.status.started(value)
        self.keeping.shield = trio.current_effective_deadline() > -math.inf
