"""Whether the outcome in a receipt follows from the ballots in it, by counting them again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from .agreement import Standing, is_count, replay_agreement
from .ballots import Ballot, is_number
from .errors import InvalidParams, ParticipationOutOfRange
from .mechanisms import is_quorum_met, tally
from .outcome import Outcome
from .presets import MECHANISMS

__all__ = ["MOST_OPTIONS", "recount"]

MOST_OPTIONS = 500
"""That are counted again, as many as a room may have: two rankings of each with each other take their cube."""


def recount(payload: object) -> Standing:
    """Count the ballots in the payload of a receipt again, and compare.

    `verified`: they come to what was signed. `failed`: they do not. `unavailable`: the receipt does not say enough for
    that, or too much: ballots are withheld, parameters are missing, or there are more than `MOST_OPTIONS`.
    `not_applicable`: no decision, as the conclusion of a room.
    """
    grp = _object(_object(payload).get("grp"))
    if grp.get("decision_kind") == "conclusion":
        return "not_applicable"
    if (standing := _nothing_to_count(grp)) is not None:
        return standing
    standing = replay_agreement(payload)
    return standing if standing != "not_applicable" else _counted_again(grp)


def _nothing_to_count(grp: Mapping[str, Any]) -> Standing | None:
    """Of a decision for which nobody has proposed an option, which can but fail; None: there is something to count."""
    outcome, parameters = _object(grp.get("outcome")), _object(_object(grp.get("mechanism")).get("parameters"))
    if parameters.get("options") != [] or grp.get("votes") != []:
        return None
    signed, quorum, abstentions = _counts(outcome), parameters.get("quorum"), grp.get("abstentions", [])
    if signed is None or quorum is None or not is_number(quorum):
        return "unavailable"
    if not isinstance(abstentions, list) or not _are_by_different_people(abstentions):
        return "failed"
    status = "rejected" if is_quorum_met(quorum, len(abstentions), signed[1]) else "no_quorum"
    said = (outcome.get("status"), outcome.get("winning_option"), outcome.get("tallies"), signed[0])
    return "verified" if said == (status, None, {}, 0) else "failed"


def _counted_again(grp: Mapping[str, Any]) -> Standing:
    mechanism, outcome, votes = _object(grp.get("mechanism")), _object(grp.get("outcome")), grp.get("votes")
    kind, parameters, signed = mechanism.get("kind"), _object(mechanism.get("parameters")), _counts(outcome)
    known = MECHANISMS.get(kind) if isinstance(kind, str) else None
    if known is None or not isinstance(kind, str) or not isinstance(votes, list):
        return "unavailable"
    options = parameters.get("options")
    if "quorum" not in parameters or not isinstance(options, list) or len(options) > MOST_OPTIONS:
        return "unavailable"
    if signed is None or (not votes and signed[0] > 0):
        return "unavailable"
    params = {field.name: parameters[field.name] for field in attrs.fields(known) if field.name in parameters}
    abstentions = grp.get("abstentions", [])
    if not isinstance(abstentions, list) or not _are_by_different_people([*votes, *abstentions]):
        return "failed"
    try:
        ballots = [Ballot(_object(vote)["agent_id"], vote["choice"], vote.get("weight", 1)) for vote in votes]
        counted = tally(kind, params, options, signed[1], ballots, len(abstentions), grp["decision_id"])
    except (InvalidParams, ParticipationOutOfRange, KeyError, TypeError):
        return "failed"
    return "verified" if _agree(counted, outcome, signed[0]) else "failed"


def _are_by_different_people(said: list[Any]) -> bool:
    """Whether nobody has two ballots, or a ballot and an abstention: of each a room keeps what was said last."""
    people = [_object(one).get("agent_id") for one in said]
    return all(isinstance(one, str) for one in people) and len(set(people)) == len(people)


def _counts(outcome: Mapping[str, Any]) -> tuple[int, int] | None:
    """How many ballots were cast, and how many could be; None if the receipt does not say."""
    diagnostics = _object(outcome.get("diagnostics"))
    cast, eligible = diagnostics.get("cast_votes"), diagnostics.get("eligible_voters")
    if is_count(cast) and is_count(eligible):
        return int(cast), int(eligible)
    return None


def _agree(counted: Outcome, outcome: Mapping[str, Any], cast: int) -> bool:
    tallies, signed = _object(outcome.get("tallies")), (outcome.get("status"), outcome.get("winning_option"))
    # If everybody has abstained a ranking draws a winner, and hosts are free to reject that.
    nobody_chose = counted.cast == 0 and counted.winner is not None and signed == ("rejected", None)
    return (
        (signed == (counted.status, counted.winner) or nobody_chose)
        and counted.cast == cast
        and all(map(is_number, tallies.values()))
        and dict(counted.scores) == {**dict.fromkeys(counted.scores, 0), **tallies}
    )


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
