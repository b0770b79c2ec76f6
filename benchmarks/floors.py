"""Bare trio: what switching tasks costs without any broker."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import outcome
import trio
from trio.lowlevel import Abort, Task, checkpoint, current_task, reschedule, wait_task_rescheduled
from trio.testing import wait_all_tasks_blocked

from benchmarks.findings import Findings, Row
from benchmarks.measure import Work, interleave
from benchmarks.scale import Scale


def _give_up(_raise_cancel: Callable[[], None]) -> Abort:
    return Abort.SUCCEEDED


async def parked() -> None:
    """A bare waiting task: parked until it is cancelled or rescheduled."""
    await wait_task_rescheduled(_give_up)


class PingPong:
    """Two tasks that wake each other: the switches without which no question is answered."""

    def __init__(self) -> None:
        self._answerer: Task | None = None
        self._asker: Task | None = None

    async def answer(self) -> None:
        """Wake the asker whenever woken."""
        self._answerer = current_task()
        while True:
            await parked()
            assert self._asker is not None
            reschedule(self._asker, outcome.Value(None))

    async def ask(self, count: int) -> int:
        """Wake the answerer and wait to be woken, `count` times."""
        self._asker = current_task()
        assert self._answerer is not None
        for _ in range(count):
            reschedule(self._answerer, outcome.Value(None))
            await parked()
        return count


@asynccontextmanager
async def ping_pong(count: int) -> AsyncIterator[Work]:
    """The bare round trip as a contestant."""
    pair = PingPong()

    async def work() -> int:
        return await pair.ask(count)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(pair.answer)
        await wait_all_tasks_blocked()
        yield work
        nursery.cancel_scope.cancel()


class Sleepers:
    """Many parked tasks, woken all in one step: what a change costs at least for a viewer that is a task."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._parked: list[Task] = []

    async def sleep(self) -> None:
        """Park again and again."""
        while True:
            self._parked.append(current_task())
            await parked()

    async def wake(self, count: int) -> int:
        """Wake them all, `count` times; units are tasks woken."""
        for _ in range(count):
            while len(self._parked) < self._size:
                await checkpoint()
            sleepers, self._parked = self._parked, []
            for task in sleepers:
                reschedule(task, outcome.Value(None))
        return count * self._size


@asynccontextmanager
async def sleepers(size: int, count: int) -> AsyncIterator[Work]:
    """Waking many bare tasks as a contestant."""
    crowd = Sleepers(size)

    async def work() -> int:
        return await crowd.wake(count)

    async with trio.open_nursery() as nursery:
        for _ in range(size):
            nursery.start_soon(crowd.sleep)
        yield work
        nursery.cancel_scope.cancel()


def measure(scale: Scale) -> Findings:
    """The floors of this machine, for orientation."""
    return trio.run(_measure, scale)


async def _measure(scale: Scale) -> Findings:
    async with (
        ping_pong(scale.cycles) as bare,
        _actor(scale.cycles) as actor,
        sleepers(100, 10) as woken,
    ):
        works: dict[str, Work] = {
            "checkpoint": _times(scale.cycles, checkpoint),
            "two tasks wake each other": bare,
            "a parked task woken, 100 in a step": woken,
            "actor behind a channel, and back": actor,
            "nursery with one child": _times(scale.cycles, _nursery),
            "cancel scope with a deadline": _times(scale.cycles, _scope),
        }
        samples = await interleave(works, scale.rounds)
    return Findings([Row(f"floor: {name}", samples.median(name), "us", "") for name in works])


def _times(count: int, step: Callable[[], Awaitable[object]]) -> Work:
    async def work() -> int:
        for _ in range(count):
            await step()
        return count

    return work


async def _nursery() -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(checkpoint)


async def _scope() -> None:
    with trio.move_on_after(60):
        await checkpoint()


@asynccontextmanager
async def _actor(count: int) -> AsyncIterator[Work]:
    send, receive = trio.open_memory_channel[trio.Event](100)

    async def serve() -> None:
        async for reply in receive:
            reply.set()

    async def work() -> int:
        for _ in range(count):
            reply = trio.Event()
            await send.send(reply)
            await reply.wait()
        return count

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve)
        yield work
        nursery.cancel_scope.cancel()
