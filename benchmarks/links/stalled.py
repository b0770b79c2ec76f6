"""One viewer that reads no more: what the others notice."""

import gc
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from statistics import median

import trio

from benchmarks.findings import Curve, Findings, Row, time_row
from benchmarks.links.fan_out import Crowds, open_crowds
from benchmarks.links.scale import Scale
from benchmarks.links.turns import percentile

_SHARES = [50, 75, 90, 95, 99]


def measure(scale: Scale) -> Findings:
    """The others' latency, with and without one that has stalled."""
    row, curves = trio.run(_measure, scale)
    return Findings([row], curves)


async def _measure(scale: Scale) -> tuple[Row, list[Curve]]:
    without: list[list[float]] = []
    beside: list[list[float]] = []
    async with open_crowds(scale.beside + 1) as quiet, _open_stalled(scale) as stalled:
        for turn in range(scale.rounds + 1):
            pair = [(quiet, without), (stalled, beside)]
            for crowds, latencies in pair if turn % 2 else reversed(pair):
                taken = await _latencies(crowds, scale.changes)
                if turn:
                    latencies.append(taken)
        assert stalled.is_held_up, "nobody has stalled"
    p99 = [percentile(one, 0.99) / percentile(other, 0.99) for one, other in zip(beside, without, strict=True)]
    with_it, without_it = (median(percentile(one, 0.99) for one in latencies) for latencies in (beside, without))
    detail = f"with {with_it * 1e3:.2f} ms, without {without_it * 1e3:.2f} ms"
    row = time_row(f"1 stalled of {scale.beside + 1} viewers: the others' p99", median(p99), detail, 1.2, 1.05)
    curves = [_curve("this library, 1 stalled", beside), _curve("this library, none stalled", without)]
    return row, curves


def _curve(label: str, latencies: list[list[float]]) -> Curve:
    us = [median(percentile(one, share / 100) for one in latencies) * 1e6 for share in _SHARES]
    return Curve("wire_stalled", label, _SHARES, us)


@asynccontextmanager
async def _open_stalled(scale: Scale) -> AsyncIterator[Crowds]:
    async with open_crowds(scale.beside + 1) as crowds:
        await crowds.stall()
        yield crowds


async def _latencies(crowds: Crowds, changes: int) -> list[float]:
    """Seconds from each change to its arrival at each viewer that reads."""
    latencies: list[float] = []
    gc.collect()
    for _ in range(changes):
        for change in (partial(crowds.open, 1), crowds.settle):
            start = time.monotonic()
            reply = await change()
            latencies += [at - start for at in reply["times"]]
    return latencies
