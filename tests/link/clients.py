"""The three clients, all driven from trio: the other two run in threads of their own, and are reached by a bridge."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial

import outcome
import pytest
import trio

import facets.link.asyncio
import facets.link.client
import facets.link.sync
from facets.link.remote_object import _Method


class OnAsyncio:
    """A loop in a thread of its own."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()

    async def run(self, function, *args):
        """Await a function there; cancelled here, it is cancelled there, and what comes of that is what counts."""
        token, done, ended, tasks = trio.lowlevel.current_trio_token(), trio.Event(), [], []

        async def work():
            try:
                ended.append(outcome.Value(await function(*args)))
            except asyncio.CancelledError:
                ended.append(None)
            except BaseException as error:
                ended.append(outcome.Error(error))
            token.run_sync_soon(done.set)

        self.loop.call_soon_threadsafe(lambda: tasks.append(self.loop.create_task(work())))
        try:
            await done.wait()
        except trio.Cancelled:
            self.loop.call_soon_threadsafe(lambda: tasks[0].cancel())
            with trio.CancelScope(shield=True):
                await done.wait()
            if ended == [None]:
                raise
        return ended[0].unwrap()

    def read(self, function):
        async def work():
            return function()

        return asyncio.run_coroutine_threadsafe(work(), self.loop).result(10)

    async def next(self, iterator):
        return await self.run(anext, iterator)


class InThreads:
    """Threads of trio's; a task that is cancelled has its thread's next look at `check_cancelled` raise."""

    limiter = trio.CapacityLimiter(100)

    async def run(self, function, *args):
        return await trio.to_thread.run_sync(partial(function, *args), limiter=self.limiter)

    def read(self, function):
        return function()

    async def next(self, iterator):
        return await self.run(next, iterator)


class Bridged:
    """Something of the other side's: its methods are awaited on trio, its iterators gone through on trio."""

    def __init__(self, side, thing):
        self._side = side
        self._thing = thing

    def __getattr__(self, name):
        found = self._side.read(lambda: getattr(self._thing, name))
        if isinstance(found, _Method) or name == "get":
            return partial(self._call, found)
        return self._bridge(found)

    def _bridge(self, found):
        if callable(found):
            return lambda *args, **named: self._bridge(self._side.read(lambda: found(*args, **named)))
        bridged = isinstance(found, AsyncIterator | Iterator) or hasattr(found, "changes")
        return Bridged(self._side, found) if bridged else found

    async def _call(self, found, *args, **named):
        result = await self._side.run(partial(found, *args, **named))
        return Bridged(self._side, result) if isinstance(result, facets.link.remote_object.AnyObject) else result

    def __aiter__(self):
        return self

    async def __anext__(self):
        return await self._side.next(self._thing)

    def __repr__(self):
        return repr(self._thing)


@asynccontextmanager
async def open_on_asyncio(url, token, **options):
    side = OnAsyncio()
    thread = threading.Thread(target=side.loop.run_forever)
    thread.start()
    try:
        manager = facets.link.asyncio.open_link(url, token, **options)
        link = await side.run(manager.__aenter__)
        try:
            yield Bridged(side, link)
        finally:
            with trio.CancelScope(shield=True):
                await side.run(manager.__aexit__, None, None, None)
    finally:
        side.loop.call_soon_threadsafe(side.loop.stop)
        thread.join()
        side.loop.close()


@asynccontextmanager
async def open_in_a_thread(url, token, **options):
    side = InThreads()
    manager = facets.link.sync.open_link(url, token, check=trio.from_thread.check_cancelled, **options)
    link = await side.run(manager.__enter__)
    try:
        yield Bridged(side, link)
    finally:
        with trio.CancelScope(shield=True):
            await side.run(manager.__exit__, None, None, None)


CLIENTS = {"trio": facets.link.client.open_link, "asyncio": open_on_asyncio, "sync": open_in_a_thread}

every_client = pytest.mark.parametrize("open_link", CLIENTS.values(), ids=CLIENTS)
