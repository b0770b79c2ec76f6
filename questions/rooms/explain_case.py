"""`explain`: why a vote came out as it did, in plain words, from what was written down of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .cases import read_case
from .errors import InvalidCase
from .explain_count import Count, outstanding, title, turnout
from .explain_parts import Explanation, Reasons
from .explain_ranked import explain_pairs, explain_rounds
from .explain_scores import explain_choice, explain_credits, explain_points
from .explain_texts import Names
from .outcome import ChoiceTrace, QuadraticTrace, RankedChoiceTrace, RankedPairwiseTrace, ScoreTrace
from .presets import read_params

__all__ = ["explain"]

_REASONS: Mapping[type, Callable[[Count, Any], Reasons]] = {
    ChoiceTrace: explain_choice,
    ScoreTrace: explain_points,
    QuadraticTrace: explain_credits,
    RankedChoiceTrace: explain_rounds,
    RankedPairwiseTrace: explain_pairs,
}


def explain(case: object, labels: Mapping[str, str] | None = None) -> Explanation:
    """Why a case comes out as it does: a line for `replay` as plain data, or `tallied.as_case()`.

    It is counted anew; what the case expects is not looked at. `labels`: what people call the options. Its size is
    bounded, whatever the number and the length of options. Raises `InvalidCase` for what is no case of a count, and as
    `tally` does.
    """
    if not isinstance(case, Mapping) or not isinstance(case.get("id"), str):
        raise InvalidCase(["$.id: must be text"])
    if case.get("kind", "mechanism") != "mechanism":
        raise InvalidCase(["$.kind: only counts of ballots can be explained"])
    read = read_case(case)
    outcome = read.counted()
    count = Count(read, outcome, read_params(read.mechanism, read.params), Names(read.options, labels or {}))
    reasons = _REASONS[type(outcome.trace)](count, outcome.trace)
    said = (*turnout(count), *reasons.sentences, outstanding(count))
    return Explanation(
        case["id"],
        read.mechanism,
        outcome.winner,
        outcome.status,
        title(count),
        said,
        tuple(reasons.charts),
        tuple(reasons.tables),
    )
