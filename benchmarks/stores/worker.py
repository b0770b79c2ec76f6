"""A process that acts on a store: `python -m benchmarks.stores.worker WHERE`; replies to one JSON command a line."""

import sys
import time
from collections.abc import Sequence

import trio

from benchmarks.links.commands import Command, serve_commands
from benchmarks.stores.bare import open_bare
from benchmarks.stores.places import ANA, answer, open_roomy
from questions.durable import Store


class Worker:
    """What it can be told."""

    def __init__(self, where: str, store: Store, nursery: trio.Nursery) -> None:
        self._where = where
        self._store = store
        self._nursery = nursery
        self._subscribed = trio.CancelScope()

    @property
    def commands(self) -> dict[str, Command]:
        """By name."""
        return {"answer": self.answer, "swap": self.swap, "wait": self.wait, "subscribe": self.subscribe,
                "leave": self.leave}  # fmt: skip

    async def answer(self, ids: Sequence[str], until: float) -> list[float]:
        """Answer one after the other until the clock says so, at least one: milliseconds that each has taken."""
        taken: list[float] = []
        for id in ids:
            start = time.monotonic()
            if taken and start > until:
                break
            await answer(self._store, [id])
            taken.append((time.monotonic() - start) * 1000)
        return taken

    def swap(self, until: float) -> list[float]:
        """The same with bare swaps."""
        taken: list[float] = []
        with open_bare(self._where) as swaps:
            while (start := time.monotonic()) < until or not taken:
                swaps.swap()
                taken.append((time.monotonic() - start) * 1000)
        return taken

    async def wait(self, id: str) -> float:
        """Wait for a decision: when it was known, by a clock that all processes share."""
        await self._store.decisions(ANA).wait(id)
        return time.monotonic()

    async def subscribe(self, ids: Sequence[str]) -> None:
        """Begin to wait for each of them."""
        await self._nursery.start(self._subscribe, ids)

    def leave(self) -> None:
        """Wait no more."""
        self._subscribed.cancel()

    async def _subscribe(self, ids: Sequence[str], task_status: trio.TaskStatus[None]) -> None:
        async with trio.open_nursery() as nursery:
            self._subscribed = nursery.cancel_scope
            for id in ids:
                nursery.start_soon(self._store.decisions(ANA).wait, id)
            await trio.sleep(0.05)  # their first look is over
            task_status.started()


async def main(where: str) -> None:
    """Until the input ends."""
    async with open_roomy(where) as store, trio.open_nursery() as nursery:
        await serve_commands({}, Worker(where, store, nursery).commands)
        nursery.cancel_scope.cancel()


if __name__ == "__main__":
    trio.run(main, sys.argv[1])
