"""Whose choice is owed: what wakes a participant who waits for something to do."""

from __future__ import annotations

from .counting import counted_responses
from .room_decision import RoomDecision
from .room_value import GroupRoom, around

__all__ = ["owed_choices"]


def owed_choices(room: GroupRoom, participant_id: str) -> tuple[RoomDecision, ...]:
    """The decisions in which the participant may choose now and has said nothing yet, the oldest first.

    An agreement is owed once everybody else has accepted one and the same option.
    """
    return tuple(one for one in room.open_decisions if _is_owed(room, one, participant_id))


def _is_owed(room: GroupRoom, decision: RoomDecision, participant_id: str) -> bool:
    surroundings = around(room, decision)
    if decision.status != "voting" or not decision.options or participant_id not in surroundings.voters:
        return False
    responses = counted_responses(decision, surroundings)
    if any(one.participant_id == participant_id for one in responses):
        return False
    others = len(surroundings.voters) - 1
    return not decision.agreement or (len(responses) == others and len({one.choice for one in responses}) <= 1)
