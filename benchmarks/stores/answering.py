"""Durable answers a second, of one and of many at once in one process, against a bare swap on the same engine."""

from collections.abc import Sequence

import trio

from benchmarks.findings import Curve, Findings, Row, rate_row
from benchmarks.measure import Samples
from benchmarks.stores.bare import Swaps, open_bare
from benchmarks.stores.places import Place, answer_at_once, open_roomy, stand
from benchmarks.stores.rounds import Contestant, take_turns
from benchmarks.stores.scale import Scale
from questions.durable import Store

_JUDGED = {("SQLite", False): (0.5, 0.8), ("SQLite", True): (3, 10), ("PostgreSQL", True): (2, 4)}
"""Budget and goal, for one answerer and for many."""


def measure(scale: Scale, places: Sequence[Place]) -> Findings:
    """Rates for each number of answerers."""
    rows: list[Row] = []
    curves: list[Curve] = []
    for place in places:
        samples = trio.run(_at, scale, place)
        rows += [_row(scale, place.name, answerers, samples) for answerers in scale.at_once]
        ours = [samples.median(str(answerers)) for answerers in scale.at_once]
        curves += [
            Curve("durable_at_once", f"this library, {place.name}", scale.at_once, ours),
            Curve("durable_at_once", f"bare swap, {place.name}", scale.at_once, [samples.median("bare")] * len(ours)),
        ]
    return Findings(rows, curves)


async def _at(scale: Scale, place: Place) -> Samples:
    where = place.fresh()
    with open_bare(where) as swaps:
        async with open_roomy(where) as store:
            contestants = {str(number): _answering(scale, store, number) for number in scale.at_once}
            return await take_turns({"bare": bare(swaps, scale.answers), **contestants}, scale.rounds)


def bare(swaps: Swaps, count: int) -> Contestant:
    """So many bare swaps, one after the other."""

    async def work() -> int:
        for _ in range(count):
            swaps.swap()
        return count

    return Contestant(work)


def _answering(scale: Scale, store: Store, answerers: int) -> Contestant:
    ids: list[str] = []

    async def prepare() -> None:
        ids[:] = await stand(store, max(scale.answers, answerers * scale.each))

    async def work() -> int:
        return await answer_at_once(store, ids, answerers)

    return Contestant(work, prepare)


def _row(scale: Scale, name: str, answerers: int, samples: Samples) -> Row:
    who = "one answerer" if answerers == 1 else f"{answerers} answerers at once"
    rate = samples.ratio("bare", str(answerers))
    ours, theirs = (1e6 / samples.median(one) for one in (str(answerers), "bare"))
    detail = f"answers a second: {ours:,.0f}; bare swaps {theirs:,.0f}"
    judged = _JUDGED.get((name, answerers > 1)) if answerers in (1, scale.at_once[-1]) else None
    title = f"{who}, {name}"
    return rate_row(title, rate, detail, *judged) if judged else Row(title, rate, "x rate", detail)
