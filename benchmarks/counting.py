"""What it costs to count votes, by ballots and by options: beside plain loops, and beside a public library."""

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

import trio

from benchmarks.ballot_boxes import box, slate
from benchmarks.findings import Curve, Findings, Row, time_row
from benchmarks.measure import Samples, Work, exponent, interleave
from benchmarks.plain_loops import LOOPS, SUMS
from benchmarks.rooms_scale import Scale
from questions.rooms import Ballot, tally

OPTIONS = 10
QUORUM = {"quorum": 0.0}

_SLOW_LOOP = 10_000_000
"""Steps, which is how many a plain loop over all paths takes for the cube of the options: not measured beyond."""


def measure_loops(scale: Scale) -> Findings:
    """Every mechanism by ballots, against plain loops over the same ballots; judged where ballots add up."""
    found = Findings([])
    for mechanism in LOOPS:
        every = [_beside_loop(mechanism, size, slate(OPTIONS), scale) for size in scale.ballots]
        samples = every[-1]
        ours, loops = ([one.median(name) for one in every] for name in ("ours", "loop"))
        growth = exponent(scale.ballots[-3:], [us * n for us, n in zip(ours, scale.ballots, strict=True)][-3:])
        detail = f"{samples.said(ours='ours', loop='loop')} a ballot; grows with ballots to the power of {growth:.2f}"
        name, ratio = f"{mechanism}, {scale.ballots[-1]:,} ballots", samples.ratio("ours", "loop")
        plot = "count_vs_ballots" if mechanism in SUMS else "ranked_vs_ballots"
        found += Findings(
            [time_row(name, ratio, detail, 3.0, 1.5) if mechanism in SUMS else told(name, ratio, detail)],
            [
                Curve(plot, f"this library, {mechanism}", scale.ballots, ours),
                Curve(plot, f"loop, {mechanism}", scale.ballots, loops),
            ],
        )
    return found


def measure_ranked(scale: Scale) -> Findings:
    """The two ranked mechanisms, by the seconds that they take."""
    most, few, all_of_many = scale.ballots[-1], slate(OPTIONS), slate(scale.options[-1])
    cases: Sequence[tuple[str, int, list[str], float, float]] = (
        ("ranked_choice", most, few, 1.5, 0.3),
        ("ranked_pairwise", most, few, 3.0, 0.5),
        ("ranked_pairwise", scale.few_ballots, all_of_many, 30.0, 3.0),
    )
    rows = []
    for mechanism, size, options, budget, goal in cases:
        ballots = box(mechanism, size, options, named=len(options))
        seconds = _seconds(_counting(mechanism, ballots, options), scale)
        name = f"{mechanism}, {size:,} ballots, {len(options)} options"
        rows.append(Row(name, seconds, "s", "every ballot ranks all options", budget, goal, at_least=False))
    return Findings(rows)


def measure_options(scale: Scale) -> Findings:
    """Every mechanism by options, with a thousand ballots (a hundred where all pairs are compared)."""
    found = Findings([])
    for mechanism in LOOPS:
        size = min(100 if mechanism == "ranked_pairwise" else 1_000, scale.ballots[-1])
        every = [_beside_loop(mechanism, size, slate(count), scale) for count in scale.options]
        ours = [one.median("ours") for one in every]
        beside = [(count, one) for count, one in zip(scale.options, every, strict=True) if "loop" in one.us]
        count, samples = beside[-1]
        growth = exponent(scale.options, ours)
        detail = f"{samples.said(ours='ours', loop='loop')} a ballot; grows with options to the power of {growth:.2f}"
        found += Findings(
            [told(f"{mechanism}, {size:,} ballots, {count} options", samples.ratio("ours", "loop"), detail)],
            [
                Curve("count_vs_options", f"this library, {mechanism}", scale.options, ours),
                Curve(
                    "count_vs_options",
                    f"loop, {mechanism}",
                    [count for count, _ in beside],
                    [one.median("loop") for _, one in beside],
                ),
            ],
        )
    return found


def measure_library(scale: Scale) -> Findings:
    """What a public library counts, too, where that is installed: an option each is a ranking of one."""
    found, size, options = Findings([]), scale.for_library, slate(OPTIONS)
    for mechanism in ("simple_majority", "supermajority", "plurality", "ranked_choice"):
        ballots = box(mechanism, size, options, OPTIONS)
        theirs = _theirs(ballots, options)
        if theirs is not None:
            works = {"ours": _counting(mechanism, ballots, options), "theirs": theirs}
            samples = trio.run(interleave, works, scale.few_rounds)
            detail = samples.said(ours="ours", theirs="pyrankvote") + " a ballot"
            name = f"{mechanism} against pyrankvote, {size:,} ballots"
            found += Findings([told(name, samples.ratio("ours", "theirs"), detail)])
    return found


def told(name: str, ratio: float, detail: str) -> Row:
    """A ratio of times that is not judged."""
    return Row(name, ratio, "x time", detail, at_least=False)


def _beside_loop(mechanism: str, size: int, options: list[str], scale: Scale) -> Samples:
    ballots, ranks = box(mechanism, size, options), mechanism not in SUMS
    works = {"ours": _counting(mechanism, ballots, options)}
    if not ranks or len(options) ** 3 < _SLOW_LOOP:
        works["loop"] = _looping(mechanism, ballots, options)
    return trio.run(interleave, works, scale.few_rounds if ranks else scale.rounds)


def _counting(mechanism: str, ballots: Sequence[Ballot], options: Sequence[str]) -> Work:
    async def work() -> int:
        tally(mechanism, QUORUM, options, len(ballots), ballots, seed="decision-1")
        return len(ballots)

    return work


def _looping(mechanism: str, ballots: Sequence[Ballot], options: Sequence[str]) -> Work:
    async def work() -> int:
        LOOPS[mechanism](ballots, options)
        return len(ballots)

    return work


def _seconds(work: Work, scale: Scale) -> float:
    """The median over a few rounds of the seconds of CPU that a work takes."""

    async def once() -> float:
        start = time.process_time()
        await work()
        return time.process_time() - start

    return median(trio.run(once) for _ in range(scale.few_rounds))


def _theirs(ballots: Sequence[Ballot], options: Sequence[str]) -> Work | None:
    try:
        import pyrankvote  # noqa: PLC0415
    except ImportError:
        return None
    candidates: Mapping[str, Any] = {option: pyrankvote.Candidate(option) for option in options}
    choices = [[ballot.choice] if isinstance(ballot.choice, str) else ballot.choice for ballot in ballots]
    papers = [pyrankvote.Ballot([candidates[option] for option in choice]) for choice in choices]
    count: Callable[..., object] = pyrankvote.instant_runoff_voting

    async def work() -> int:
        count([*candidates.values()], papers)
        return len(papers)

    return work
