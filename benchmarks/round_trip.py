"""Ask, answer, settle, beside the forty lines and beside bare task switches."""

from contextlib import AsyncExitStack
from statistics import median

import trio

from benchmarks.by_hand import open_by_hand
from benchmarks.findings import Curve, Findings, Row, rate_row, time_row
from benchmarks.floors import ping_pong
from benchmarks.measure import Samples, Work, interleave
from benchmarks.ours import OursBySnapshots, open_ours
from benchmarks.scale import Scale
from benchmarks.sides import Side, round_trips, turns


def measure(scale: Scale) -> Findings:
    """Cost at each number of pending questions, and its parts at one."""
    samples = {pending: trio.run(_at, scale, pending) for pending in scale.pending}
    judged = (scale.pending[0], scale.pending[-2])
    rows = [_row(pending, samples[pending], pending in judged) for pending in scale.pending]
    curves = [
        Curve("cost_vs_pending", label, scale.pending, [s.median(name) for s in samples.values()])
        for name, label in (("ours", "this library"), ("forty", "40-line broker"))
    ]
    return Findings(rows, curves) + trio.run(_terms, scale)


async def _at(scale: Scale, pending: int) -> Samples:
    async with AsyncExitStack() as stack:
        works: dict[str, Work] = {"bare": await stack.enter_async_context(ping_pong(scale.cycles))}
        ours = await stack.enter_async_context(open_ours())
        forty = await stack.enter_async_context(open_by_hand())
        sides: dict[str, Side] = {"ours": ours, "forty": forty}
        for name, side in sides.items():
            trips = round_trips(side, scale.cycles, standing=pending - 1)
            works[name] = await stack.enter_async_context(trips)
        return await interleave(works, scale.rounds)


def _row(pending: int, samples: Samples, judged: bool) -> Row:
    rate = samples.ratio("forty", "ours")
    detail = samples.said(ours="ours", forty="40-line", bare="bare switches")
    name = f"ask-answer-settle, {pending:,} pending"
    return rate_row(name, rate, detail, 0.6, 0.9) if judged else Row(name, rate, "x rate", detail)


async def _terms(scale: Scale) -> Findings:
    """What a key and a deadline add, and what reading whole snapshots costs."""
    async with (
        open_ours() as plain,
        open_ours(terms=lambda number: {"key": f"tool-{number}", "timeout": 300}) as full,
        open_ours(kind=OursBySnapshots) as snapshots,
        round_trips(plain, scale.cycles) as plain_work,
        round_trips(full, scale.cycles) as full_work,
        round_trips(snapshots, scale.cycles) as snapshots_work,
    ):
        works = {"plain": plain_work, "full": full_work, "snapshots": snapshots_work}
        samples = await interleave(works, scale.rounds)
    names = {"full": "the same, with key and timeout", "snapshots": "the same, read by changes()"}
    return Findings(
        [
            Row(
                text,
                samples.ratio("plain", name),
                "x own rate",
                samples.said(**{name: "with", "plain": "without"}),
            )
            for name, text in names.items()
        ]
    )


def measure_latency(scale: Scale) -> Findings:
    """From the answer to the asker running again."""
    return trio.run(_latency, scale)


async def _latency(scale: Scale) -> Findings:
    async with (
        open_ours() as ours,
        open_by_hand() as forty,
        round_trips(ours, 0),
        round_trips(forty, 0),
    ):
        p50: dict[Side, list[float]] = {ours: [], forty: []}
        for turn in range(scale.rounds + 1):
            for side in (ours, forty) if turn % 2 else (forty, ours):
                p50[side].append(median(await side.ask_in_turn(scale.cycles)) / 1e3)
    ratio = median(a / b for a, b in zip(p50[ours][1:], p50[forty][1:], strict=True))
    detail = f"ours {median(p50[ours]):.1f} us, 40-line {median(p50[forty]):.1f} us, wall time"
    return Findings([time_row("answer to resumed asker, p50", ratio, detail, 1.5, 1.1)])


def measure_one_go(scale: Scale) -> Findings:
    """Many asked in one step, seen, answered in one step."""
    return trio.run(_one_go, scale)


async def _one_go(scale: Scale) -> Findings:
    async with (
        open_ours() as ours,
        open_by_hand() as forty,
        turns(ours, askers=scale.one_go, watchers=1, count=1) as ours_work,
        turns(forty, askers=scale.one_go, watchers=1, count=1) as forty_work,
    ):
        samples = await interleave({"ours": ours_work, "forty": forty_work}, scale.rounds)
    detail = samples.said(ours="ours", forty="40-line") + " a change"
    rate = samples.ratio("forty", "ours")
    name = f"{scale.one_go:,} asked in a step, answered in one go"
    return Findings([rate_row(name, rate, detail, 1.0, 1.5)])
