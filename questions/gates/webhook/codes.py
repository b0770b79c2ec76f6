"""The code in a link: good for one person, one request and one purpose, and nobody can make one up."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac

import attrs
import msgspec

__all__ = ["LinkCode", "is_made_with", "read_code", "write_code"]

_PURPOSE = "questions.webhook-link.v1"
_LONGEST = 2_000


class _Named(msgspec.Struct, array_like=True, frozen=True):
    profile: str
    decision_id: str
    request_digest: str
    recipient: str


@attrs.frozen
class LinkCode:
    """What a code says, and what proves it. Until `is_made_with` was asked nothing of it is to be believed."""

    profile: str
    decision_id: str
    request_digest: str
    recipient: str
    proof: bytes = attrs.field(repr=False)


def write_code(key: bytes, profile: str, decision_id: str, request_digest: str, recipient: str) -> str:
    """The code, of letters, digits and `-_.`. `key`: that of the profile, 32 random bytes."""
    proof = _mac(key, profile, decision_id, request_digest, recipient)
    named = msgspec.json.encode(_Named(profile, decision_id, request_digest, recipient))
    return f"{_text(named)}.{_text(proof)}"


def read_code(text: str) -> LinkCode | None:
    """What a code says, or None: it is none. Blanks around it are no matter, since people paste it."""
    named, dot, proof = text.strip().partition(".")
    if not dot or len(text) > _LONGEST:
        return None
    try:
        found = msgspec.json.decode(_bytes(named), type=_Named)
        return LinkCode(found.profile, found.decision_id, found.request_digest, found.recipient, _bytes(proof))
    except (msgspec.DecodeError, binascii.Error, ValueError):
        return None


def is_made_with(key: bytes, code: LinkCode) -> bool:
    """Whether a code was made with this key. Takes the same time, whatever is wrong with it."""
    wanted = _mac(key, code.profile, code.decision_id, code.request_digest, code.recipient)
    return hmac.compare_digest(wanted, code.proof)


def _mac(key: bytes, *parts: str) -> bytes:
    return hmac.digest(key, "\0".join((_PURPOSE, *parts)).encode(), hashlib.sha256)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
