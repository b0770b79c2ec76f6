"""Whether a store with very many open decisions answers, lists and sweeps as one with a few does."""

import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import trio

from benchmarks.findings import Findings, Row, time_row
from benchmarks.links.commands import resident
from benchmarks.measure import Samples, Work
from benchmarks.stores.answering import bare
from benchmarks.stores.bare import open_bare
from benchmarks.stores.places import ANA, Place, answer, open_roomy, stand
from benchmarks.stores.rounds import Contestant, take_turns
from benchmarks.stores.scale import Scale
from questions.durable import Store

_LISTED, _LISTS = 50, 10


def measure(scale: Scale, places: Sequence[Place]) -> Findings:
    """Each act in the large store against the same in the small one."""
    findings = Findings([])
    for place in places:
        findings += trio.run(_measure, scale, place)
    return findings


async def _measure(scale: Scale, place: Place) -> Findings:
    wheres = {"large": place.fresh(), "small": place.fresh()}
    async with AsyncExitStack() as stack:
        swaps = stack.enter_context(open_bare(wheres["small"]))
        stores = {name: await stack.enter_async_context(open_roomy(where)) for name, where in wheres.items()}
        before, start = resident(), time.perf_counter()
        await stand(stores["large"], scale.records)
        took = time.perf_counter() - start
        await stand(stores["small"], scale.few)
        contestants = {"bare": bare(swaps, scale.answers)}
        for name, store in stores.items():
            contestants |= {f"{act} {name}": one for act, one in _acts(scale, store).items()}
        samples = await take_turns(contestants, scale.rounds)
        grown = (resident() - before) / 2**20
    rows = [_row(scale, place, act, samples) for act in ("answer", "list", "sweep")]
    detail = f"{took:.0f} s to put them there{_on_disk(place, wheres['large'])}"
    title = f"{scale.records:,} open records, {place.name}: memory of the process grown"
    return Findings([*rows, Row(title, grown, "MB", detail)])


def _acts(scale: Scale, store: Store) -> dict[str, Contestant]:
    ids: list[str] = []

    async def prepare() -> None:
        ids[:] = await stand(store, scale.answers)

    async def answering() -> int:
        return await answer(store, ids)

    return {
        "answer": Contestant(answering, prepare),
        "list": Contestant(_listing(store)),
        "sweep": Contestant(_sweeping(store)),
    }


def _listing(store: Store) -> Work:
    async def work() -> int:
        for _ in range(_LISTS):
            assert await store.decisions(ANA).list(limit=_LISTED)
        return _LISTS

    return work


def _sweeping(store: Store) -> Work:
    async def work() -> int:
        for _ in range(_LISTS):
            await store.records.sweep(await store.backend.now())
        return _LISTS

    return work


def _row(scale: Scale, place: Place, act: str, samples: Samples) -> Row:
    large, small = (f"{act} {size}" for size in ("large", "small"))
    names = {"answer": "answer", "list": f"list of {_LISTED}", "sweep": "sweep of nothing due"}
    detail = samples.said(**{large: f"{scale.records:,}", small: f"{scale.few:,}", "bare": "a bare swap"})
    title = f"{scale.records:,} open records, {place.name}: {names[act]}"
    return time_row(title, samples.ratio(large, small), detail, 2.0, 1.2)


def _on_disk(place: Place, where: str) -> str:
    if place.name != "SQLite":
        return ""
    return f", {sum(file.stat().st_size for file in Path(where).iterdir()) / 2**20:.0f} MB on the disk"
