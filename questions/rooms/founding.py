"""`found`: a new room, with its operator's seat, and its first decision if it has a question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import attrs

from .fields import flag_faults, optional, text_faults
from .opening import Asking, open_decision
from .refusals import InvalidInput
from .room_config import RoomConfig, read_config
from .room_log import Noted
from .room_value import Change, GroupRoom, noted
from .seats import Seat

__all__ = ["Founding", "found", "make_slug"]

LONGEST_ABOUT, LONGEST_NAME = 100_000, 100
_SLUG = re.compile(r"[A-Za-z0-9_-]{8,32}", re.ASCII)
_LETTERS = "23456789abcdefghjkmnpqrstvwxyz"  # none that is read as another
SHORTEST_PASSWORD, LONGEST_PASSWORD = 12, 1024


@attrs.frozen(kw_only=True)
class Founding:
    """Somebody makes a room. Raises `InvalidInput` with every fault. Ids, slug, address and digest are the host's own.

    The password is looked at for its length alone, and is kept nowhere here.
    """

    room_id: str
    slug: str
    url: str
    participant_id: str
    token_digest: str | None
    asking: Asking | None = None
    """The first question; None: the room comes first."""
    about: str | None = None
    config: Mapping[str, Any] = attrs.field(factory=dict)
    password: str | None = attrs.field(default=None, repr=False)
    defer_first_decision: bool = False
    """Whether the question only says what the room is about."""
    display_name: str | None = None
    subject: str | None = None

    def __attrs_post_init__(self) -> None:
        faults = [] if _SLUG.fullmatch(self.slug) else ["$.slug: must be 8 to 32 letters, digits, - and _"]
        faults += optional(self.about, text_faults("$.about", self.about, 0, LONGEST_ABOUT))
        faults += optional(self.display_name, text_faults("$.display_name", self.display_name, 1, LONGEST_NAME))
        faults += optional(self.password, text_faults("$.password", self.password, SHORTEST_PASSWORD, LONGEST_PASSWORD))
        faults += flag_faults("$.defer_first_decision", self.defer_first_decision)
        try:
            self.read_config()
        except InvalidInput as error:
            faults += error.faults
        if faults:
            raise InvalidInput(faults)

    def read_config(self) -> RoomConfig:
        """The room's whole config. Raises `InvalidInput`."""
        return read_config(self.config, has_question=self.asking is not None, has_password=self.password is not None)


def found(founding: Founding, now: int) -> Change:
    """The room, and what is to be logged. Raises `InvalidInput` for a first question that the config does not allow.

    Whoever makes a room runs it, and asks its first question whatever its authorities say of later ones.
    """
    asking, about = founding.asking, founding.about
    if founding.defer_first_decision and asking is not None:
        about, asking = about or asking.question, None
    seat = Seat(
        id=founding.participant_id,
        name=founding.display_name or "operator",
        role="participant",
        joined_at=now,
        token_digest=founding.token_digest,
        subject=founding.subject,
        last_seen_at=now,
    )
    room = GroupRoom(
        id=founding.room_id,
        slug=founding.slug,
        url=founding.url,
        config=founding.read_config(),
        created_at=now,
        operator=seat.id,
        about=about,
        has_password=founding.password is not None,
        seats=(seat,),
    )
    joined = Noted("participant.joined", {"participant_id": seat.id, "role": seat.role}, seat.id)
    change = noted(room, [joined], now)
    return change if asking is None else change.then(open_decision, asking, seat.id, now)


def make_slug(chance: bytes) -> str:
    """A slug of 8 to 32 bytes of chance, of letters and digits that nobody mistakes for others."""
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in chance)
