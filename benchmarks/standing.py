"""What stands by must cost nothing: other pending questions, viewers outside the audience."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from benchmarks.findings import Findings, rate_row
from benchmarks.measure import Work, interleave
from benchmarks.ours import crowd_of, open_ours, viewer_of
from benchmarks.scale import Scale
from benchmarks.sides import round_trips
from facets import Host, Principal


def measure(scale: Scale) -> Findings:
    """Own rate with questions standing, for the same viewer and for another one."""
    return trio.run(_standing, scale)


async def _standing(scale: Scale) -> Findings:
    others = crowd_of(3)[2:]
    async with (
        _world(scale.cycles, watching=others) as none,
        _world(scale.cycles, watching=others, standing=scale.standing) as same,
        _world(scale.cycles, watching=others, standing=scale.standing, audience=others) as other,
    ):
        samples = await interleave({"none": none, "same": same, "other": other}, scale.rounds)
    rows = []
    for name, text in (("same", "same viewer"), ("other", "other viewers")):
        detail = samples.said(**{name: "with", "none": "without"})
        rate = samples.ratio("none", name)
        rows.append(rate_row(f"{scale.standing:,} standing, {text}", rate, detail, 0.9, 1.0))
    return Findings(rows)


def measure_outsiders(scale: Scale) -> Findings:
    """Own rate with watchers whom no question concerns."""
    return trio.run(_outsiders, scale)


async def _outsiders(scale: Scale) -> Findings:
    outside = crowd_of(2 + scale.outsiders)[2:]
    async with (
        _world(scale.cycles) as none,
        _world(scale.cycles, watching=outside) as crowded,
    ):
        samples = await interleave({"none": none, "crowded": crowded}, scale.rounds)
    detail = samples.said(crowded="with", none="without")
    rate = samples.ratio("none", "crowded")
    name = f"{scale.outsiders:,} viewers outside the audience"
    return Findings([rate_row(name, rate, detail, 0.9, 1.0)])


@asynccontextmanager
async def _world(
    cycles: int,
    watching: list[Principal] | None = None,
    standing: int = 0,
    audience: list[Principal] | None = None,
) -> AsyncIterator[Work]:
    """Round trips on a host of their own, with others watching and questions standing."""
    async with open_ours(standing_audience=audience) as ours, trio.open_nursery() as nursery:
        for person in watching or []:
            nursery.start_soon(watch, ours.host, person)
        async with round_trips(ours, cycles, standing) as work:
            yield work
        nursery.cancel_scope.cancel()


async def watch(host: Host, person: Principal) -> None:
    """Read the differences of a person's view, and do nothing with them."""
    async with viewer_of(host, person) as viewer:
        async for _ in viewer.open.differences():
            pass
