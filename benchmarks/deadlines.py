"""Armed deadlines: what they cost an ask, how many timers they take, and what all at once cost."""

import time
from statistics import median

import outcome
import trio
from trio.lowlevel import current_task, reschedule
from trio.testing import MockClock, wait_all_tasks_blocked

from benchmarks.findings import Findings, Row, rate_row
from benchmarks.floors import parked
from benchmarks.measure import interleave
from benchmarks.ours import Ours, open_ours
from benchmarks.scale import Scale
from benchmarks.sides import round_trips
from questions import Confirm, Expired

_SECONDS = 3_600.0


def measure(scale: Scale) -> Findings:
    """Ask rate with deadlines armed, timers, and expiry in one instant."""
    return trio.run(_armed, scale) + _expiry(scale)


async def _armed(scale: Scale) -> Findings:
    def soon(_number: int) -> dict[str, float]:
        return {"timeout": 300.0}

    def later(number: int) -> dict[str, float]:
        return {"timeout": _SECONDS + number}

    timers_before = _timers()
    async with (
        open_ours(terms=soon) as none,
        open_ours(terms=soon, standing_terms=later) as armed,
        round_trips(none, scale.cycles) as none_work,
        round_trips(armed, scale.cycles, scale.deadlines) as armed_work,
    ):
        timers = _timers() - timers_before
        samples = await interleave({"none": none_work, "armed": armed_work}, scale.rounds)
    detail = samples.said(armed="with", none="without")
    name = f"{scale.deadlines:,} deadlines armed"
    counted = Row(f"{name}: timers", timers, "timers", "", budget=1, goal=1, at_least=False)
    return Findings([rate_row(name, samples.ratio("none", "armed"), detail, 0.9, 1.0), counted])


def _timers() -> int:
    """Deadlines that trio itself watches now."""
    # No public statistic counts them.
    from trio._core._run import GLOBAL_RUN_CONTEXT  # noqa: PLC0415

    return GLOBAL_RUN_CONTEXT.runner.deadlines._active


def _expiry(scale: Scale) -> Findings:
    ours, bare = [], []
    for _ in range(3):
        clock = MockClock()
        ours.append(trio.run(_expire, scale.deadlines, clock, clock=clock))
        bare.append(trio.run(_wake, scale.deadlines))
    detail = f"waking as many bare tasks: {median(bare):.3f} s"
    name = f"{scale.deadlines:,} deadlines due in one instant"
    return Findings([Row(name, median(ours), "s", detail, budget=1.0, goal=0.3, at_least=False)])


async def _expire(count: int, clock: MockClock) -> float:
    """Seconds of CPU from the instant to the last asker told."""
    expired = 0

    async def ask(ours: Ours) -> None:
        nonlocal expired
        try:
            await ours.asker.ask(Confirm("Run it?"), audience=[*ours.people], timeout=_SECONDS)
        except Expired:
            expired += 1

    async with open_ours() as ours, round_trips(ours, 0), trio.open_nursery() as nursery:
        ours.answering = False
        for _ in range(count):
            nursery.start_soon(ask, ours)
        await wait_all_tasks_blocked()
        start = time.process_time()
        clock.jump(_SECONDS)
        await wait_all_tasks_blocked()
        seconds = time.process_time() - start
    assert expired == count, f"only {expired} of {count} expired"
    return seconds


async def _wake(count: int) -> float:
    tasks = []

    async def wait() -> None:
        tasks.append(current_task())
        await parked()

    async with trio.open_nursery() as nursery:
        for _ in range(count):
            nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        start = time.process_time()
        for task in tasks:
            reschedule(task, outcome.Value(None))
        await wait_all_tasks_blocked()
        return time.process_time() - start
