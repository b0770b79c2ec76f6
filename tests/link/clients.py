"""The three clients, all driven from trio: the other two run in threads of their own, and are reached by a bridge."""

import asyncio
import atexit
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import cache, partial

import outcome
import pytest
import trio

import facets.link.asyncio
import facets.link.client
import facets.link.sync
from facets.link.remote_object import _Method
from questions import ask_again
from tests.link.raw import PATIENCE


class OnAsyncio:
    """The loop of a thread of its own, which runs for as long as the tests do."""

    doors = ("aenter", "aexit")

    def __init__(self):
        self.loop = _running_loop()

    async def run(self, function, *args):
        """Await a function there; cancelled here, it is cancelled there, and what comes of that is what counts."""
        token, done, tasks = trio.lowlevel.current_trio_token(), trio.Event(), []
        ended: list = []

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

    doors = ("enter", "exit")
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


@cache
def _running_loop():
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    def close():
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    atexit.register(close)
    return loop


@asynccontextmanager
async def open_on_asyncio(url, token, **options):
    async with _bridged(OnAsyncio(), facets.link.asyncio.open_link(url, token, **options)) as link:
        yield link


@asynccontextmanager
async def _bridged(side, manager):
    enter, leave = (getattr(manager, f"__{name}__") for name in side.doors)
    link = await side.run(enter)
    try:
        yield Bridged(side, link)
    finally:
        with trio.CancelScope(shield=True):
            await side.run(leave, None, None, None)


@asynccontextmanager
async def open_in_a_thread(url, token, **options):
    check = trio.from_thread.check_cancelled
    async with _bridged(InThreads(), facets.link.sync.open_link(url, token, check=check, **options)) as link:
        yield link


CLIENTS = {"trio": facets.link.client.open_link, "asyncio": open_on_asyncio, "sync": open_in_a_thread}

every_client = pytest.mark.parametrize("open_link", CLIENTS.values(), ids=CLIENTS)


async def asked_again(asker, question, **options):
    """What `ask_again` makes of an asker of any client."""
    if isinstance(asker, Bridged):
        return await asker._side.run(partial(ask_again, asker._thing, question, **options))
    return await ask_again(asker, question, **options)


@asynccontextmanager
async def coming_back(link):
    """The block cuts the link; it is left once that is connected again."""
    changes = link.state.changes()
    await anext(changes)
    yield
    with trio.fail_after(PATIENCE):
        while await anext(changes) != "connected":
            pass
