"""Whether the outcome of an agreement follows from the ballots in its receipt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal, TypeGuard

from .presets import AGREEMENT

__all__ = ["Standing", "is_count", "replay_agreement"]

Standing = Literal["verified", "failed", "unavailable", "not_applicable"]

_SIGNED = ("ballot_mode", "quorum", "pass_threshold", "tie_break", "plurality_fallthrough")
"""What the parameters of an agreement must say, each as in `AGREEMENT`."""


def replay_agreement(payload: object) -> Standing:
    """Count an agreement again from the payload of its receipt.

    `verified`: it came out as signed. `failed`: it did not, or is none as the protocol has it. `unavailable`: its
    ballots are withheld. `not_applicable`: no agreement.
    """
    grp = _object(_object(payload).get("grp"))
    mechanism = _object(grp.get("mechanism"))
    parameters = _object(mechanism.get("parameters"))
    if parameters.get("agreement") is not True:
        return "not_applicable"
    options = parameters.get("options")
    if mechanism.get("kind") not in ("simple_majority", "supermajority") or not _are_options(options):
        return "failed"
    if not all(_same(parameters.get(name), AGREEMENT[name]) for name in _SIGNED):
        return "failed"
    return _recounted(options, grp.get("votes"), _object(grp.get("outcome")))


def _recounted(options: list[str], votes: object, outcome: Mapping[str, Any]) -> Standing:
    diagnostics = _object(outcome.get("diagnostics"))
    cast, eligible = diagnostics.get("cast_votes"), diagnostics.get("eligible_voters")
    if not isinstance(votes, list) or not is_count(cast) or not is_count(eligible):
        return "failed"
    if not votes and cast > 0:
        return "unavailable"
    if not _are_votes(votes, options) or len(votes) != cast or cast > eligible:
        return "failed"
    counted = Counter(vote["choice"] for vote in votes)
    tallies = {option: counted[option] for option in options}
    return "verified" if _is_outcome(outcome, eligible, tallies) else "failed"


def _is_outcome(outcome: Mapping[str, Any], eligible: float, tallies: Mapping[str, int]) -> bool:
    cast = sum(tallies.values())
    status, winner = "rejected", None
    if cast < eligible or eligible == 0:
        status = "no_quorum"
    elif cast in tallies.values():
        status, winner = "completed", next(option for option, count in tallies.items() if count == cast)
    signed = _object(outcome.get("tallies"))
    return (
        outcome.get("status") == status
        and outcome.get("winning_option") == winner
        and signed.keys() == tallies.keys()
        and all(_same(signed[option], count) for option, count in tallies.items())
    )


def _are_options(options: object) -> TypeGuard[list[str]]:
    return (
        isinstance(options, list)
        and all(isinstance(one, str) for one in options)
        and 0 < len(options) == len(set(options))
    )


def _are_votes(votes: list[Any], options: list[str]) -> bool:
    """Whether each is somebody's own, for one option, and of weight 1."""
    slate, voters = set(options), set()
    for vote in map(_object, votes):
        voter, choice = vote.get("agent_id"), vote.get("choice")
        if not isinstance(voter, str) or voter in voters or not isinstance(choice, str) or choice not in slate:
            return False
        if not _same(vote.get("weight"), 1):
            return False
        voters.add(voter)
    return True


def _same(value: object, other: object) -> bool:
    """Whether two values of JSON are one: 1.0 is 1, and True is not."""
    return isinstance(value, bool) == isinstance(other, bool) and value == other


def is_count(value: object) -> TypeGuard[float]:
    """Whether it is a whole number of 0 or more: in JSON 2.0 is one, and True is not."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 and value % 1 == 0


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
