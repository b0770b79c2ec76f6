"""The eight mechanisms by name, their parameters, and those that a room runs them with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import attrs

from .ballots import is_number
from .errors import InvalidParams

__all__ = [
    "AGREEMENT",
    "MECHANISMS",
    "PRESETS",
    "RESERVED",
    "ChoiceParams",
    "Electorate",
    "Params",
    "QuadraticParams",
    "RankedParams",
    "ScoreParams",
    "electorate",
    "read_params",
]

TieBreak = Literal["no_pass", "first_listed", "random_seeded"]


@attrs.frozen
class ChoiceParams:
    """Of simple_majority, supermajority, plurality and approval."""

    quorum: float
    ballot_mode: Literal["single_choice", "approval"]
    pass_threshold: float
    """The share of the ballots that the leader needs: more than 0, at most 1."""
    pass_threshold_comparison: Literal["strict", "inclusive"]
    """strict: above the threshold; inclusive: at or above it."""
    plurality_fallthrough: bool
    """Whether a leader below the threshold wins all the same."""
    tie_break: TieBreak
    agreement: bool = False
    """Whether it takes everybody: then a split is never locked, and only unanimity ends early."""

    def meets(self, share: float) -> bool:
        """Whether a share of the ballots is enough to pass."""
        strict = self.pass_threshold_comparison == "strict"
        return share > self.pass_threshold or (share == self.pass_threshold and not strict)


@attrs.frozen
class RankedParams:
    """Of ranked_choice and ranked_pairwise."""

    quorum: float
    tie_break: TieBreak


@attrs.frozen
class ScoreParams:
    """Of score_vote: scores lie from `min_score` to `max_score`; what a ballot leaves out has the least."""

    quorum: float
    tie_break: TieBreak
    min_score: float
    max_score: float


@attrs.frozen
class QuadraticParams:
    """Of quadratic_vote: each voter may spend `credits_per_voter`, and n credits count as the root of n."""

    quorum: float
    tie_break: TieBreak
    credits_per_voter: int


Params = ChoiceParams | RankedParams | ScoreParams | QuadraticParams

MECHANISMS: Mapping[str, type[Params]] = {
    "simple_majority": ChoiceParams,
    "supermajority": ChoiceParams,
    "plurality": ChoiceParams,
    "approval": ChoiceParams,
    "ranked_choice": RankedParams,
    "ranked_pairwise": RankedParams,
    "score_vote": ScoreParams,
    "quadratic_vote": QuadraticParams,
}
"""Every mechanism, and the class of its parameters."""

RESERVED = frozenset({"budget_allocation", "conviction_vote", "bilateral_negotiation"})
"""Names that the protocol keeps for mechanisms to come."""


def _choice(threshold: float, comparison: str, tie_break: str, *, falls: bool, mode: str) -> Mapping[str, Any]:
    return {
        "ballot_mode": mode,
        "pass_threshold": threshold,
        "pass_threshold_comparison": comparison,
        "plurality_fallthrough": falls,
        "tie_break": tie_break,
    }


PRESETS: Mapping[str, Mapping[str, Any]] = {
    "simple_majority": _choice(0.5, "strict", "no_pass", falls=False, mode="single_choice"),
    "supermajority": _choice(2 / 3, "inclusive", "no_pass", falls=False, mode="single_choice"),
    "plurality": _choice(0.5, "strict", "random_seeded", falls=True, mode="single_choice"),
    "approval": _choice(0.5, "strict", "random_seeded", falls=True, mode="approval"),
    "ranked_choice": {"tie_break": "random_seeded"},
    "ranked_pairwise": {"tie_break": "random_seeded"},
    "score_vote": {"min_score": 0, "max_score": 5, "tie_break": "random_seeded"},
    "quadratic_vote": {"credits_per_voter": 9, "tie_break": "random_seeded"},
}
"""What a room runs each mechanism with, save for the quorum, which follows from its electorate."""

AGREEMENT: Mapping[str, Any] = {
    **_choice(1, "inclusive", "no_pass", falls=False, mode="single_choice"),
    "quorum": 1,
    "agreement": True,
}
"""The parameters of an agreement, which takes every eligible voter: of simple_majority and supermajority only."""


@attrs.frozen
class Electorate:
    """How many may vote, and the share of them that has to take part: `eligible` and `quorum` of a count."""

    eligible: int
    quorum: float


def electorate(seats: int, quorum: int | None) -> Electorate:
    """The electorate of a room with so many eligible seats (0 or more) and its quorum (1 or more, or None).

    A quorum of q is a floor, too: with 2 seats and a quorum of 4 nothing is decided by 2. Without one it takes one
    response.
    """
    eligible = max(seats, quorum or 0)
    # The count divides by the same number again, so that the comparison is exact.
    return Electorate(eligible, (quorum or 1) / eligible if eligible else 1.0)


_TESTS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "quorum": (lambda value: is_number(value) and 0 <= value <= 1, "a number from 0 to 1"),
    "tie_break": (
        lambda value: value in ("no_pass", "first_listed", "random_seeded"),
        "no_pass, first_listed or random_seeded",
    ),
    "ballot_mode": (lambda value: value in ("single_choice", "approval"), "single_choice or approval"),
    "pass_threshold": (lambda value: is_number(value) and 0 < value <= 1, "a number above 0, at most 1"),
    "pass_threshold_comparison": (lambda value: value in ("strict", "inclusive"), "strict or inclusive"),
    "plurality_fallthrough": (lambda value: isinstance(value, bool), "true or false"),
    "agreement": (lambda value: isinstance(value, bool), "true or false"),
    "min_score": (lambda value: is_number(value) and value >= 0, "a number of 0 or more"),
    "max_score": (lambda value: is_number(value) and value > 0, "a number above 0"),
    "credits_per_voter": (
        lambda value: is_number(value) and value == int(value) and 1 <= value <= 1000,
        "a whole number from 1 to 1000",
    ),
}


def read_params(mechanism: object, given: object) -> Params:
    """The parameters of a mechanism; what is not given is as in `PRESETS`, and `quorum` has to be.

    Raises `InvalidParams` with every fault: of what cannot be, and of what the mechanism does not know.
    """
    kind = MECHANISMS.get(mechanism) if isinstance(mechanism, str) else None
    if kind is None or not isinstance(mechanism, str):
        raise InvalidParams([_unknown(mechanism)])
    if not isinstance(given, Mapping):
        raise InvalidParams(["$.params: must be an object"])
    known = [field.name for field in attrs.fields(kind)]
    values = {**PRESETS[mechanism], **given}
    faults = [f"$.params.{name}: not known; there are {', '.join(known)}" for name in given if name not in known]
    for name in known:
        test, what = _TESTS[name]
        if name != "agreement" and name not in values:
            faults.append(f"$.params.{name}: must be given, {what}")
        elif name in values and not test(values[name]):
            faults.append(f"$.params.{name}: must be {what}")
    if faults or (faults := [*_contradictions(mechanism, values)]):
        raise InvalidParams(faults)
    return kind(**values)


def _unknown(mechanism: object) -> str:
    there_are = f"there are {', '.join(MECHANISMS)}"
    if isinstance(mechanism, str) and mechanism in RESERVED:
        return f"$.mechanism: {mechanism} is reserved and cannot be used yet; {there_are}"
    return f"$.mechanism: not known; {there_are}"


def _contradictions(mechanism: str, values: Mapping[str, Any]) -> list[str]:
    """What is wrong with values of which each is right."""
    faults = []
    if "min_score" in values and not values["min_score"] < values["max_score"]:
        faults.append("$.params.max_score: must be above min_score")
    if values.get("agreement"):
        if mechanism not in ("simple_majority", "supermajority"):
            faults.append("$.mechanism: an agreement is a simple_majority or a supermajority")
        wrong = [name for name, value in AGREEMENT.items() if values[name] != value]
        faults += [f"$.params.{name}: must be {AGREEMENT[name]!r} in an agreement" for name in wrong]
    return faults
