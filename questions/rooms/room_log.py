"""`LogEntry`: what a room writes down of what has happened. The log mirrors the room; it is not the truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import attrs

from .room_decision import RoomDecision

__all__ = ["EventType", "LogEntry", "Noted", "what_happened"]

EventType = Literal[
    "participant.joined",
    "participant.role_updated",
    "invite.created",
    "invite.accepted",
    "invite.revoked",
    "room.settings_updated",
    "option.proposed",
    "discussion.posted",
    "vote.cast",
    "choice.abstained",
    "decision.opened",
    "decision.voting_phase_started",
    "decision.completed",
    "room.concluded",
]


@attrs.frozen
class Noted:
    """Something that has happened, before it has a number. What people chose is in none: the room's views show that."""

    event_type: EventType
    data: Mapping[str, Any]
    by: str | None = None
    """The participant who did it; None: time did."""
    decision_id: str | None = None


@attrs.frozen(kw_only=True)
class LogEntry:
    """One line of a room's log."""

    id: str
    seq: int
    """Grows by one with each entry of the room, from 1."""
    event_type: EventType
    occurred_at: int
    """Epoch milliseconds."""
    decision_id: str | None
    by: str | None
    data: Mapping[str, Any]


def what_happened(before: RoomDecision | None, after: RoomDecision, by: str | None) -> Iterator[Noted]:
    """What has happened between two states of a decision, messages aside. `before` None: it was opened."""
    if before is None:
        yield Noted("decision.opened", _opening(after), by, after.id)
        return
    for option in after.options[len(before.options) :]:
        yield Noted("option.proposed", {"seq": after.seq, "option": option}, by, after.id)
    if before.voting_started_at is None and after.voting_started_at is not None:
        yield Noted("decision.voting_phase_started", {"seq": after.seq}, by, after.id)
    if after.responses != before.responses:
        yield _said(after, by)
    if before.sealed is None and after.sealed is not None:
        data = {"seq": after.seq, "status": after.sealed.status, "winner": after.sealed.winner}
        yield Noted("decision.completed", data, None, after.id)


def _said(decision: RoomDecision, by: str | None) -> Noted:
    last = decision.responses[-1]
    data = {"seq": decision.seq, "participant_id": last.participant_id}
    if last.is_abstention:
        return Noted("choice.abstained", {**data, "reason": last.reason}, by, decision.id)
    return Noted("vote.cast", data, by, decision.id)


def _opening(decision: RoomDecision) -> dict[str, Any]:
    """With who stands behind it, where that is not whoever opened it."""
    behind = {"authorized_by": decision.authorized_by, "source": decision.source}
    said = {name: value for name, value in behind.items() if value is not None}
    return {"seq": decision.seq, "question": decision.question, "options": list(decision.options), **said}
