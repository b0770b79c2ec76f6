"""Contestants that take turns by the clock on the wall, each with something to get ready that does not count."""

import gc
import time
from collections.abc import Awaitable, Callable, Mapping

import attrs

from benchmarks.measure import Samples, Work


async def _nothing() -> None:
    return


@attrs.frozen
class Contestant:
    """`work` is timed; `prepare` before it is not, nor is `after`."""

    work: Work
    prepare: Callable[[], Awaitable[object]] = _nothing
    after: Callable[[], Awaitable[object]] = _nothing


async def take_turns(contestants: Mapping[str, Contestant], rounds: int) -> Samples:
    """Microseconds per unit: each once for warmth, then `rounds` times in turn with the others."""
    us: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(rounds + 1):
        for name in list(contestants) if turn % 2 == 0 else reversed(list(contestants)):
            taken = await _turn(contestants[name])
            if turn:
                us[name].append(taken)
    return Samples(us)


async def _turn(contestant: Contestant) -> float:
    await contestant.prepare()
    try:
        gc.collect()
        start = time.perf_counter()
        units = await contestant.work()
        return (time.perf_counter() - start) * 1e6 / units
    finally:
        await contestant.after()
