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
    weight_cap: float = 1.0
    """The most that a ballot of it may weigh."""
    last_seen_at: int | None = None
    deliberated_at: int | None = None
    voted_at: int | None = None

    def with_token(self, digest: str | None) -> Seat:
        """With another token; the one before answers as superseded from now on."""
        if digest is None or digest == self.token_digest:
            return self
        before = () if self.token_digest is None else (self.token_digest,)
        return attrs.evolve(self, token_digest=digest, superseded=(*self.superseded, *before)[-_MOST_SUPERSEDED:])

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
