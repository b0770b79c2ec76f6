"""What hundreds who only wait, in other processes, cost those who answer."""

from collections.abc import Sequence

import trio

from benchmarks.findings import Findings, Row, rate_row
from benchmarks.links.children import Child
from benchmarks.stores.answering import bare
from benchmarks.stores.bare import open_bare
from benchmarks.stores.places import Place, answer, open_roomy, stand
from benchmarks.stores.rounds import Contestant, take_turns
from benchmarks.stores.scale import Scale
from benchmarks.stores.workers import open_workers, tell_all
from questions.durable import Store


def measure(scale: Scale, places: Sequence[Place]) -> Findings:
    """One answerer beside them, against the same alone."""
    return Findings([trio.run(_measure, scale, place) for place in places])


async def _measure(scale: Scale, place: Place) -> Row:
    where = place.fresh()
    with open_bare(where) as swaps:
        async with open_roomy(where) as store, open_workers(where, scale.holders) as holders:
            watched = await stand(store, scale.idle)
            contestants = {
                "bare": bare(swaps, scale.answers),
                "alone": _answering(store, scale.answers, [], []),
                "beside": _answering(store, scale.answers, holders, watched),
            }
            samples = await take_turns(contestants, scale.rounds)
    detail = samples.said(beside="with", alone="without", bare="a bare swap") + f"; in {scale.holders} processes"
    title = f"{scale.idle} idle subscribers, {place.name}"
    return rate_row(title, samples.ratio("alone", "beside"), detail, 0.8, 0.95)


def _answering(store: Store, count: int, holders: Sequence[Child], watched: Sequence[str]) -> Contestant:
    ids: list[str] = []

    async def prepare() -> None:
        ids[:] = await stand(store, count)
        shares = [{"ids": watched[number :: len(holders)]} for number in range(len(holders))]
        await tell_all(holders, "subscribe", shares)

    async def work() -> int:
        return await answer(store, ids)

    async def after() -> None:
        await tell_all(holders, "leave", [{} for _ in holders])

    return Contestant(work, prepare, after)
