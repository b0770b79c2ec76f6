"""Counting a decision as it stands: who counts, what it comes to, and whether that is determined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from .lock import Lock
from .mechanisms import is_quorum_met, tally
from .outcome import Status, Word
from .presets import AGREEMENT, PRESETS, Electorate, electorate
from .responses import Response
from .room_config import RoomConfig
from .room_decision import RoomDecision, Sealed

__all__ = ["Around", "count", "counted_responses", "is_determined", "may_end_early", "params_of"]


@attrs.frozen
class Around:
    """What a decision depends on in its room, as that is now."""

    config: RoomConfig
    voters: Mapping[str, float]
    """Who may choose in the decision, by id, and the most that a ballot of each may weigh."""
    awaits: bool = False
    """Whether somebody is invited and expected who has not come yet."""


def electorate_of(around: Around) -> Electorate:
    """How many count as eligible: a quorum is a floor for that."""
    return electorate(len(around.voters), around.config.quorum)


def params_of(decision: RoomDecision, around: Around) -> Mapping[str, Any]:
    """All parameters that it is counted with."""
    if decision.agreement:
        return AGREEMENT
    return {**PRESETS[decision.mechanism], "quorum": electorate_of(around).quorum}


def counted_responses(decision: RoomDecision, around: Around) -> tuple[Response, ...]:
    """The responses of those who may choose now, in the order in which they came."""
    return tuple(one for one in decision.responses if one.participant_id in around.voters)


def count(decision: RoomDecision, around: Around, at: int) -> Sealed:
    """What the decision comes to if it is sealed as it stands."""
    responses = counted_responses(decision, around)
    ballots = [one.ballot for one in responses if not one.is_abstention]
    abstained, eligible, params = (
        len(responses) - len(ballots),
        electorate_of(around).eligible,
        params_of(decision, around),
    )
    if not decision.options:
        word, status, winner, tallies = _nothing_to_choose(params["quorum"], abstained, eligible)
    else:
        outcome = tally(decision.mechanism, params, decision.options, eligible, ballots, abstained, decision.id)
        word, status, winner, tallies = outcome.outcome, outcome.status, outcome.winner, dict(outcome.scores)
        if outcome.cast == 0 and winner is not None:  # rankings draw one even if all have abstained; nobody chose it
            word, status, winner = "no_pass", "rejected", None
    return Sealed(
        at=at,
        word=word,
        status=status,
        winner=winner,
        tallies=tallies,
        cast=len(ballots),
        eligible=eligible,
        params=params,
        responses=responses,
    )


def _nothing_to_choose(quorum: float, abstained: int, eligible: int) -> tuple[Word, Status, None, dict[str, float]]:
    """Without an option nothing is counted; those who have abstained have taken part all the same."""
    return "no_pass", "rejected" if is_quorum_met(quorum, abstained, eligible) else "no_quorum", None, {}


def may_end_early(decision: RoomDecision, around: Around) -> bool:
    """Whether the room ends decisions before their time, and waits for nobody who may choose in this one."""
    return around.config.early_close and not (around.awaits and decision.eligible is None)


def is_determined(decision: RoomDecision, around: Around) -> bool:
    """Whether it may end early, and no ballot that is outstanding can change its outcome."""
    responses = counted_responses(decision, around)
    if not may_end_early(decision, around) or not responses or not decision.options:
        return False
    params, eligible = params_of(decision, around), electorate_of(around).eligible
    fluid = decision.is_fluid and around.config.option_proposal_authority.kind != "none"
    lock = Lock(decision.mechanism, params, decision.options, eligible, open_slate=fluid)
    for one in responses:
        if one.is_abstention:
            lock.abstain(one.participant_id)
        else:
            lock.add(one.ballot)
    said = {one.participant_id for one in responses}
    outstanding = [weight for voter, weight in around.voters.items() if voter not in said]
    return lock.is_locked(max(outstanding, default=1.0))
