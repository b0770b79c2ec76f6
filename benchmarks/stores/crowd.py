"""Several processes that write to one store: how much they get done together, and how long anybody has to wait."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import trio

from benchmarks.findings import Curve, Findings, Row
from benchmarks.links.children import Child
from benchmarks.links.turns import percentile
from benchmarks.stores.places import Place, open_roomy, stand
from benchmarks.stores.scale import Scale
from benchmarks.stores.workers import open_workers, tell_all
from questions.durable import Store

_MOST = 2_000  # decisions that one process answers a second, more than any can

Waits = Mapping[str, Sequence[list[float]]]
"""Milliseconds that each act of each process has taken: `ours`, and `bare` swaps."""


def measure(scale: Scale, places: Sequence[Place]) -> Findings:
    """Rates for each number of processes; the worst wait of eight is judged, on SQLite."""
    rows: list[Row] = []
    curves: list[Curve] = []
    for place in places:
        found = trio.run(_measure, scale, place)
        rows += [_row(place.name, writers, waits, writers == scale.writers[-2]) for writers, waits in found.items()]
        for kind, label in (("ours", "this library"), ("bare", "bare swap")):
            costs = [1e6 * scale.seconds / sum(map(len, waits[kind])) for waits in found.values()]
            curves.append(Curve("durable_writers", f"{label}, {place.name}", scale.writers, costs))
    return Findings(rows, curves)


async def _measure(scale: Scale, place: Place) -> Mapping[int, Waits]:
    where = place.fresh()
    async with open_roomy(where) as store, open_workers(where, scale.writers[-1]) as workers:
        return {writers: await _with(scale.seconds, store, workers[:writers]) for writers in scale.writers}


async def _with(seconds: float, store: Store, workers: Sequence[Child]) -> Waits:
    ids = await stand(store, int(seconds * _MOST) + len(workers))
    shares = [{"ids": ids[number :: len(workers)]} for number in range(len(workers))]
    bare = await _for(seconds, workers, "swap", [{} for _ in workers])
    return {"bare": bare, "ours": await _for(seconds, workers, "answer", shares)}


async def _for(
    seconds: float, workers: Sequence[Child], do: str, fields: Sequence[dict[str, Any]]
) -> list[list[float]]:
    until = time.monotonic() + seconds
    return await tell_all(workers, do, [{**one, "until": until} for one in fields])


def _row(name: str, writers: int, waits: Waits, judged: bool) -> Row:
    ours, bare = ([wait for each in waits[kind] for wait in each] for kind in ("ours", "bare"))
    fewest, most = min(map(len, waits["ours"])), max(map(len, waits["ours"]))
    detail = (
        f"p50 {percentile(ours, 0.5):.1f} ms, p99 {percentile(ours, 0.99):.1f} ms; {len(ours):,} answers,"
        f" {fewest:,} to {most:,} each; bare swaps {len(bare):,}, worst {max(bare):.0f} ms"
    )
    title = f"{writers} {'process' if writers == 1 else 'processes'}, one store, {name}: worst wait"
    budget, goal = (500.0, 100.0) if judged and name == "SQLite" else (None, None)
    return Row(title, max(ours), "ms", detail, budget, goal, at_least=False)
