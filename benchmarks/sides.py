"""What a broker has to do to be measured beside another one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

import trio
from trio.testing import wait_all_tasks_blocked

from benchmarks.measure import Work
from benchmarks.turns import Crowd, Turns


class Side(Protocol):
    """A broker with people in front of it. Each writes out its loops: nothing stands in between."""

    answering: bool
    """Whether the answering watcher answers what comes, or only reads it."""

    async def ask_in_turn(self, count: int) -> list[int]:
        """Ask one after the other; returns nanoseconds from each answer to the asker running."""

    async def stand(self) -> None:
        """Ask one question that nobody is going to answer."""

    async def answer_what_comes(self) -> None:
        """Watch as person 0 and answer each new question at once."""

    async def ask_at_each_turn(self, turns: Turns) -> None:
        """Ask once per turn."""

    async def watch(self, person: int, crowd: Crowd) -> None:
        """Watch as this person, keep a picture of what is open, and report its size."""

    async def answer_all(self) -> None:
        """Answer, in one go and as person 0, everything in that person's picture."""


@asynccontextmanager
async def round_trips(side: Side, cycles: int, standing: int = 0) -> AsyncIterator[Work]:
    """One asker in turn and one answering watcher, with other questions left open meanwhile."""

    async def work() -> int:
        await side.ask_in_turn(cycles)
        return cycles

    async with trio.open_nursery() as nursery:
        for _ in range(standing):
            nursery.start_soon(side.stand)
        nursery.start_soon(side.answer_what_comes)
        await wait_all_tasks_blocked()
        side.answering = True
        yield work
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def turns(side: Side, askers: int, watchers: int, count: int) -> AsyncIterator[Work]:
    """All ask in one step, all watchers see it, all is answered in one step; units are changes."""
    taking, crowd = Turns(), Crowd(watchers)

    async def work() -> int:
        for _ in range(count):
            crowd.expect(askers)
            await taking.go(askers)
            await crowd.caught_up()
            crowd.expect(0)
            await side.answer_all()
            await crowd.caught_up()
        return 2 * askers * count

    async with trio.open_nursery() as nursery:
        for person in range(watchers):
            nursery.start_soon(side.watch, person, crowd)
        await wait_all_tasks_blocked()
        for _ in range(askers):
            nursery.start_soon(side.ask_at_each_turn, taking)
        yield work
        nursery.cancel_scope.cancel()
