"""Why a vote by shares, points or credits came out as it did. All of it is read off the outcome and its trace."""

from __future__ import annotations

from collections.abc import Iterator

from .explain_count import Count, chart, leaders, share, tie
from .explain_parts import MOST_BARS, Bar, Chart, Reasons
from .explain_texts import Numbers, percent, shown
from .outcome import ChoiceTrace, QuadraticTrace, ScoreTrace

__all__ = ["explain_choice", "explain_credits", "explain_points"]


def _marks(count: Count) -> dict[str, str]:
    winner = count.outcome.winner
    return {} if winner is None else {winner: "wins"}


def explain_choice(count: Count, trace: ChoiceTrace) -> Reasons:
    """Of simple_majority, supermajority, plurality and approval."""
    params, outcome = count.params, count.outcome
    limit = params.pass_threshold * outcome.cast
    beyond = "more than" if params.pass_threshold_comparison == "strict" else "at least"
    takes = f"{beyond} {percent(params.pass_threshold, 0.0)} of the ballots"
    figure = chart(
        count,
        "Approvals" if params.ballot_mode == "approval" else "Votes",
        outcome.scores,
        _marks(count),
        limit,
        f"to pass takes {beyond} {Numbers([limit, *outcome.scores.values()])(limit)}",
    )
    return Reasons([*_choice(count, trace, takes)], [figure])


def _choice(count: Count, trace: ChoiceTrace, takes: str) -> Iterator[str]:
    params, outcome, leading = count.params, count.outcome, leaders(count)
    top = max(outcome.scores.values())
    if not top > 0:
        yield "No ballot gives anything to any option."
        if outcome.quorum_met:
            yield f"To pass takes {takes}, so nobody wins."
        return
    has = "leads with" if len(leading) == 1 else "lead with"
    part = f"{share(top, outcome.cast, params.pass_threshold)} of the {outcome.cast:,} ballots"
    yield f"{count.names.quoted(leading)} {has} {Numbers([top])(top)}, which is {part}."
    if not outcome.quorum_met:
        return
    if trace.threshold_met:
        yield f"To pass takes {takes}, which is reached."
    elif params.plurality_fallthrough:
        yield f"To pass takes {takes}, which nobody has reached; then whoever leads wins all the same."
    else:
        yield f"To pass takes {takes}, which nobody has reached."
        return
    yield from tie(count, leading)


def explain_points(count: Count, trace: ScoreTrace) -> Reasons:
    """Of score_vote."""
    outcome, least = count.outcome, count.params.min_score
    if not outcome.quorum_met:
        return Reasons(["The points were not added up."])
    reasons, scores = Reasons(), outcome.scores
    number = Numbers([*scores.values(), least, count.params.max_score, least * trace.total_weight])
    top, leading = max(scores.values()), leaders(count)
    reasons.sentences.append(
        f"Each ballot gives every option {number(least)} to {number(count.params.max_score)} points, "
        f"and {number(least)} to those that it leaves out."
    )
    if not top > least * trace.total_weight:
        reasons.sentences.append("No option has more than the least that all ballots can give, so nobody wins.")
    else:
        has = "has" if len(leading) == 1 else "have"
        reasons.sentences.append(f"{count.names.quoted(leading)} {has} the most points, {number(top)}.")
        reasons.sentences += tie(count, leading)
    reasons.charts.append(chart(count, "Points", scores, _marks(count)))
    return reasons


def explain_credits(count: Count, trace: QuadraticTrace) -> Reasons:
    """Of quadratic_vote."""
    outcome, budget = count.outcome, int(count.params.credits_per_voter)
    reasons = Reasons([f"Each voter may spend {budget:,} credits, and n credits on an option count as the root of n."])
    if not outcome.quorum_met:
        reasons.sentences.append("The roots were not added up.")
    else:
        number, leading = Numbers(outcome.scores.values()), leaders(count)
        top = max(outcome.scores.values())
        if not top > 0:
            reasons.sentences.append("Nothing was spent on any option, so nobody wins.")
        else:
            has = "has" if len(leading) == 1 else "have"
            reasons.sentences.append(f"{count.names.quoted(leading)} {has} the highest sum of roots, {number(top)}.")
            reasons.sentences += tie(count, leading)
        reasons.charts.append(chart(count, "Sums of roots", outcome.scores, _marks(count)))
    if trace.spent:
        reasons.charts.append(_spent(trace, budget))
    return reasons


def _spent(trace: QuadraticTrace, budget: int) -> Chart:
    spent = sorted(trace.spent.items(), key=lambda item: -item[1])
    bars = tuple(Bar(shown(voter), credits, f"{credits:,}") for voter, credits in spent[:MOST_BARS])
    return Chart("Credits spent", bars, budget, f"each has {budget:,}", max(0, len(spent) - MOST_BARS))
