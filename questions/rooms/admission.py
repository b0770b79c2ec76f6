"""Who reads a room and who gets a seat in it: `admit_reader` and `join`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import attrs

from .fields import text_faults
from .invites import Invite, InviteEvent, is_for, stepped_invite
from .refusals import (
    InvalidInput,
    InvalidInvite,
    InvalidPassword,
    InviteRequired,
    JoinRequired,
    MandateNotAccepted,
    MandateRequired,
    RoomConcluded,
    RoomFull,
)
from .room_log import Noted
from .room_value import Change, GroupRoom, catch_up, noted, unsettled
from .seats import Role, Seat

__all__ = ["Joining", "Password", "admit_reader", "join"]

Password = Literal["none", "right", "wrong"]
"""What was shown of the room's password; to compare it is not for this module."""

LONGEST_NAME = 100


@attrs.frozen(kw_only=True)
class Joining:
    """Somebody joins. Raises `InvalidInput` for the name; ids and digests are the host's own."""

    participant_id: str
    """Of the seat, if it is a new one."""
    token_digest: str | None
    """Of the token that the seat gets; None for whoever comes with a mandate."""
    name: str | None = None
    """None: the label of the invite, or "participant" and the number of the seat."""
    invite_digest: str | None = None
    password: Password = "none"
    subject: str | None = None
    """Whose the seat is, if that is known."""
    proven: Mapping[str, str] = attrs.field(factory=dict)
    """What whoever joins has proven to be, by the kind of an invite's binding."""
    has_mandate: bool = False
    weight_cap: float | None = None
    """The most that a ballot may weigh, as the mandate has it."""

    def __attrs_post_init__(self) -> None:
        if self.name is not None and (faults := text_faults("$.display_name", self.name, 1, LONGEST_NAME)):
            raise InvalidInput(faults)


def admit_reader(room: GroupRoom, seat: Seat | None, password: Password = "none") -> None:
    """Let somebody read the room. Raises `InvalidPassword`, or `JoinRequired` with the little that all may know."""
    if seat is not None or room.config.visibility == "public":
        return
    if room.has_password and password == "right":
        return
    if room.has_password and password == "wrong":
        raise InvalidPassword()
    raise JoinRequired(room.slug, room.config.visibility, room.has_password)


def join(room: GroupRoom, joining: Joining, now: int) -> tuple[Change, Seat]:
    """The room with a seat for whoever joins, and that seat. Whoever has one gets it again, with the new token.

    Raises, in this order and with nothing changed: `RoomConcluded`; `MandateRequired` or `MandateNotAccepted`;
    `InvalidInvite`; `InvalidPassword`; `InviteRequired`; `RoomFull`.
    """
    if room.conclusion is not None:
        raise RoomConcluded(room.slug)
    change = catch_up(room, now)
    _check_mandate(change.room, joining)
    invite = _presented(change.room, joining)
    if seat := _own_seat(change.room, joining, invite):
        seat = seat.again(joining.token_digest, joining.weight_cap)
        return change.then(_seated_again, seat, invite, now), seat
    _admit(change.room, joining, invite)
    seat = _new_seat(change.room, joining, invite, now)
    return change.then(_seated, seat, invite, now).then(unsettled, now), seat


def _check_mandate(room: GroupRoom, joining: Joining) -> None:
    if room.config.auth == "mandate_required" and not joining.has_mandate:
        raise MandateRequired()
    if room.config.auth == "token_only" and joining.has_mandate:
        raise MandateNotAccepted()


def _presented(room: GroupRoom, joining: Joining) -> Invite | None:
    """The invite that is shown, if it still opens the room to whoever shows it."""
    if joining.invite_digest is None:
        return None
    found = next((one for one in room.invites if one.token_digest == joining.invite_digest), None)
    if found is None or not is_for(found, joining.proven):
        raise InvalidInvite()
    stepped_invite(found, InviteEvent.PRESENT)
    return found


def _own_seat(room: GroupRoom, joining: Joining, invite: Invite | None) -> Seat | None:
    """The seat that whoever joins has already: by the invite that it was taken with, or as the same subject."""
    if invite is not None and invite.participant_id is not None:
        return room.seat(invite.participant_id)
    if joining.subject is None:
        return None
    return next((one for one in room.seats if one.subject == joining.subject), None)


def _admit(room: GroupRoom, joining: Joining, invite: Invite | None) -> None:
    if room.config.visibility == "private" and invite is None:
        if room.has_password and joining.password == "wrong":
            raise InvalidPassword()
        if not (room.has_password and joining.password == "right"):
            raise InviteRequired(room.slug, room.config.visibility, room.has_password)
    most = room.config.max_participants
    if most is not None and len(room.seats) >= most:
        raise RoomFull(most)


def _new_seat(room: GroupRoom, joining: Joining, invite: Invite | None, now: int) -> Seat:
    label = invite.label if invite is not None else None
    role: Role = invite.role if invite is not None else "participant"
    return Seat(
        id=joining.participant_id,
        name=label or joining.name or f"participant {len(room.seats) + 1}",
        role=role,
        joined_at=now,
        token_digest=joining.token_digest,
        subject=joining.subject,
        weight_cap=joining.weight_cap,
        last_seen_at=now,
    )


def _seated(room: GroupRoom, seat: Seat, invite: Invite | None, now: int) -> Change:
    room = attrs.evolve(room, seats=(*room.seats, seat), invites=_accepted(room, invite, seat))
    joined = Noted("participant.joined", {"participant_id": seat.id, "role": seat.role}, seat.id)
    return noted(room, [*_accepting(invite, seat), joined], now)


def _seated_again(room: GroupRoom, seat: Seat, invite: Invite | None, now: int) -> Change:
    seats = tuple(seat if one.id == seat.id else one for one in room.seats)
    after = attrs.evolve(room, seats=seats, invites=_accepted(room, invite, seat))
    return noted(after, _accepting(invite, seat), now).then(unsettled, now)


def _accepting(invite: Invite | None, seat: Seat) -> list[Noted]:
    """What is logged of an invite that is presented for the first time."""
    if invite is None or invite.participant_id is not None:
        return []
    return [Noted("invite.accepted", {"invite_id": invite.id, "participant_id": seat.id}, seat.id)]


def _accepted(room: GroupRoom, invite: Invite | None, seat: Seat) -> tuple[Invite, ...]:
    if invite is None:
        return room.invites
    accepted = stepped_invite(invite, InviteEvent.PRESENT, participant_id=seat.id)
    return tuple(accepted if one.id == invite.id else one for one in room.invites)
