"""What participants do in a room: a table of acts, and `act`, which does one. Each act is a value that was checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from .ballots import is_number
from .discussion import Discussing, discussed
from .fields import one_of_faults, optional, text_faults
from .invites import Invite, InviteEvent, Inviting, stepped_invite
from .opening import Asking, open_decision
from .refusals import (
    AuthorityDenied,
    DecisionAlreadyOpen,
    DecisionNotOpen,
    InvalidInput,
    InvalidInvite,
    RoomConcluded,
)
from .responses import Response
from .room_authority import RoomAuthority
from .room_config import changed_config
from .room_log import Noted
from .room_steps import CloseSlate, Offer, Respond
from .room_value import Change, Conclusion, GroupRoom, catch_up, noted, stepped, unsettled
from .seats import ROLES, Role, Seat
from .slate import LONGEST_OPTION

__all__ = [
    "ACTS",
    "Abstaining",
    "ChangingRole",
    "ChangingSettings",
    "Choosing",
    "Closing",
    "Issuing",
    "Proposing",
    "Revoking",
    "RoomAct",
    "StartingToChoose",
    "act",
]

LONGEST_RATIONALE, LONGEST_REASON, LONGEST_STATEMENT = 2000, 500, 100_000


def _refuse(faults: list[str]) -> None:
    if faults:
        raise InvalidInput(faults)


@attrs.frozen(kw_only=True)
class Proposing:
    """Somebody proposes an option. Raises `InvalidInput`."""

    option: str
    decision: int | None = None

    def __attrs_post_init__(self) -> None:
        _refuse(text_faults("$.option", self.option, 1, LONGEST_OPTION))


@attrs.frozen(kw_only=True)
class StartingToChoose:
    """Somebody ends the gathering of options."""

    decision: int | None = None


@attrs.frozen(kw_only=True)
class Choosing:
    """Somebody chooses, or chooses anew. Raises `InvalidInput` with every fault that shows without the decision."""

    choice: Any
    rationale: str | None = None
    weight: float = 1
    mandate_ref: str | None = None
    decision: int | None = None

    def __attrs_post_init__(self) -> None:
        faults = optional(self.rationale, text_faults("$.rationale", self.rationale, 0, LONGEST_RATIONALE))
        if not is_number(self.weight) or self.weight <= 0:
            faults.append("$.weight: must be a number above 0")
        _refuse(faults)


@attrs.frozen(kw_only=True)
class Abstaining:
    """Somebody formally abstains, and says why. Raises `InvalidInput`."""

    reason: str
    decision: int | None = None

    def __attrs_post_init__(self) -> None:
        _refuse(text_faults("$.reason", self.reason, 1, LONGEST_REASON))


@attrs.frozen(kw_only=True)
class Closing:
    """Somebody closes the room for good. Raises `InvalidInput`."""

    statement: str | None = None

    def __attrs_post_init__(self) -> None:
        _refuse(optional(self.statement, text_faults("$.statement", self.statement, 0, LONGEST_STATEMENT)))


@attrs.frozen(kw_only=True)
class Issuing:
    """An invite is made. `id` and `token_digest` are the host's own."""

    id: str
    token_digest: str
    inviting: Inviting


@attrs.frozen(kw_only=True)
class Revoking:
    """An invite opens nothing any more. Nobody is ejected."""

    invite_id: str


@attrs.frozen(kw_only=True)
class ChangingRole:
    """A participant becomes an observer, or one again. Raises `InvalidInput`."""

    participant_id: str
    role: Role

    def __attrs_post_init__(self) -> None:
        _refuse(one_of_faults("$.role", self.role, ROLES))


@attrs.frozen(kw_only=True)
class ChangingSettings:
    """Settings are changed; what they may be is in `KEYS`."""

    settings: Mapping[str, Any]


RoomAct = (
    Asking
    | Proposing
    | StartingToChoose
    | Choosing
    | Abstaining
    | Discussing
    | Closing
    | Issuing
    | Revoking
    | ChangingRole
    | ChangingSettings
)


def act(room: GroupRoom, by: str, doing: RoomAct, now: int) -> Change:
    """The room after the participant `by` has done this, and what is to be logged. `now`: epoch milliseconds.

    What is due is applied first and is part of the change. Raises the `RoomError` that says why not, with nothing
    changed: `catch_up` is a change of its own for whoever wants to keep what was due.
    """
    seat = room.seat(by)
    if room.conclusion is not None:
        raise RoomConcluded(room.slug)
    if seat.role == "observer":
        raise AuthorityDenied("observers read and watch, and change nothing")
    return catch_up(room, now).then(ACTS[type(doing)], seat, doing, now)


def _allow(room: GroupRoom, seat: Seat, authority: RoomAuthority, what: str) -> None:
    if not authority.allows(seat.id, is_operator=seat.id == room.operator):
        raise AuthorityDenied(f"{what} is given {authority.whom} in this room")


def _operate(room: GroupRoom, seat: Seat, what: str) -> None:
    if seat.id != room.operator:
        raise AuthorityDenied(f"{what} is for the operator of the room")


# --- decisions ------------------------------------------------------------------------------------------------------


def _ask(room: GroupRoom, seat: Seat, asking: Asking, now: int) -> Change:
    _allow(room, seat, room.config.decision_opening_authority, "to ask")
    if len(room.open_decisions) >= room.config.max_open_decisions:
        raise DecisionAlreadyOpen(tuple(one.seq for one in room.open_decisions))
    return open_decision(room, asking, seat.id, now)


def _propose(room: GroupRoom, seat: Seat, proposing: Proposing, now: int) -> Change:
    _allow(room, seat, room.config.option_proposal_authority, "to propose options")
    return stepped(room, room.decision(proposing.decision), Offer(proposing.option), now, seat.id)


def _start(room: GroupRoom, seat: Seat, starting: StartingToChoose, now: int) -> Change:
    _allow(room, seat, room.config.decision_opening_authority, "to start choosing")
    return stepped(room, room.decision(starting.decision), CloseSlate(), now, seat.id)


def _choose(room: GroupRoom, seat: Seat, choosing: Choosing, now: int) -> Change:
    if choosing.weight != 1 and (seat.weight_cap is None or choosing.weight > seat.weight_cap):
        raise InvalidInput(["$.weight: must be 1, or at most what a mandate allows"])
    response = Response(
        participant_id=seat.id,
        at=now,
        choice=choosing.choice,
        rationale=choosing.rationale,
        weight=float(choosing.weight),
        mandate_ref=choosing.mandate_ref,
    )
    return _responded(room, seat, response, choosing.decision)


def _abstain(room: GroupRoom, seat: Seat, abstaining: Abstaining, now: int) -> Change:
    response = Response(participant_id=seat.id, at=now, reason=abstaining.reason)
    return _responded(room, seat, response, abstaining.decision)


def _responded(room: GroupRoom, seat: Seat, response: Response, seq: int | None) -> Change:
    decision, now = room.decision(seq), response.at
    change = stepped(room, decision, Respond(response), now, seat.id)
    return Change(_with_seat(change.room, attrs.evolve(seat, voted_at=now, last_seen_at=now)), change.log)


def _discuss(room: GroupRoom, seat: Seat, discussing: Discussing, now: int) -> Change:
    change = discussed(room, seat, discussing, now)
    return Change(_with_seat(change.room, attrs.evolve(seat, deliberated_at=now, last_seen_at=now)), change.log)


# --- the room itself ------------------------------------------------------------------------------------------------


def _close(room: GroupRoom, seat: Seat, closing: Closing, now: int) -> Change:
    _allow(room, seat, room.config.conclusion_authority, "to close the room")
    if room.open_decisions:
        raise DecisionNotOpen(room.open_decisions[0].seq, "is not resolved yet; the room cannot be closed before")
    room = attrs.evolve(room, conclusion=Conclusion(now, seat.id, closing.statement))
    return noted(room, [Noted("room.concluded", {"statement": closing.statement}, seat.id)], now)


def _issue(room: GroupRoom, seat: Seat, issuing: Issuing, now: int) -> Change:
    _allow(room, seat, room.config.invite_authority, "to invite")
    inviting = issuing.inviting
    if inviting.expires_at is not None and inviting.expires_at <= now:
        raise InvalidInput(["$.expires_at: must lie ahead"])
    invite = Invite(
        id=issuing.id,
        token_digest=issuing.token_digest,
        label=inviting.label,
        role=inviting.role,
        expected=inviting.expected,
        created_at=now,
        created_by=seat.id,
        expires_at=inviting.expires_at,
        binding=inviting.bound_to,
    )
    data = {"invite_id": invite.id, "label": invite.label, "role": invite.role, "expected": invite.expected}
    room = attrs.evolve(room, invites=(*room.invites, invite))
    return noted(room, [Noted("invite.created", data, seat.id)], now).then(unsettled, now)


def _revoke(room: GroupRoom, seat: Seat, revoking: Revoking, now: int) -> Change:
    _allow(room, seat, room.config.invite_authority, "to revoke invites")
    found = next((one for one in room.invites if one.id == revoking.invite_id), None)
    if found is None:
        raise InvalidInvite()
    revoked = stepped_invite(found, InviteEvent.REVOKE)
    if revoked == found:
        return Change(room)
    room = attrs.evolve(room, invites=tuple(revoked if one.id == found.id else one for one in room.invites))
    change = noted(room, [Noted("invite.revoked", {"invite_id": found.id}, seat.id)], now)
    return change.then(unsettled, now)


def _change_role(room: GroupRoom, seat: Seat, changing: ChangingRole, now: int) -> Change:
    _operate(room, seat, "to change roles")
    if changing.participant_id == seat.id:
        raise AuthorityDenied("nobody changes their own role")
    other = room.seat(changing.participant_id)
    if other.role == changing.role:
        return Change(room)
    room = _with_seat(room, attrs.evolve(other, role=changing.role))
    data = {"participant_id": other.id, "role": changing.role}
    return noted(room, [Noted("participant.role_updated", data, seat.id)], now).then(unsettled, now)


def _change_settings(room: GroupRoom, seat: Seat, changing: ChangingSettings, now: int) -> Change:
    _operate(room, seat, "to change settings")
    config = changed_config(room.config, changing.settings)
    if config == room.config:
        return Change(room)
    room = attrs.evolve(room, config=config)
    data = {"settings": {name: config.as_json()[name] for name in changing.settings}}
    change = noted(room, [Noted("room.settings_updated", data, seat.id)], now)
    return change.then(unsettled, now)


def _with_seat(room: GroupRoom, seat: Seat) -> GroupRoom:
    return attrs.evolve(room, seats=tuple(seat if one.id == seat.id else one for one in room.seats))


ACTS: Mapping[type[RoomAct], Callable[[GroupRoom, Seat, Any, int], Change]] = {
    Asking: _ask,
    Proposing: _propose,
    StartingToChoose: _start,
    Choosing: _choose,
    Abstaining: _abstain,
    Discussing: _discuss,
    Closing: _close,
    Issuing: _issue,
    Revoking: _revoke,
    ChangingRole: _change_role,
    ChangingSettings: _change_settings,
}
