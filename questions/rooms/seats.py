"""`Seat`: a participant of a room, with its role and what is kept of its coming and going."""

from __future__ import annotations

from typing import Any, Literal

import attrs

__all__ = ["ROLES", "Role", "Seat"]

Role = Literal["participant", "observer"]
ROLES = ("participant", "observer")

_MOST_SUPERSEDED = 16


@attrs.frozen(kw_only=True)
class Seat:
    """One participant. Lives as long as its room: nobody is ejected. Times are epoch milliseconds."""

    id: str
    name: str
    role: Role
    """Observers read and watch, and are counted in no electorate."""
    joined_at: int
    token_digest: str | None = None
    """SHA-256 of the token, which nobody keeps; None of a seat that is held with a mandate."""
    superseded: tuple[str, ...] = ()
    """Digests of the tokens that it had before, the last few."""
    subject: str | None = None
    """Whose it is, if that is known: the subject of a mandate, or a signed-in user. One seat each."""
    weight_cap: float | None = None
    """The most that a ballot of it may weigh, as a mandate has it; None: every ballot of it weighs 1."""
    last_seen_at: int | None = None
    deliberated_at: int | None = None
    voted_at: int | None = None

    def again(self, digest: str | None, weight_cap: float | None) -> Seat:
        """As it is given to its holder again. The token before, if there is a new one, answers as superseded."""
        seat = self if weight_cap is None else attrs.evolve(self, weight_cap=weight_cap)
        if digest is None or digest == self.token_digest:
            return seat
        before = () if self.token_digest is None else (self.token_digest,)
        return attrs.evolve(seat, token_digest=digest, superseded=(*self.superseded, *before)[-_MOST_SUPERSEDED:])

    def seen(self, now: int) -> Seat:
        """As somebody has just looked through it. Time never goes back here."""
        return attrs.evolve(self, last_seen_at=max(now, self.last_seen_at or now))

    def as_json(self, *, shows_reading: bool) -> dict[str, Any]:
        """As the roster shows it. `shows_reading`: whether it says when the participant was last seen."""
        seen = {"last_seen_at": self.last_seen_at} if shows_reading else {}
        return {
            "participant_id": self.id,
            "display_name": self.name,
            "role": self.role,
            "joined_at": self.joined_at,
            **seen,
            "deliberated_at": self.deliberated_at,
            "voted_at": self.voted_at,
        }
