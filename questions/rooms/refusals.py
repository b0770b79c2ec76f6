"""What a room refuses, by the protocol's own codes, and with which status HTTP says so. A refused act changes nothing.

QuestionError
└── RoomError                       `code` as the protocol has it, `status` of HTTP, `details` for programs
    ├── InvalidInput (Invalid)      input.invalid, 400: `faults` lists all
    ├── SeatTokenRequired           auth.required, 401
    ├── InvalidSeatToken            auth.invalid_token, 401
    ├── SeatTokenSuperseded         participant.token_superseded, 401
    ├── InvalidPassword             auth.invalid_password, 401
    ├── MandateRequired             auth.mandate_required, 401
    ├── MandateNotAccepted          auth.mandate_not_accepted, 401
    ├── JoinRequired                room.join_required, 403
    ├── InviteRequired              room.invite_required, 403
    ├── InvalidInvite               invite.invalid, 403
    ├── RoomFull                    room.at_capacity, 409
    ├── RoomConcluded               room.concluded, 400
    ├── DecisionNotFound            decision.not_found, 404
    ├── DecisionNotOpen             decision.not_open, 400
    ├── DecisionProposing           decision.proposing, 400
    ├── DecisionAlreadyOpen         decision.already_open, 409
    ├── InvalidOption               choice.invalid_option, 400
    ├── NotEligible                 choice.not_eligible, 403
    ├── AuthorityDenied             authority.denied, 403
    └── TooManyMessages             rate_limit.exceeded, 429
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from questions.errors import Invalid, QuestionError

__all__ = [
    "AuthorityDenied",
    "DecisionAlreadyOpen",
    "DecisionNotFound",
    "DecisionNotOpen",
    "DecisionProposing",
    "InvalidInput",
    "InvalidInvite",
    "InvalidOption",
    "InvalidPassword",
    "InvalidSeatToken",
    "InviteRequired",
    "JoinRequired",
    "MandateNotAccepted",
    "MandateRequired",
    "NotEligible",
    "RoomConcluded",
    "RoomError",
    "RoomFull",
    "SeatTokenRequired",
    "SeatTokenSuperseded",
    "TooManyMessages",
]


class RoomError(QuestionError):
    """The root of what a room refuses. `code` and `status` belong to the class, whatever its attributes are."""

    status: ClassVar[int] = 400

    def __init_subclass__(cls, *, code: str = "", status: int = 400, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.code = code or cls.code
        cls.status = status

    @property
    def details(self) -> Mapping[str, Any]:
        """What a program may want to know besides; terms of JSON."""
        return {}


class InvalidInput(RoomError, Invalid, code="input.invalid", status=400):
    """What was sent cannot be: each fault with its path. Correct it and send it again."""


class SeatTokenRequired(RoomError, code="auth.required", status=401):
    """Nothing says whose seat this is about."""

    def __str__(self) -> str:
        return "this takes a seat in the room; join it and show the token of the seat"


class InvalidSeatToken(RoomError, code="auth.invalid_token", status=401):
    """The token is of no seat in this room."""

    def __str__(self) -> str:
        return "the token is of no seat in this room; join it, or show the token that joining gave you"


class SeatTokenSuperseded(RoomError, code="participant.token_superseded", status=401):
    """The token was of a seat here, and its holder has got another one since."""

    def __str__(self) -> str:
        return "the seat has a newer token; use that one, or present its invite again for another"


class InvalidPassword(RoomError, code="auth.invalid_password", status=401):
    """The password is not that of the room."""

    def __str__(self) -> str:
        return "the password is not that of the room; ask whoever runs it"


class MandateRequired(RoomError, code="auth.mandate_required", status=401):
    """Seats in this room are taken with a mandate only."""

    def __str__(self) -> str:
        return "this room takes participants with a mandate; send one"


class MandateNotAccepted(RoomError, code="auth.mandate_not_accepted", status=401):
    """Seats in this room are taken with a token only."""

    def __str__(self) -> str:
        return "this room takes no mandates; join it without one, and use the token of the seat"


@attrs.define(eq=False, slots=False, str=False)
class JoinRequired(RoomError, code="room.join_required", status=403):
    """A room that only its participants read. It says nothing else of itself."""

    slug: str
    visibility: str
    password_supported: bool

    @property
    def details(self) -> Mapping[str, Any]:
        """The little that everybody may know of the room."""
        return {
            "slug": self.slug,
            "visibility": self.visibility,
            "join_required": True,
            "password_supported": self.password_supported,
        }

    def __str__(self) -> str:
        return f"room {self.slug!r} is {self.visibility}; join it first"


class InviteRequired(JoinRequired, code="room.invite_required", status=403):
    """A private room, and neither an invite nor its password."""

    def __str__(self) -> str:
        also = ", or its password" if self.password_supported else ""
        return f"room {self.slug!r} is private; joining takes an invite{also}"


class InvalidInvite(RoomError, code="invite.invalid", status=403):
    """The invite is none of this room, has expired or was revoked, or is bound to somebody else."""

    def __str__(self) -> str:
        return "the invite does not open this room, or not for you, or not any more; ask for another"


@attrs.define(eq=False, slots=False, str=False)
class RoomFull(RoomError, code="room.at_capacity", status=409):
    """As many have joined as the room takes."""

    max_participants: int

    @property
    def details(self) -> Mapping[str, Any]:
        """How many seats there are."""
        return {"max_participants": self.max_participants}

    def __str__(self) -> str:
        return f"all {self.max_participants} seats are taken; whoever runs the room can add some"


@attrs.define(eq=False, slots=False, str=False)
class RoomConcluded(RoomError, code="room.concluded", status=400):
    """The room was closed for good; it can be read."""

    slug: str

    def __str__(self) -> str:
        return f"room {self.slug!r} is concluded; nothing in it changes any more"


@attrs.define(eq=False, slots=False, str=False)
class DecisionNotFound(RoomError, code="decision.not_found", status=404):
    """There is no decision of that number."""

    seq: int

    def __str__(self) -> str:
        return f"the room has no decision {self.seq}"


@attrs.define(eq=False, slots=False, str=False)
class DecisionNotOpen(RoomError, code="decision.not_open", status=400):
    """It is not, or no longer, open for that. `seq`: None if no decision is open at all."""

    seq: int | None
    why: str

    def __str__(self) -> str:
        return self.why if self.seq is None else f"decision {self.seq}: {self.why}"


@attrs.define(eq=False, slots=False, str=False)
class DecisionProposing(RoomError, code="decision.proposing", status=400):
    """Options are still being proposed; choosing has not begun."""

    seq: int

    def __str__(self) -> str:
        return f"decision {self.seq} still gathers options; choose once choosing has started"


@attrs.define(eq=False, slots=False, str=False)
class DecisionAlreadyOpen(RoomError, code="decision.already_open", status=409):
    """As many decisions are open as the room takes at once: those numbered `seqs`."""

    seqs: tuple[int, ...]

    @property
    def details(self) -> Mapping[str, Any]:
        """Which ones."""
        return {"decisions": list(self.seqs)}

    def __str__(self) -> str:
        return f"already open: {', '.join(map(str, self.seqs))}; ask again once one is resolved"


@attrs.define(eq=False, slots=False, str=False)
class InvalidOption(RoomError, code="choice.invalid_option", status=400):
    """A choice names what is not on the slate. Each fault has its path; none quotes what was sent."""

    faults: tuple[str, ...]

    def __str__(self) -> str:
        return "; ".join(self.faults)


@attrs.define(eq=False, slots=False, str=False)
class NotEligible(RoomError, code="choice.not_eligible", status=403):
    """A participant who may read and discuss the decision, and not choose in it."""

    seq: int

    def __str__(self) -> str:
        return f"you are not among those who choose in decision {self.seq}; you may discuss it"


@attrs.define(eq=False, slots=False, str=False)
class AuthorityDenied(RoomError, code="authority.denied", status=403):
    """The room gives this to others, or to nobody. `why` says to whom."""

    why: str

    def __str__(self) -> str:
        return self.why


@attrs.define(eq=False, slots=False, str=False)
class TooManyMessages(RoomError, code="rate_limit.exceeded", status=429):
    """The message would be one more than the room takes: `limit` of one participant, or of all."""

    limit: int
    of: str

    @property
    def details(self) -> Mapping[str, Any]:
        """The limit, and whose it is."""
        return {"limit": self.limit, "of": self.of}

    def __str__(self) -> str:
        return f"no more than {self.limit} messages {self.of}; say it in fewer"
