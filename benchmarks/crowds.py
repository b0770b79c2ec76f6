"""Many viewers inside the audience: what a change costs each of them, beside the forty lines."""

import trio

from benchmarks.by_hand import open_by_hand
from benchmarks.findings import Curve, Findings, Row, time_row
from benchmarks.measure import Samples, interleave
from benchmarks.ours import open_ours
from benchmarks.scale import Scale
from benchmarks.sides import turns


def measure(scale: Scale) -> Findings:
    """Cost of one change for one viewer, with one change in a step and with many."""
    return _mode(scale, 1, "one change a step") + _mode(scale, scale.burst, f"{scale.burst} changes a step")


def _mode(scale: Scale, askers: int, mode: str) -> Findings:
    samples = {viewers: trio.run(_at, scale, viewers, askers) for viewers in scale.viewers}
    curves = [
        Curve(
            "cost_vs_viewers",
            f"{label}, {mode}",
            scale.viewers,
            [s.median(name) / viewers for viewers, s in samples.items()],
        )
        for name, label in (("ours", "this library"), ("forty", "40-line broker"))
    ]
    return Findings([_row(viewers, mode, samples[viewers]) for viewers in scale.viewers], curves)


async def _at(scale: Scale, viewers: int, askers: int) -> Samples:
    count = max(1, scale.tellings // (viewers * 2 * askers))
    async with (
        open_ours(people=viewers) as ours,
        open_by_hand() as forty,
        turns(ours, askers, viewers, count) as ours_work,
        turns(forty, askers, viewers, count) as forty_work,
    ):
        works = {"ours": ours_work, "forty": forty_work}
        return await interleave(works, scale.rounds if viewers < 1_000 else scale.few_rounds)


def _row(viewers: int, mode: str, samples: Samples) -> Row:
    ours, forty = (samples.median(name) / viewers for name in ("ours", "forty"))
    detail = f"ours {ours:.2f} us, 40-line {forty:.2f} us a change and viewer"
    cost = samples.ratio("ours", "forty")
    return time_row(f"{viewers:,} viewers inside, {mode}", cost, detail, 0.7, 0.3)
