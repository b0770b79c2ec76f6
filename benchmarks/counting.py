"""What it costs to count votes: by ballots, by options, and to ask after each ballot whether it is locked."""

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

import attrs
import trio

from benchmarks.ballot_boxes import LOOPS, box, slate
from benchmarks.findings import Curve, Findings, Row, time_row
from benchmarks.measure import Samples, Work, cost, exponent, interleave
from questions.rooms import Ballot, Lock, tally

_QUORUM = {"quorum": 0.0}
_OPTIONS = 10


@attrs.frozen
class Scale:
    """Sizes and repetitions."""

    rounds: int
    ballots: tuple[int, ...]
    options: tuple[int, ...]
    many_options: int
    few_ballots: int
    """Ballots over many options, each of which ranks all of them."""
    for_library: int


FULL = Scale(9, (10, 100, 1_000, 10_000, 100_000), (2, 10, 50, 200, 500), 500, 100, 10_000)
QUICK = Scale(3, (10, 50, 100), (2, 5, 20), 20, 10, 50)


def _counting(mechanism: str, ballots: Sequence[Ballot], options: Sequence[str]) -> Work:
    async def work() -> int:
        tally(mechanism, _QUORUM, options, len(ballots), ballots, seed="decision-1")
        return len(ballots)

    return work


def _looping(mechanism: str, ballots: Sequence[Ballot], options: Sequence[str]) -> Work:
    async def work() -> int:
        LOOPS[mechanism](ballots, options)
        return len(ballots)

    return work


def measure_loops(scale: Scale) -> Findings:
    """The four mechanisms that add up, against plain loops over the same ballots."""
    found, options = Findings([]), slate(_OPTIONS)
    for mechanism in LOOPS:
        every = [_against_loop(mechanism, size, options, scale.rounds) for size in scale.ballots]
        samples = every[-1]
        ours, loops = ([one.median(name) for one in every] for name in ("ours", "loop"))
        growth = exponent(scale.ballots[-3:], [us * n for us, n in zip(ours, scale.ballots, strict=True)][-3:])
        detail = f"{samples.said(ours='ours', loop='loop')} a ballot; grows with ballots to the power of {growth:.2f}"
        name = f"{mechanism}, {scale.ballots[-1]:,} ballots"
        found += Findings(
            [time_row(name, samples.ratio("ours", "loop"), detail, budget=3.0, goal=1.5)],
            [
                Curve("count_vs_ballots", f"this library, {mechanism}", scale.ballots, ours),
                Curve("count_vs_ballots", f"loop, {mechanism}", scale.ballots, loops),
            ],
        )
    return found


def _against_loop(mechanism: str, size: int, options: Sequence[str], rounds: int) -> Samples:
    ballots = box(mechanism, size, options)
    works = {"ours": _counting(mechanism, ballots, options), "loop": _looping(mechanism, ballots, options)}
    return trio.run(interleave, works, rounds)


def measure_ranked(scale: Scale) -> Findings:
    """The two ranked mechanisms, by the seconds that they take."""
    most, many = scale.ballots[-1], scale.many_options
    few, all_of_many = slate(_OPTIONS), slate(many)
    cases: Sequence[tuple[str, int, Sequence[str], float, float]] = (
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
    return Findings(rows, [_by_ballots(mechanism, scale) for mechanism in ("ranked_choice", "ranked_pairwise")])


def _by_ballots(mechanism: str, scale: Scale) -> Curve:
    options = slate(_OPTIONS)
    works = [_counting(mechanism, box(mechanism, size, options, _OPTIONS), options) for size in scale.ballots]
    costs = [trio.run(cost, work) for work in works]
    return Curve("ranked_vs_ballots", f"this library, {mechanism}", scale.ballots, costs)


def _seconds(work: Work, scale: Scale) -> float:
    """The median over a few rounds of the seconds of CPU that a work takes."""

    async def once() -> float:
        start = time.process_time()
        await work()
        return time.process_time() - start

    return median(trio.run(once) for _ in range(max(3, scale.rounds // 3)))


def measure_options(scale: Scale) -> Findings:
    """Every mechanism by the number of options, with a thousand ballots (a hundred where all pairs are compared)."""
    curves = []
    for mechanism in (*LOOPS, "ranked_choice", "ranked_pairwise"):
        size = min(100 if mechanism == "ranked_pairwise" else 1_000, scale.ballots[-1])
        costs = []
        for count in scale.options:
            options = slate(count)
            costs.append(trio.run(cost, _counting(mechanism, box(mechanism, size, options), options)))
        curves.append(Curve("count_vs_options", f"this library, {mechanism}", scale.options, costs))
    return Findings([], curves)


def measure_lock(scale: Scale) -> Findings:
    """A lock that is asked after every ballot, by ballots and by options."""
    found = Findings([])
    for mechanism in LOOPS:
        by_ballots = [_us_a_lock(mechanism, size, _OPTIONS) for size in scale.ballots]
        by_options = [_us_a_lock(mechanism, min(1_000, scale.ballots[-1]), count) for count in scale.options]
        totals = [us * size for us, size in zip(by_ballots, scale.ballots, strict=True)]
        growth, wider = exponent(scale.ballots, totals), exponent(scale.options, by_options)
        detail = f"{by_ballots[-1]:.1f} us a ballot and question; all together grow to the power of {growth:.2f}"
        found += Findings(
            [Row(f"lock of {mechanism}, growth with options", wider, "power", detail, 1.1, 0.1, at_least=False)],
            [Curve("lock_vs_ballots", f"this library, {mechanism}", scale.ballots, by_ballots)],
        )
    return found


def _us_a_lock(mechanism: str, size: int, count: int) -> float:
    options = slate(count)
    ballots = box(mechanism, size, options)

    async def work() -> int:
        lock = Lock(mechanism, _QUORUM, options, size + 1)
        start = time.process_time()
        for ballot in ballots:
            lock.add(ballot)
            lock.is_locked()
        spent.append((time.process_time() - start) * 1e6 / size)
        return size

    spent: list[float] = []
    for _ in range(3):
        trio.run(work)
    return median(spent)


def measure_library(scale: Scale) -> Findings:
    """Ranked choice as a public library counts it, where that is installed."""
    options = slate(_OPTIONS)
    ballots = box("ranked_choice", scale.for_library, options, _OPTIONS)
    theirs = _theirs(ballots, options)
    if theirs is None:
        return Findings([])
    works = {"ours": _counting("ranked_choice", ballots, options), "theirs": theirs}
    samples = trio.run(interleave, works, max(3, scale.rounds // 3))
    detail = samples.said(ours="ours", theirs="pyrankvote") + " a ballot"
    name = f"ranked_choice against pyrankvote, {scale.for_library:,} ballots"
    return Findings([Row(name, samples.ratio("ours", "theirs"), "x time", detail, at_least=False)])


def _theirs(ballots: Sequence[Ballot], options: Sequence[str]) -> Work | None:
    try:
        import pyrankvote  # noqa: PLC0415
    except ImportError:
        return None
    candidates: Mapping[str, Any] = {option: pyrankvote.Candidate(option) for option in options}
    papers = [pyrankvote.Ballot([candidates[option] for option in ballot.choice]) for ballot in ballots]
    count: Callable[..., object] = pyrankvote.instant_runoff_voting

    async def work() -> int:
        count([*candidates.values()], papers)
        return len(papers)

    return work
