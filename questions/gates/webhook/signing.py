"""How a notice is signed, as Standard Webhooks has it: HMAC-SHA256 over its id, its time and its body.

Documented in `docs/webhooks.md`, with a program that checks it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping, Sequence

__all__ = ["PREFIX", "TOLERANCE", "is_genuine", "key_of", "signed_headers"]

PREFIX = "whsec_"
"""How a secret begins, so that it is known for one wherever it is found."""
TOLERANCE = 300
"""Seconds by which the time of a notice may differ from the receiver's; outside, it may be an old one sent again."""
_SHORTEST, _LONGEST = 24, 64  # bytes
_VERSION = "v1"


def key_of(secret: str) -> bytes | None:
    """The key in a secret, `whsec_` and 24 to 64 bytes in base64; None: it is none."""
    if not secret.startswith(PREFIX):
        return None
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        return None
    return key if _SHORTEST <= len(key) <= _LONGEST else None


def signed_headers(key: bytes, id: str, seconds: int, body: bytes) -> dict[str, str]:
    """The headers of a notice. `seconds`: since the epoch, when it is sent."""
    signature = base64.b64encode(_mac(key, id, str(seconds), body)).decode()
    return {"webhook-id": id, "webhook-timestamp": str(seconds), "webhook-signature": f"{_VERSION},{signature}"}


def is_genuine(keys: Sequence[bytes], headers: Mapping[str, str], body: bytes, now: float) -> bool:
    """Whether a notice was signed with one of the keys, not long before or after `now`, epoch seconds.

    `headers`: by their names in lower case. Each candidate takes the same time, whatever is in it.
    """
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not id or not timestamp.isascii() or not timestamp.isdecimal() or len(timestamp) > 12:
        return False
    if abs(now - int(timestamp)) > TOLERANCE:
        return False
    given = [one.removeprefix(f"{_VERSION},") for one in headers.get("webhook-signature", "").split(" ")]
    wanted = [base64.b64encode(_mac(key, id, timestamp, body)) for key in keys]
    return any([hmac.compare_digest(one.encode(), other) for one in given for other in wanted])  # noqa: C419  # all


def _mac(key: bytes, id: str, timestamp: str, body: bytes) -> bytes:
    return hmac.digest(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256)
