"""Gates that are open in a thread of their own, for a program whose own event loop is asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from threading import Thread
from typing import TypeVar, TypeVarTuple

import trio

from questions.gates.store import GateStore

from .acts import opened_gates

__all__ = ["Beside", "open_beside"]

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Beside:
    """The gates of a store, and a trio loop that they live in. Made by `open_beside`; lives as long as that block."""

    def __init__(self, gates: GateStore, token: trio.lowlevel.TrioToken) -> None:
        self.gates = gates
        self._token = token

    async def call(self, function: Callable[[*Ts], Awaitable[T]], *args: *Ts) -> T:
        """What `await function(*args)` gives or raises there. Cancelled, it goes on there until the block ends."""
        return await asyncio.to_thread(lambda: trio.from_thread.run(function, *args, trio_token=self._token))


@asynccontextmanager
async def open_beside(root: str) -> AsyncIterator[Beside]:
    """Open the gates of the store in `root` for the length of a block. Raises what `opened_gates` does."""
    ready: Future[tuple[Beside, trio.Event, trio.lowlevel.TrioToken]] = Future()

    async def hold() -> None:
        async with opened_gates(root) as gates:
            token, done = trio.lowlevel.current_trio_token(), trio.Event()
            ready.set_result((Beside(gates, token), done, token))
            await done.wait()

    ended: Future[None] = Future()

    def live() -> None:
        try:
            trio.run(hold)
        except BaseException as error:
            (ended if ready.done() else ready).set_exception(error)
        else:
            ended.set_result(None)

    Thread(target=live, name="gates").start()
    beside, done, token = await asyncio.wrap_future(ready)
    try:
        yield beside
    finally:
        token.run_sync_soon(done.set)
        await asyncio.wrap_future(ended)
