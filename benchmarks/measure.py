"""How a cost is measured: interleaved rounds, CPU time, medians of ratios between neighbours.

The same loop varies by half between rounds on a shared machine, so contestants take turns (every
second round in the opposite order) and a ratio is the median of the ratios within a round, not the
ratio of two far-off medians. Garbage is collected before each sample and collection stays on within
it, for all contestants alike.
"""

import gc
import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from statistics import median

import attrs

Work = Callable[[], Awaitable[int]]
"""Does some work and returns how many units of it were done."""


@attrs.frozen
class Samples:
    """Microseconds of CPU per unit, one figure a round for each contestant."""

    us: Mapping[str, Sequence[float]]

    def median(self, name: str) -> float:
        """The contestant's median cost, in microseconds per unit."""
        return median(self.us[name])

    def ratio(self, name: str, to: str) -> float:
        """The median over the rounds of one contestant's cost in units of another's."""
        return median(a / b for a, b in zip(self.us[name], self.us[to], strict=True))

    def said(self, **labels: str) -> str:
        """The medians in words: `label 12.3 us, ...`, in the order given."""
        return ", ".join(f"{label} {self.median(name):.1f} us" for name, label in labels.items())


async def interleave(works: Mapping[str, Work], rounds: int) -> Samples:
    """Let each work run once for warmth, then `rounds` times in turn with the others."""
    for work in works.values():
        await work()
    us: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(rounds):
        for name in list(works) if turn % 2 == 0 else reversed(list(works)):
            us[name].append(await cost(works[name]))
    return Samples(us)


async def cost(work: Work) -> float:
    """Microseconds of this process's CPU per unit of the work."""
    gc.collect()
    start = time.process_time()
    units = await work()
    return (time.process_time() - start) * 1e6 / units


def exponent(sizes: Sequence[int], totals: Sequence[float]) -> float:
    """The slope of cost over size in a doubly logarithmic plot: 1 is linear, 2 is quadratic."""
    xs, ys = [math.log(size) for size in sizes], [math.log(total) for total in totals]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    covariance = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return covariance / sum((x - mean_x) ** 2 for x in xs)
