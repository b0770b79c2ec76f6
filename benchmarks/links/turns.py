"""Contestants that take turns, by the clock on the wall and by this process's CPU time."""

import gc
import time
from collections.abc import Mapping

import attrs

from benchmarks.measure import Samples, Work


@attrs.frozen
class Turns:
    """What each round took: microseconds per unit."""

    wall: Samples
    cpu: Samples

    def best(self, *names: str) -> str:
        """The contestant that took the least."""
        return min(names, key=self.wall.median)

    def rate(self, name: str) -> float:
        """Units a second, by the wall."""
        return 1e6 / self.wall.median(name)


async def take_turns(works: Mapping[str, Work], rounds: int) -> Turns:
    """Let each work run once for warmth, then `rounds` times in turn with the others."""
    for work in works.values():
        await work()
    wall: dict[str, list[float]] = {name: [] for name in works}
    cpu: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(rounds):
        gc.collect()  # with thousands of connections it takes longer than a sample, so once for all
        for name in list(works) if turn % 2 == 0 else reversed(list(works)):
            at, spent = time.perf_counter(), time.process_time()
            units = await works[name]()
            wall[name].append((time.perf_counter() - at) * 1e6 / units)
            cpu[name].append((time.process_time() - spent) * 1e6 / units)
    return Turns(Samples(wall), Samples(cpu))


def percentile(values: list[float], share: float) -> float:
    """The value that this share of the others does not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
