"""`RoomDecision`: one bounded question in a room, from its slate to its outcome, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal

import attrs

from .outcome import Status, Word
from .responses import Response

__all__ = ["Phase", "RoomDecision", "Sealed", "Settling"]


class Phase(StrEnum):
    """Where a decision stands. The last one is final."""

    PROPOSING = "proposing"
    VOTING = "voting"
    SETTLING = "settling"
    RESOLVED = "resolved"


@attrs.frozen
class Settling:
    """The outcome is determined, and stays open to revision a while. Times are epoch milliseconds."""

    seals_at: int
    presumptive: str | None
    """Who wins if nothing more is said."""
    restarts: int = 0
    """How often another winner has made it wait anew, in a row."""


@attrs.frozen(kw_only=True)
class Sealed:
    """What a decision has come to, with all that its receipt says of it. Never changes."""

    at: int
    """Epoch milliseconds."""
    word: Word
    status: Status
    winner: str | None
    tallies: Mapping[str, float]
    cast: int
    eligible: int
    params: Mapping[str, Any]
    """All parameters that it was counted with."""
    responses: tuple[Response, ...]
    """What was counted, abstentions included, in the order in which it came."""


@attrs.frozen(kw_only=True)
class RoomDecision:
    """One decision. Immutable; times are epoch milliseconds, windows seconds."""

    id: str
    """Opaque, and the seed of draws."""
    seq: int
    """Its number in the room, from 1."""
    question: str
    mechanism: str
    opened_at: int
    opened_by: str
    voting_window: int
    options: tuple[str, ...] = ()
    context: str | None = None
    authorized_by: str | None = None
    source: str | None = None
    agreement: bool = False
    eligible: tuple[str, ...] | None = None
    """Ids of those who may choose, of an explicit set; None: everybody whom the room counts."""
    proposal_ends_at: int | None = None
    """None: there is no slate phase, and options may be proposed while others choose."""
    voting_started_at: int | None = None
    phase: Phase = Phase.PROPOSING
    responses: tuple[Response, ...] = ()
    messages: Mapping[str, int] = attrs.field(factory=dict)
    """How many each participant has posted in it."""
    settling: Settling | None = None
    sealed: Sealed | None = None

    @property
    def is_fluid(self) -> bool:
        """Whether options may be proposed while choices are open."""
        return self.proposal_ends_at is None

    @property
    def is_open(self) -> bool:
        """Whether it is not resolved yet."""
        return self.sealed is None

    @property
    def voting_ends_at(self) -> int | None:
        """When the window for choosing is over; None: it has not begun."""
        return None if self.voting_started_at is None else self.voting_started_at + 1000 * self.voting_window

    @property
    def due_at(self) -> int | None:
        """When something happens to it by itself; None: never again."""
        if not self.is_open:
            return None
        if self.voting_ends_at is None:
            return self.proposal_ends_at
        return self.voting_ends_at if self.settling is None else min(self.settling.seals_at, self.voting_ends_at)

    @property
    def status(self) -> Literal["proposing", "voting", "resolved"]:
        """As the protocol names its phase: settling is voting, with a note."""
        if not self.is_open:
            return "resolved"
        return "proposing" if self.voting_started_at is None else "voting"

    @property
    def message_count(self) -> int:
        """How many messages were posted in it."""
        return sum(self.messages.values())

    def response_of(self, participant_id: str) -> Response | None:
        """What a participant has said last."""
        return next((one for one in self.responses if one.participant_id == participant_id), None)
