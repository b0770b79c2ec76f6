"""Where a question belongs. Typed, never a bare string: a session and an owner of the same name are two scopes."""

from __future__ import annotations

import msgspec

from facets.principal import Principal

from .errors import InvalidAsk
from .visible import text_within

__all__ = ["OwnerScope", "Scope", "SessionScope", "scope_faults"]

_LONGEST = 200


class SessionScope(msgspec.Struct, frozen=True):
    """One session: an agent run, a chat, a build. `session`: 1 to 200 code points. Raises `InvalidAsk`."""

    session: str

    def __post_init__(self) -> None:
        if not text_within(self.session, _LONGEST):
            raise InvalidAsk([f"$.scope.session: text of 1 to {_LONGEST} code points, without control characters"])

    def __str__(self) -> str:
        return f"session:{self.session}"


class OwnerScope(msgspec.Struct, frozen=True):
    """What belongs to one principal whatever the session, such as their logins. Raises `InvalidAsk`."""

    owner: Principal

    def __post_init__(self) -> None:
        if not isinstance(self.owner, Principal):
            raise InvalidAsk(["$.scope.owner: a Principal, such as Principal.user('ana')"])

    def __str__(self) -> str:
        return f"owner:{self.owner}"


Scope = SessionScope | OwnerScope


def scope_faults(scope: object) -> list[str]:
    """What is wrong with a scope."""
    return [] if isinstance(scope, Scope) else ["$.scope: a SessionScope or an OwnerScope, never a bare value"]
