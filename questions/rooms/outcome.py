"""What a vote has come to, and how: data only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs

__all__ = [
    "ChoiceTrace",
    "Matrix",
    "Outcome",
    "QuadraticTrace",
    "RankedChoiceTrace",
    "RankedPairwiseTrace",
    "Round",
    "ScoreTrace",
    "Status",
    "Trace",
    "Verdict",
    "Word",
    "no_quorum",
]

Word = Literal["pass", "no_pass", "tied", "plurality_pass"]
"""The word for an outcome: `plurality_pass` is a winner that leads without reaching the threshold."""

Status = Literal["completed", "rejected", "tied", "no_quorum"]
"""The word for an outcome in receipts."""

Matrix = Mapping[str, Mapping[str, float]]


@attrs.frozen
class ChoiceTrace:
    """Of simple_majority, supermajority, plurality and approval."""

    threshold_met: bool
    """Whether the leader's share of the ballots met the threshold, with the quorum met."""


@attrs.frozen
class Round:
    """One round of ranked choice."""

    tally: Mapping[str, float]
    """The weight of the ballots that count for each running option."""
    remaining: tuple[str, ...]
    """The options that run in this round, as listed."""
    eliminated: tuple[str, ...]
    """The option that goes at the end of this round; nothing in the last one."""
    exhausted: int
    """How many ballots name no running option any more."""


@attrs.frozen
class RankedChoiceTrace:
    """Of ranked_choice. Its outcome has the scores of the last round only."""

    rounds: tuple[Round, ...] = ()


@attrs.frozen
class RankedPairwiseTrace:
    """Of ranked_pairwise."""

    pairwise: Matrix
    """`pairwise[a][b]`: the weight of the ballots that prefer a to b."""
    paths: Matrix
    """`paths[a][b]`: the strongest path from a to b, by its weakest step; 0 if there is none."""
    tied_options: tuple[str, ...] = ()
    """The options that share the highest score, in the order of draws."""


@attrs.frozen
class ScoreTrace:
    """Of score_vote."""

    total_weight: float = 0.0


@attrs.frozen
class QuadraticTrace:
    """Of quadratic_vote."""

    spent: Mapping[str, int]
    """The credits that each voter with a valid ballot has spent."""


Trace = ChoiceTrace | RankedChoiceTrace | RankedPairwiseTrace | ScoreTrace | QuadraticTrace


@attrs.frozen
class Verdict:
    """What a mechanism says of ballots that are clean."""

    word: Word
    winner: str | None
    scores: Mapping[str, float]
    trace: Trace


def no_quorum(options: Sequence[str], trace: Trace) -> Verdict:
    """The verdict when too few took part: nothing is counted."""
    return Verdict("no_pass", None, dict.fromkeys(options, 0.0), trace)


@attrs.frozen
class Outcome:
    """What a vote has come to. The same inputs give the same outcome, in any process and any language."""

    outcome: Word
    winner: str | None
    scores: Mapping[str, float]
    """By option; of ranked_choice only those that ran in the last round."""
    cast: int
    """Valid ballots, one a voter."""
    eligible: int
    quorum_met: bool
    invalid: int
    """Voters whose latest ballot could not be read."""
    duplicate_voters: tuple[str, ...]
    """A voter for each ballot that replaced an earlier one, in order."""
    trace: Trace

    @property
    def status(self) -> Status:
        """The outcome as receipts name it: a vote without a winner has failed, by its quorum or otherwise."""
        if self.outcome in ("pass", "plurality_pass"):
            return "completed"
        if self.outcome == "tied":
            return "tied"
        return "rejected" if self.quorum_met else "no_quorum"

    def as_json(self) -> dict[str, Any]:
        """As plain data, with the fields of the trace beside the others."""
        fields: dict[str, Any] = _plain(self)
        trace = fields.pop("trace")
        return {**fields, "status": self.status, **trace}


def _plain(value: Any) -> Any:
    """A value in terms of JSON: lists for tuples, objects for what has fields, and 3 rather than 3.0."""
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    if attrs.has(type(value)):
        return {field.name: _plain(getattr(value, field.name)) for field in attrs.fields(type(value))}
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value
