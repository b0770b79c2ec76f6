"""Memory of a pending question beyond the task that waits for it."""

import gc
import tracemalloc
from collections.abc import Awaitable, Callable
from statistics import median

import trio
from trio.testing import wait_all_tasks_blocked

from benchmarks.by_hand import open_by_hand
from benchmarks.findings import Findings, Row
from benchmarks.floors import parked
from benchmarks.ours import open_ours
from benchmarks.scale import Scale
from benchmarks.sides import round_trips

_ROUNDS = 3


def measure(scale: Scale) -> Findings:
    """Bytes per question, less those of a bare parked task, with one watcher."""
    tracemalloc.start()
    try:
        return trio.run(_measure, scale.parked)
    finally:
        tracemalloc.stop()


async def _measure(count: int) -> Findings:
    async with (
        open_ours() as ours,
        open_ours(standing_terms=lambda n: {"key": f"tool-{n}", "timeout": 300}) as full,
        open_by_hand() as forty,
        round_trips(ours, 0),
        round_trips(full, 0),
        round_trips(forty, 0),
    ):
        ours.answering = full.answering = forty.answering = False
        starts: dict[str, Callable[[], Awaitable[None]]] = {
            "bare": parked,
            "ours": ours.stand,
            "full": full.stand,
            "forty": forty.stand,
        }
        taken: dict[str, list[float]] = {name: [] for name in starts}
        for _ in range(_ROUNDS):
            for name, start in starts.items():
                taken[name].append(await _kilobytes(start, count))
    kb = {name: median(values) for name, values in taken.items()}
    return Findings(_rows(kb))


def _rows(kb: dict[str, float]) -> list[Row]:
    beyond = {name: kb[name] - kb["bare"] for name in kb}
    detail = f"beyond a bare task's {kb['bare']:.2f} KB; 40-line {beyond['forty']:.2f} KB"
    name = "memory per pending question"
    return [
        Row(name, beyond["ours"], "KB", detail, budget=2.0, goal=1.0, at_least=False),
        Row(f"{name}, with key and timeout", beyond["full"], "KB", ""),
    ]


async def _kilobytes(start: Callable[[], Awaitable[None]], count: int) -> float:
    async with trio.open_nursery() as nursery:
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(count):
            nursery.start_soon(start)
        await wait_all_tasks_blocked()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        nursery.cancel_scope.cancel()
    return (after - before) / count / 1024
