"""A thousand who wait for one decision: how soon all of them are awake, and what each of them takes."""

import gc
import tracemalloc
from collections.abc import Sequence
from statistics import median

import trio

from benchmarks.findings import Findings, Row
from benchmarks.stores.answering import bare
from benchmarks.stores.bare import open_bare
from benchmarks.stores.places import ANA, Place, answer, open_roomy, stand
from benchmarks.stores.rounds import Contestant, take_turns
from benchmarks.stores.scale import Scale
from questions.durable import Store


def measure(scale: Scale, places: Sequence[Place]) -> Findings:
    """From the answer to the last of them, in the same process."""
    return Findings([row for place in places for row in trio.run(_measure, scale, place)])


async def _measure(scale: Scale, place: Place) -> list[Row]:
    where = place.fresh()
    with open_bare(where) as swaps:
        async with open_roomy(where) as store, trio.open_nursery() as nursery:
            crowd = _Crowd(store, nursery, scale.waiters)
            contestants = {"bare": bare(swaps, scale.answers), "crowd": Contestant(crowd.wake, crowd.gather)}
            samples = await take_turns(contestants, scale.rounds)
            kilobytes = await crowd.kilobytes()
    title = f"{scale.waiters:,} waiters on one decision, {place.name}"
    ms = samples.median("crowd") / 1000
    detail = f"with the answer itself; a bare swap {samples.median('bare') / 1000:.2f} ms"
    return [
        Row(f"{title}: all awake", ms, "ms", detail, 200.0, 50.0, at_least=False),
        Row(f"{title}: readers", crowd.readers, "readers", "", 1, 1, at_least=False),
        Row(f"{title}: memory of each", kilobytes, "KB", "with its task"),
    ]


class _Crowd:
    def __init__(self, store: Store, nursery: trio.Nursery, size: int) -> None:
        self._store = store
        self._nursery = nursery
        self._size = size
        self._ids: list[str] = []
        self._awake = 0
        self._all_awake = trio.Event()
        self.readers = 0

    async def gather(self) -> None:
        """Let all of them wait."""
        self._ids = await stand(self._store, 1)
        self._awake, self._all_awake = 0, trio.Event()
        for _ in range(self._size):
            self._nursery.start_soon(self._wait, self._ids[0])
        await trio.sleep(0.05)  # their first look is over
        self.readers = max(self.readers, self._store.follower.watched)

    async def wake(self) -> int:
        """Answer, and wait for the last."""
        await answer(self._store, self._ids)
        await self._all_awake.wait()
        return 1

    async def kilobytes(self) -> float:
        """What each of them takes."""
        found = []
        tracemalloc.start()
        for _ in range(3):
            gc.collect()
            before, _ = tracemalloc.get_traced_memory()
            await self.gather()
            gc.collect()
            after, _ = tracemalloc.get_traced_memory()
            found.append((after - before) / self._size / 1024)
            await self.wake()
        tracemalloc.stop()
        return median(found)

    async def _wait(self, id: str) -> None:
        await self._store.decisions(ANA).wait(id)
        self._awake += 1
        if self._awake == self._size:
            self._all_awake.set()
