"""Discussion: what is said in a decision, or in the room at large, and how much of it."""

from __future__ import annotations

from typing import Literal

import attrs

from .fields import one_of_faults, optional, text_faults
from .refusals import AuthorityDenied, InvalidInput, TooManyMessages
from .room_decision import RoomDecision
from .room_log import Noted
from .room_steps import Post
from .room_value import Change, GroupRoom, noted, stepped
from .seats import Seat

__all__ = ["DAY", "Discussing", "discussed"]

DAY = 24 * 60 * 60 * 1000
"""Milliseconds: how long what is said in the room at large counts for its limits."""

LONGEST_BODY = 100_000
_STANCES = ("agree", "disagree", "clarify", "extend")


@attrs.frozen(kw_only=True)
class Discussing:
    """Somebody says something. Raises `InvalidInput` with every fault."""

    message_id: str
    """The host's own."""
    body: str
    stance: Literal["agree", "disagree", "clarify", "extend"] | None = None
    """As given, never guessed from the text."""
    decision: int | None = None
    """None: the oldest decision that is open, and if there is none the room at large."""

    def __attrs_post_init__(self) -> None:
        faults = text_faults("$.body", self.body, 1, LONGEST_BODY)
        if faults := faults + optional(self.stance, one_of_faults("$.stance", self.stance, _STANCES)):
            raise InvalidInput(faults)


def discussed(room: GroupRoom, seat: Seat, discussing: Discussing, now: int) -> Change:
    """The room with one message more, and its entry in the log; the message itself is kept beside the room.

    Raises `AuthorityDenied` where discussion is disabled, `TooManyMessages`, `DecisionNotFound`, `DecisionNotOpen`.
    """
    if room.config.deliberation_mode == "disabled":
        raise AuthorityDenied("there is no discussion in this room")
    decision = _about(room, discussing)
    change = _speak(room, seat.id, now) if decision is None else stepped(room, decision, Post(seat.id), now, seat.id)
    data = {
        "message_id": discussing.message_id,
        "participant_id": seat.id,
        "stance": discussing.stance,
        "seq": None if decision is None else decision.seq,
    }
    entry = Noted("discussion.posted", data, seat.id, None if decision is None else decision.id)
    return change.then(noted, [entry], now)


def _about(room: GroupRoom, discussing: Discussing) -> RoomDecision | None:
    if discussing.decision is None and not room.open_decisions:
        return None
    return room.decision(discussing.decision)


def _speak(room: GroupRoom, participant_id: str, now: int) -> Change:
    """Said in the room at large, where the last day counts."""
    lately, config = [one for one in room.speech if now - one[1] < DAY], room.config
    mine = sum(1 for who, _ in lately if who == participant_id)
    if mine >= config.max_deliberation_messages_per_participant:
        raise TooManyMessages(config.max_deliberation_messages_per_participant, "of a participant in a day")
    if len(lately) >= config.max_total_deliberation_messages:
        raise TooManyMessages(config.max_total_deliberation_messages, "in a day")
    return Change(attrs.evolve(room, speech=(*lately, (participant_id, now))))
