"""Who is at the other end of a link, what they may touch, and who says so."""

from __future__ import annotations

import re
from typing import Protocol

import attrs

from facets.errors import InvalidPrincipal
from facets.principal import Principal, PrincipalKind

__all__ = [
    "LONGEST_LIFETIME",
    "OWNER",
    "TOKEN_ID",
    "Authenticator",
    "Identity",
    "is_scope",
    "is_text",
    "parse_principal",
    "session_scope",
]

LONGEST_LIFETIME = 366 * 86_400
"""Seconds for which a token can be valid. A revocation need not be remembered for longer."""

TOKEN_ID = re.compile(r"[0-9a-f]{32}")
"""The `jti` of a token. Only hexadecimal, so that it can stand in a command line as it is."""

OWNER = "owner"
"""The scope for what belongs to no session."""

_SESSION = "session:"


@attrs.frozen
class Identity:
    """An authenticated principal at the other end of a link, and the places that its token is good for.

    Immutable, and holds nothing secret: it may be logged.
    """

    principal: Principal
    name: str | None
    """The name to show, 1 to 200 code points, or None: what the host calls this principal."""
    scopes: frozenset[str]
    """Empty: wherever the principal may be. Else only these: `session:s1`, or `owner` for what is in no session."""
    token_id: str
    """By which the token can be revoked. It is no secret."""
    issued: float
    """Epoch seconds."""
    expires: float
    """Epoch seconds; at this instant it is no longer valid."""
    key_id: str | None = None
    """The key that has signed the token: once that is retired, so is the identity. None: by no key of a ring."""

    def covers(self, place: str | None) -> bool:
        """Whether the token is good for a place: a session's id, or None for what belongs to no session.

        A token with scopes covers what they name and nothing else. One without covers everything, save that a worker
        is never good for more than the session that it is named after. What the principal may do there is another
        question, which the host answers.
        """
        if self.principal.kind == "worker" and place != self.principal.id:
            return False
        return not self.scopes or (OWNER if place is None else session_scope(place)) in self.scopes


class Authenticator(Protocol):
    """Who says whose a token is. A link server asks it at every connection, and again while the connection is open."""

    def authenticate(self, token: str, now: float) -> Identity | None:
        """The identity that `token` proves at `now` (epoch seconds), or None, whatever is wrong with it.

        Never raises. Why it was refused is logged by `facets.link`, without the token, and not told to the peer.
        """
        ...

    def still_valid(self, identity: Identity, now: float) -> bool:
        """Whether an identity that was authenticated earlier would be so again: not expired, not revoked."""
        ...


def parse_principal(text: str) -> Principal:
    """The principal that `str(principal)` has written, such as `user:ana`. Raises `InvalidPrincipal`."""
    kind, colon, id = text.partition(":")
    if not colon:  # not quoted: somebody may have put a token in the wrong place
        raise InvalidPrincipal(["$: a kind and an id with a colon between them, such as user:ana"])
    known: PrincipalKind = kind  # type: ignore[assignment]  # Principal itself refuses what is none
    return Principal(known, id)


def session_scope(place: str) -> str:
    """The scope for one session."""
    return _SESSION + place


def is_scope(text: object) -> bool:
    """Whether this is a scope that a token can have. A session is named as its worker is."""
    if not isinstance(text, str):
        return False
    return text == OWNER or (text.startswith(_SESSION) and is_text(text.removeprefix(_SESSION)))


def is_text(text: object) -> bool:
    """Whether this can be shown as a name or an id: 1 to 200 code points, no control and no bidirectional ones."""
    try:
        return isinstance(text, str) and bool(Principal.user(text))
    except InvalidPrincipal:
        return False
