"""What explanations of all mechanisms say alike: who took part, ties, what was outstanding, and charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Any

import attrs

from .cases import Case
from .explain_parts import MOST_BARS, Bar, Chart
from .explain_texts import Names, Numbers, counted, percent, shown
from .outcome import Outcome

__all__ = ["Count", "chart", "drawn", "leaders", "outstanding", "share", "tie", "title", "turnout"]


@attrs.frozen
class Count:
    """A case that was counted, and the names of its options."""

    case: Case
    outcome: Outcome
    params: Any
    names: Names


def title(count: Count) -> str:
    """The result, in one sentence."""
    outcome = count.outcome
    if outcome.winner is not None:
        return f"{count.names.quoted([outcome.winner])} has won."
    why = {
        "no_quorum": "too few took part",
        "tied": "it is a tie",
        "rejected": "no option has what it takes",
        "completed": "",
    }
    return f"Nobody has won: {why[outcome.status]}."


def turnout(count: Count) -> Iterator[str]:
    """Who took part, and whether that is enough."""
    outcome, abstained = count.outcome, count.case.abstentions
    took_part = outcome.cast + abstained
    also = f", and {abstained:,} abstained" if abstained else ""
    yield f"{outcome.cast:,} of {outcome.eligible:,} who may vote have a ballot that counts{also}."
    if outcome.invalid:
        yield f"{counted(outcome.invalid, 'ballot')} could not be read and counted for nothing."
    if outcome.duplicate_voters:
        yield f"{counted(len(outcome.duplicate_voters), 'ballot')} gave way to a later one of the same voter."
    needed = _needed(count.params.quorum, outcome.eligible)
    if outcome.quorum_met:
        yield f"The quorum was met: {took_part:,} took part, and it takes {needed:,}."
    elif outcome.eligible:
        yield f"The quorum was not met: {took_part:,} took part, and it takes {needed:,}. So nobody can win."
    else:
        yield "Nobody may vote, so nobody can win."


def _needed(quorum: float, eligible: int) -> int:
    """How many it takes, by the very division that the count makes."""
    needed = ceil(quorum * eligible)
    while needed > 0 and (needed - 1) / (eligible or 1) >= quorum:
        needed -= 1
    while eligible and needed / eligible < quorum:
        needed += 1
    return needed


def leaders(count: Count) -> list[str]:
    """The options that share the highest score, as listed."""
    scores = count.outcome.scores
    top = max(scores.values(), default=0.0)
    return [option for option in count.case.options if scores.get(option) == top]


def tie(count: Count, tied: Sequence[str]) -> Iterator[str]:
    """How a tie between those that lead was broken, if there was one."""
    winner = count.outcome.winner
    if len(tied) < 2:
        return
    if winner is None:
        yield f"{count.names.quoted(tied)} lead together, and a tie has no winner here."
    elif count.params.tie_break == "first_listed":
        yield f"{count.names.quoted(tied)} lead together; the tie goes to the one that is listed first."
    else:
        yield f"{count.names.quoted(tied)} lead together; {count.names.quoted([winner])} was drawn. {drawn(count)}"


def drawn(count: Count) -> str:
    """How a draw can be checked."""
    return f'Anybody can repeat the draw, with the seed "{shown(count.case.seed)}".'


def outstanding(count: Count) -> str:
    """What could still have come, and what it could have changed."""
    outcome, heaviest = count.outcome, max([1.0, *(ballot.weight for ballot in count.case.ballots)])
    trace = count.case.lock_trace(heaviest)
    left = outcome.eligible - outcome.cast - count.case.abstentions
    if left <= 0:
        return "Nothing was outstanding: all who may vote have taken part."
    who = f"{left:,} had not taken part when this was counted"
    if not trace[-1]:
        return f"{who}; with them it might have come out differently."
    first = len(trace) - next((place for place, locked in enumerate(reversed(trace)) if not locked), len(trace))
    since = "from the beginning" if first == 0 else f"from ballot {first:,} on"
    weighing = "" if heaviest == 1 else f", should none of them weigh more than {Numbers([heaviest])(heaviest)}"
    return f"{who}, and it was certain {since} that they could not change the result any more{weighing}."


def chart(
    count: Count,
    name: str,
    values: Mapping[str, float],
    marks: Mapping[str, Any],
    limit: float | None = None,
    limit_words: str = "",
) -> Chart:
    """A chart of some options, the highest first; whoever has a mark is always in it."""
    number = Numbers(values.values())
    ordered = sorted(values, key=lambda option: -values[option])
    kept = [*ordered[:MOST_BARS]]
    kept += [option for option in ordered[MOST_BARS:] if option in marks]
    bars = [Bar(count.names(one), values[one], number(values[one]), marks.get(one, "")) for one in kept]
    return Chart(name, tuple(bars), limit, limit_words, len(ordered) - len(kept))


def share(part: float, whole: float, beside: float) -> str:
    """A part of the ballots in per cent, told apart from what it takes."""
    return percent(part / whole, beside) if whole else "none"
