"""`Asking`: a question that a room is to decide, and the decision that it opens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from .ballots import is_list
from .fields import flag_faults, optional, text_faults, whole_faults
from .refusals import InvalidInput
from .room_config import LONGEST_WINDOW
from .room_decision import Phase, RoomDecision
from .room_log import what_happened
from .room_value import Change, GroupRoom, noted
from .slate import slate_faults

__all__ = ["Asking", "open_decision"]

SHORTEST_QUESTION, LONGEST_QUESTION, LONGEST_CONTEXT, LONGEST_BEHIND = 3, 500, 100_000, 200
_AGREEING = ("simple_majority", "supermajority")


@attrs.frozen(kw_only=True)
class Asking:
    """Somebody asks. Raises `InvalidInput` with every fault that shows without the room."""

    decision_id: str
    """Of the decision that is opened; the host's own."""
    question: str
    options: Sequence[str] = ()
    context: str | None = None
    voting_window: int | None = None
    """Seconds; None: as the room has it."""
    proposal_window: int | None = None
    """Seconds in which options are gathered first; None: choosing starts at once."""
    eligible: Sequence[str] | None = None
    """Names of those who may choose, and no others."""
    eligible_participant_ids: Sequence[str] | None = None
    agreement: bool = False
    authorized_by: str | None = None
    """Who stands behind the question, if that is not who asks."""
    source: str | None = None

    def __attrs_post_init__(self) -> None:
        faults = text_faults("$.question", self.question, SHORTEST_QUESTION, LONGEST_QUESTION)
        faults += slate_faults("$.options", self.options, 500)
        faults += optional(self.context, text_faults("$.context", self.context, 0, LONGEST_CONTEXT))
        for name in ("voting_window", "proposal_window"):
            faults += optional(getattr(self, name), whole_faults(f"$.{name}", getattr(self, name), 1, LONGEST_WINDOW))
        for name in ("authorized_by", "source"):
            faults += optional(getattr(self, name), text_faults(f"$.{name}", getattr(self, name), 1, LONGEST_BEHIND))
        for name in ("eligible", "eligible_participant_ids"):
            faults += optional(getattr(self, name), _list_faults(f"$.{name}", getattr(self, name)))
        if faults := faults + flag_faults("$.agreement", self.agreement):
            raise InvalidInput(faults)


def open_decision(room: GroupRoom, asking: Asking, by: str, now: int) -> Change:
    """The room with the decision that a question opens. Raises `InvalidInput` with every fault.

    Whether `by` may ask, and whether the room takes one more, is for the caller to see.
    """
    decision = _opened(room, asking, by, now)
    room = attrs.evolve(room, decisions=(*room.decisions, decision))
    return noted(room, what_happened(None, decision, by), now)


def _opened(room: GroupRoom, asking: Asking, by: str, now: int) -> RoomDecision:
    eligible, faults = _eligible(room, asking)
    faults += _slate_faults(room, asking)
    if asking.agreement and room.config.mechanism not in _AGREEING:
        faults.append(f"$.agreement: only in a room whose mechanism is {' or '.join(_AGREEING)}")
    quorum = room.config.quorum or 1
    if eligible is not None and len(eligible) < quorum:
        faults.append(f"$.eligible: {len(eligible)} may choose, and the room's quorum is {quorum}")
    if faults:
        raise InvalidInput(faults)
    gathers = asking.proposal_window is not None
    return RoomDecision(
        id=asking.decision_id,
        seq=len(room.decisions) + 1,
        question=asking.question,
        mechanism=room.config.mechanism,
        opened_at=now,
        opened_by=by,
        voting_window=asking.voting_window or room.config.voting_window,
        options=tuple(asking.options),
        context=asking.context,
        authorized_by=asking.authorized_by,
        source=asking.source,
        agreement=asking.agreement,
        eligible=eligible,
        proposal_ends_at=now + 1000 * (asking.proposal_window or 0) if gathers else None,
        voting_started_at=None if gathers else now,
        phase=Phase.PROPOSING if gathers else Phase.VOTING,
    )


def _slate_faults(room: GroupRoom, asking: Asking) -> list[str]:
    count, most = len(asking.options), room.config.max_options
    if count > most:
        return [f"$.options: {count} are more than the {most} that the room takes"]
    if room.config.option_proposal_authority.kind == "none" and count < 2:
        return [f"$.options: nobody may propose one later, so give 2 to {most}"]
    return []


def _eligible(room: GroupRoom, asking: Asking) -> tuple[tuple[str, ...] | None, list[str]]:
    """The ids of an explicit set, and what is wrong with it. It narrows whom the room counts; it adds nobody."""
    if asking.eligible is None and asking.eligible_participant_ids is None:
        return None, []
    counted = {one.id: one.name for one in room.seats if one.role == "participant" and _chooses(room, one.id)}
    found, faults = list[str](), list[str]()
    for place, name in enumerate(asking.eligible or ()):
        ids = [id for id, other in counted.items() if other == name]
        found += ids[:1]
        if len(ids) != 1:
            why = "nobody who may choose has that name" if not ids else "several have that name; give their ids"
            faults.append(f"$.eligible[{place}]: {why}")
    for place, id in enumerate(asking.eligible_participant_ids or ()):
        found.append(id)
        if id not in counted:
            faults.append(f"$.eligible_participant_ids[{place}]: is nobody who may choose in this room")
    return tuple(dict.fromkeys(found)), faults


def _chooses(room: GroupRoom, participant_id: str) -> bool:
    return room.config.creator_votes or participant_id != room.operator


def _list_faults(path: str, names: Any) -> list[str]:
    if not is_list(names) or not names:
        return [f"{path}: must be a list with one at least"]
    return [f"{path}[{place}]: must be text" for place, one in enumerate(names) if not isinstance(one, str)]
