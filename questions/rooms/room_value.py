"""`GroupRoom`: a room as one value: its config, seats, invites and decisions; and `catch_up`, which applies time to it.

A store swaps one such value for the next. Messages and receipts lie beside it: of messages it keeps how many there
are, of receipts in which order decisions were sealed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Concatenate, Literal, ParamSpec

import attrs

from .counting import Around
from .invites import Invite, InviteEvent, stepped_invite
from .refusals import DecisionNotFound, DecisionNotOpen, InvalidSeatToken, SeatTokenSuperseded
from .room_config import RoomConfig
from .room_decision import RoomDecision
from .room_log import LogEntry, Noted, what_happened
from .room_steps import Due, Event, Recheck, step
from .seats import Seat

__all__ = ["Change", "Conclusion", "GroupRoom", "around", "catch_up", "noted", "stepped", "unsettled"]

Args = ParamSpec("Args")


@attrs.frozen
class Conclusion:
    """How a room was closed. `at`: epoch milliseconds."""

    at: int
    by: str
    statement: str | None = None


@attrs.frozen(kw_only=True)
class GroupRoom:
    """A room. Immutable; times are epoch milliseconds."""

    id: str
    slug: str
    url: str
    """Absolute; what receipts name the room by."""
    config: RoomConfig
    created_at: int
    operator: str
    """The id of the participant who has made the room, and runs it."""
    about: str | None = None
    has_password: bool = False
    seats: tuple[Seat, ...] = ()
    invites: tuple[Invite, ...] = ()
    decisions: tuple[RoomDecision, ...] = ()
    """In the order of their numbers, which go from 1 without a gap."""
    seal_order: tuple[int, ...] = ()
    """The numbers of the decisions that are resolved, as their receipts are chained."""
    speech: tuple[tuple[str, int], ...] = ()
    """Who has said something in the room at large, and when; the last day."""
    last_event: int = 0
    """The number of the last entry in the log."""
    conclusion: Conclusion | None = None

    @property
    def open_decisions(self) -> tuple[RoomDecision, ...]:
        """Those that are not resolved, the oldest first."""
        return tuple(one for one in self.decisions if one.is_open)

    @property
    def status(self) -> Literal["open", "proposing", "voting", "resolved", "concluded"]:
        """That of the oldest decision that is open, and without one whether there has been any."""
        if self.conclusion is not None:
            return "concluded"
        active = next(iter(self.open_decisions), None)
        if active is None:
            return "resolved" if self.decisions else "open"
        return "proposing" if active.status == "proposing" else "voting"

    def seat(self, participant_id: str) -> Seat:
        """The seat of a participant. Raises `InvalidSeatToken`."""
        found = next((one for one in self.seats if one.id == participant_id), None)
        if found is None:
            raise InvalidSeatToken()
        return found

    def seat_by_token(self, digest: str) -> Seat:
        """The seat of a token, by its digest. Raises `InvalidSeatToken` and `SeatTokenSuperseded`."""
        for one in self.seats:
            if one.token_digest == digest:
                return one
        if any(digest in one.superseded for one in self.seats):
            raise SeatTokenSuperseded()
        raise InvalidSeatToken()

    def decision(self, seq: int | None = None) -> RoomDecision:
        """A decision by its number; without one the oldest that is open.

        Raises `DecisionNotFound`, and `DecisionNotOpen` if none is open.
        """
        if seq is None:
            if not self.open_decisions:
                raise DecisionNotOpen(None, "no decision is open; ask first")
            return self.open_decisions[0]
        if not 1 <= seq <= len(self.decisions):
            raise DecisionNotFound(seq)
        return self.decisions[seq - 1]


@attrs.frozen
class Change:
    """A room after something has happened to it, and what is to be logged of it, in order."""

    room: GroupRoom
    log: tuple[LogEntry, ...] = ()

    def then(
        self, follow: Callable[Concatenate[GroupRoom, Args], Change], *args: Args.args, **named: Args.kwargs
    ) -> Change:
        """This, and what follows from it: `follow(room, *args)`."""
        after = follow(self.room, *args, **named)
        return Change(after.room, (*self.log, *after.log))


def around(room: GroupRoom, decision: RoomDecision) -> Around:
    """What the decision depends on: who may choose in it, and whether somebody is expected."""
    creator = None if room.config.creator_votes else room.operator
    voters = {
        one.id: one.weight_cap or 1.0
        for one in room.seats
        if one.role == "participant"
        and one.id != creator
        and (decision.eligible is None or one.id in decision.eligible)
    }
    return Around(room.config, voters, any(invite.is_awaited for invite in room.invites))


def noted(room: GroupRoom, happened: Iterable[Noted], at: int) -> Change:
    """The room with entries in its log, which are numbered on."""
    log = tuple(
        LogEntry(
            id=f"{room.id}.{seq}",
            seq=seq,
            event_type=one.event_type,
            occurred_at=at,
            decision_id=one.decision_id,
            by=one.by,
            data=one.data,
        )
        for seq, one in enumerate(happened, room.last_event + 1)
    )
    return Change(attrs.evolve(room, last_event=room.last_event + len(log)) if log else room, log)


def stepped(room: GroupRoom, decision: RoomDecision, event: Event, at: int, by: str | None = None) -> Change:
    """The room after an event of a decision. Raises as `step`."""
    after = step(decision, event, around(room, decision), at)
    if after is decision:
        return Change(room)
    decisions = tuple(after if one.seq == after.seq else one for one in room.decisions)
    order = room.seal_order if after.is_open else (*room.seal_order, after.seq)
    room = attrs.evolve(room, decisions=decisions, seal_order=order)
    return noted(room, what_happened(decision, after, by), at)


def unsettled(room: GroupRoom, at: int) -> Change:
    """The room after somebody has come, gone or changed a setting: what that determines is determined now."""
    change = Change(room)
    for decision in room.open_decisions:
        change = change.then(stepped, decision, Recheck(), at)
    return change


def catch_up(room: GroupRoom, now: int) -> Change:
    """The room as it stands at `now`; the very same object if nothing is due.

    Each thing happens at its own instant, in order, so that a late reader finds what a punctual one would have found.
    All of it is one change to be written.
    """
    change = Change(room)
    while (at := min(_instants(change.room), default=now + 1)) <= now:
        change = change.then(_at, at)
    return change


def _instants(room: GroupRoom) -> Iterator[int]:
    """When something is to happen by itself. A room that is concluded stays as it is."""
    if room.conclusion is None:
        yield from (one.due_at for one in room.open_decisions if one.due_at is not None)
        yield from (one.due_at for one in room.invites if one.due_at is not None)


def _at(room: GroupRoom, at: int) -> Change:
    """What is due at this instant: decisions by their numbers, then invites, then what follows from both."""
    change = Change(room)
    for decision in room.open_decisions:
        if decision.due_at is not None and decision.due_at <= at:
            change = change.then(stepped, decision, Due(), at)
    return change.then(_without_expired, at).then(unsettled, at)


def _without_expired(room: GroupRoom, at: int) -> Change:
    invites = tuple(
        stepped_invite(one, InviteEvent.DUE) if one.due_at is not None and one.due_at <= at else one
        for one in room.invites
    )
    return Change(room if invites == room.invites else attrs.evolve(room, invites=invites))
