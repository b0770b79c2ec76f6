"""From an answer to a waiter in another process, over a bare swap on the same engine."""

import random
import time
from collections.abc import Sequence
from statistics import median

import trio

from benchmarks.findings import Findings, Row
from benchmarks.links.children import Child
from benchmarks.links.turns import percentile
from benchmarks.stores.bare import Swaps, open_bare
from benchmarks.stores.places import Place, answer, open_roomy, stand
from benchmarks.stores.scale import Scale
from benchmarks.stores.workers import open_workers
from questions.durable import Store

_LIMITS = {"SQLite": (5.0, 1.0), "PostgreSQL": (6.0, 2.0)}
_DRAWN = random.Random(1)


def measure(scale: Scale, places: Sequence[Place]) -> Findings:
    """Milliseconds at the middle and at the tail."""
    return Findings([trio.run(_measure, scale, place) for place in places])


async def _measure(scale: Scale, place: Place) -> Row:
    where = place.fresh()
    woken, swapped = [], []
    with open_bare(where) as swaps:
        async with open_roomy(where) as store, open_workers(where, 1) as [waiter]:
            for id in await stand(store, scale.trips):
                swapped.append(_swap(swaps))
                woken.append(await _trip(store, waiter, id))
    over = median(woken) - median(swapped)
    detail = (
        f"p50 {percentile(woken, 0.5):.1f} ms, p99 {percentile(woken, 0.99):.1f} ms; bare swap"
        f" p50 {percentile(swapped, 0.5):.2f} ms, p99 {percentile(swapped, 0.99):.2f} ms"
    )
    title = f"answer to a waiter in another process, p50, over a bare swap, {place.name}"
    budget, goal = _LIMITS[place.name]
    return Row(title, over, "ms", detail, budget, goal, at_least=False)


def _swap(swaps: Swaps) -> float:
    start = time.monotonic()
    swaps.swap()
    return (time.monotonic() - start) * 1000


async def _trip(store: Store, waiter: Child, id: str) -> float:
    await waiter.tell("wait", id=id)
    await trio.sleep(_DRAWN.uniform(0.02, 0.04))  # it waits by then, and where it is in its own round is left to chance
    start = time.monotonic()
    await answer(store, [id])
    known: float = (await waiter.hear())["result"]
    return (known - start) * 1000
