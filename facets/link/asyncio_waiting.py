"""Waiting on asyncio: for the end of a call that was made over a link, and for readables to change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from facets.readable import Cell, Readable

from .items import Made
from .link import PATIENCE, AnyLink
from .messages import Cancelled, RawReturned, Received, Refused
from .mirror import KeyedMirror, ValueMirror
from .refusals import error_of

__all__ = ["AsyncioCell", "AsyncioKeyedMirror", "AsyncioValueMirror", "end_of", "raise_if_owed", "teller"]

_owed: WeakKeyDictionary[asyncio.Task[Any], int] = WeakKeyDictionary()
"""Cancellations that came too late for a call whose result is returned: for each task how many it had been sent."""


def raise_if_owed() -> None:
    """Raise the cancellation that the last call of this task had no use for, unless it was taken back meanwhile.

    A task that only goes from one wait of a link to the next would else never hear of it. `asyncio.timeout` and task
    groups take theirs back when their block ends.
    """
    task = asyncio.current_task()
    if task is not None and (count := _owed.pop(task, 0)) and task.cancelling() >= count:
        raise asyncio.CancelledError


def teller(future: asyncio.Future[Received]) -> Callable[[Received], None]:
    """Has a future hold the first message that it is given."""

    def tell(message: Received) -> None:
        if not future.done():
            future.set_result(message)

    return tell


async def end_of(link: AnyLink, made: Made) -> Any:
    """The value of a call, still encoded; raises what refused it.

    Cancelled, it gives the call up at the other side and waits for that: a result that came first wins, so both sides
    agree on how it ended (Q-SET-2). The result is then returned, and the cancellation raised by the task's next wait
    for the same or another link. Without a word for a few seconds, or cancelled again, it is cancelled all the same.
    """
    ended: asyncio.Future[Received] = asyncio.get_running_loop().create_future()
    made.owner = teller(ended)
    link.push()
    try:
        await asyncio.wait([ended])
    except asyncio.CancelledError:
        await _give_up(link, made, ended)
        if not ended.done() or isinstance(ended.result(), Cancelled):
            raise
        _owe()
    message = ended.result()
    if isinstance(message, Refused):
        raise error_of(message)
    if isinstance(message, RawReturned):
        return message.value
    raise AssertionError("a call ends with what it returned, what refused it, or a cancellation")


async def _give_up(link: AnyLink, made: Made, ended: asyncio.Future[Received]) -> None:
    if ended.done():
        return
    waits = link.session.cancel(made)
    link.push()
    if waits:
        try:
            await asyncio.wait([ended], timeout=PATIENCE)
        finally:
            link.session.abandon(made)


def _owe() -> None:
    task = asyncio.current_task()
    if task is not None:
        _owed[task] = task.cancelling()


class _OnAsyncio(Readable[Any]):
    """A readable whose changes are awaited on asyncio."""

    __slots__ = ()

    async def changed(self, since: int) -> int:
        """Wait until `version` differs from `since` (-1: from nothing), and return it. Cancelling changes nothing."""
        raise_if_owed()
        while (version := self.version) == since:
            parked = _Parked()
            self.listen(parked)
            try:
                await parked.told
            finally:
                self.unlisten(parked)
        return version


class _Parked:
    """A task that waits for a readable to change."""

    __slots__ = ("told",)

    def __init__(self) -> None:
        self.told: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def invalidate(self) -> None:
        if not self.told.done():
            self.told.set_result(None)


class AsyncioCell(_OnAsyncio, Cell[Any]):
    """A value that is followed on asyncio."""

    __slots__ = ()


class AsyncioKeyedMirror(_OnAsyncio, KeyedMirror[Any]):
    """A mapping of another process that is followed on asyncio."""

    __slots__ = ()

    def __init__(self, order: Any = None, shape: Any = None) -> None:
        super().__init__(order, shape)
        self.unavailability = AsyncioCell(self.unavailable)


class AsyncioValueMirror(_OnAsyncio, ValueMirror):
    """A value of another process that is followed on asyncio."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()
        self.unavailability = AsyncioCell(self.unavailable)
