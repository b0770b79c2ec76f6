"""What it costs to ask after every ballot whether the vote is over: of a `Lock`, and of a question settled by it."""

from collections.abc import Sequence
from typing import Any

import trio

from benchmarks.ballot_boxes import box, slate
from benchmarks.counting import OPTIONS, QUORUM, told
from benchmarks.findings import Curve, Findings, Row
from benchmarks.measure import Samples, Work, exponent, interleave
from benchmarks.ours import SCOPE, crowd_of
from benchmarks.plain_loops import LOOPS, SUMS, locks
from benchmarks.rooms_scale import Scale
from facets import Principal, Who
from questions import All, Option, Policy, Select
from questions.entry import Answer, Ask, Entry, State
from questions.rooms import Lock, Mechanism
from questions.settlement import step


def measure_lock(scale: Scale) -> Findings:
    """A lock that is asked after every ballot, by ballots and by options, against a loop that keeps the scores."""
    found = Findings([])
    for mechanism in SUMS:
        by_ballots = [_beside_loop(mechanism, size, OPTIONS, scale) for size in scale.ballots]
        by_options = [
            _beside_loop(mechanism, min(1_000, scale.ballots[-1]), count, scale).median("ours")
            for count in scale.options
        ]
        ours = [one.median("ours") for one in by_ballots]
        growth = exponent(scale.ballots, [us * size for us, size in zip(ours, scale.ballots, strict=True)])
        wider, last = exponent(scale.options, by_options), by_ballots[-1]
        said = f"{last.said(ours='ours', loop='loop')} a ballot and question"
        detail = f"{said}; all together grow to the power of {growth:.2f}"
        name = f"lock of {mechanism}"
        found += Findings(
            [
                Row(f"{name}, growth with options", wider, "power", detail, 1.1, 0.1, at_least=False),
                told(f"{name}, {scale.ballots[-1]:,} ballots", last.ratio("ours", "loop"), said),
            ],
            [Curve("lock_vs_ballots", f"this library, {mechanism}", scale.ballots, ours)],
        )
    return found


def _beside_loop(mechanism: str, size: int, count: int, scale: Scale) -> Samples:
    options = slate(count)
    ballots = box(mechanism, size, options)

    async def ours() -> int:
        lock = Lock(mechanism, QUORUM, options, size + 1)
        for ballot in ballots:
            lock.add(ballot)
            lock.is_locked()
        return size

    async def loop() -> int:
        for _ in locks(mechanism, ballots, options, size + 1):
            pass
        return size

    return trio.run(interleave, {"ours": ours, "loop": loop}, scale.few_rounds)


def measure_voters(scale: Scale) -> Findings:
    """One question, and everybody in its audience votes and then votes again, against everybody answering `All`."""
    return sum((_voters(mechanism, scale) for mechanism in LOOPS), Findings([]))


def _voters(mechanism: str, scale: Scale) -> Findings:
    every = [trio.run(interleave, _turnouts(mechanism, size), scale.few_rounds) for size in scale.voters]
    once, again = ([one.median(name) for one in every] for name in ("once", "again"))
    growths = [
        exponent(scale.voters, [us * size for us, size in zip(costs, scale.voters, strict=True)])
        for costs in (once, again)
    ]
    detail = f"{every[-1].said(once='once', again='again', everybody='answering All')} a voter"
    name = f"vote by {mechanism}"
    return Findings(
        [
            Row(f"{name}, growth with voters", growths[0], "power", detail, 1.25, 1.1, at_least=False),
            Row(f"{name}, growth when all revise", growths[1], "power", detail, 1.25, 1.1, at_least=False),
            told(f"{name}, {scale.voters[-1]:,} voters", every[-1].ratio("once", "everybody"), detail),
        ],
        [
            Curve("vote_vs_voters", f"this library, {mechanism}", scale.voters, once),
            Curve("vote_vs_voters", f"all revise, {mechanism}", scale.voters, again),
        ],
    )


def _turnouts(mechanism: str, size: int) -> dict[str, Work]:
    """By name: votes by everybody, by everybody and then once more by each, and plain answers by everybody."""
    options, people = slate(OPTIONS), crowd_of(size)
    given = [ballot.choice for ballot in box(mechanism, size, options)]
    policy = Mechanism(mechanism)
    choices = [*zip(people, given, strict=True)]
    absent = Principal.user("absent")  # for whom the vote waits, if it is close
    return {
        "once": _answering(options, policy, [*people, absent], choices, size),
        "again": _answering(options, policy, [*people, *crowd_of(2 * size)[size:], absent], choices * 2, size),
        "everybody": _answering(options, All(), people, [(one, options[0]) for one in people], size),
    }


def _answering(
    options: Sequence[str],
    policy: Policy,
    people: Sequence[Principal],
    given: Sequence[tuple[Principal, Any]],
    size: int,
) -> Work:
    """Answers to one question in turn, until it is settled; units are voters."""
    question = Select("Which?", [Option(option, option) for option in options])
    asker = Who(Principal.user("asker"), "asker")
    ask = Ask("q_1", 1, SCOPE, question, policy, asker, None, None, None, None, None, 0.0)
    opened = Entry.opened(ask, dict.fromkeys(people))

    async def work() -> int:
        entry = opened
        for principal, answer in given:
            entry = step(entry, Answer(principal, answer))
            if entry.state is not State.OPEN:
                break
        return size

    return work
