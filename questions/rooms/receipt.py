"""Receipts: what a host signs when a decision is sealed, each naming the one before it by its hash."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

import attrs

from .errors import InvalidReceipt
from .jws import ALGORITHM, OpenedJws, sign_jws

if TYPE_CHECKING:
    from joserfc.jwk import OKPKey

__all__ = ["RECEIPT_TYPE", "Receipt", "read_receipt", "receipt_hash", "sign_receipt"]

RECEIPT_TYPE = "grp-receipt+jwt"

DecisionKind = Literal["standing", "ephemeral", "conclusion"]

_HASH = re.compile(r"sha256:[0-9a-f]{64}")
_UUID = re.compile(r"urn:uuid:[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


@attrs.frozen
class Receipt:
    """What a receipt says of itself. Whoever has signed it stands for that; nothing here has checked that it is so."""

    hash: str
    kid: str
    issuer: str
    room: str
    id: str
    issued_at: float
    """Seconds since 1970."""
    decision_id: str
    kind: DecisionKind
    sequence: int
    """The number of the decision in its room, from 1; decisions need not be sealed in that order."""
    status: str
    winner: str | None
    prev_hash: str | None
    """The hash of the receipt that was sealed before it in the same room; None of the first."""

    @property
    def is_conclusion(self) -> bool:
        """Whether the room was closed with it."""
        return self.kind == "conclusion"


def receipt_hash(text: str) -> str:
    """The hash by which the next receipt names this one: over the very characters, which nobody may write anew."""
    return "sha256:" + hashlib.sha256(text.encode("ascii", "backslashreplace")).hexdigest()


def sign_receipt(payload: Mapping[str, Any], prev_hash: str | None, kid: str, key: OKPKey) -> str:
    """Sign the payload of a receipt as the one that follows `prev_hash`; the same input gives the same text.

    Raises `InvalidReceipt` with every fault, and `ValueError` for what has no canonical JSON.
    """
    grp = payload.get("grp")
    linked = {**payload, "grp": {**grp, "prev_hash": prev_hash}} if isinstance(grp, Mapping) else payload
    header = {"alg": ALGORITHM, "typ": RECEIPT_TYPE, "kid": kid}
    if faults := [*_faults(header, linked)]:
        raise InvalidReceipt(faults)
    return sign_jws(header, linked, key)


def read_receipt(opened: OpenedJws) -> Receipt:
    """Read a receipt, verified or not. Raises `InvalidReceipt` with every fault of what chains and people go by."""
    payload = opened.payload.value
    if faults := [*_faults(opened.header, payload)]:
        raise InvalidReceipt(faults)
    grp = payload["grp"]
    return Receipt(
        hash=receipt_hash(opened.text),
        kid=opened.header["kid"],
        issuer=payload["iss"],
        room=grp["room_id"],
        id=payload["jti"],
        issued_at=payload["iat"],
        decision_id=grp["decision_id"],
        kind=grp["decision_kind"],
        sequence=int(grp["sequence"]),
        status=grp["outcome"]["status"],
        winner=grp["outcome"].get("winning_option"),
        prev_hash=grp.get("prev_hash"),
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_whole(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 and value % 1 == 0


_STATUSES = ("completed", "rejected", "no_quorum", "tied", "canceled")
_Test = tuple[Callable[[Any], bool], str]
_TEXT: _Test = (_is_text, "text")
_OBJECT: _Test = (lambda value: isinstance(value, dict), "an object")
_CLAIMS: Mapping[str, _Test] = {
    "iss": _TEXT,
    "aud": _TEXT,
    "jti": (lambda value: isinstance(value, str) and _UUID.fullmatch(value) is not None, "urn:uuid: and a UUID"),
    "iat": (_is_whole, "whole seconds since 1970"),
    "grp": _OBJECT,
}
_GRP: Mapping[str, _Test] = {
    "decision_id": _TEXT,
    "decision_kind": (
        lambda value: value in ("standing", "ephemeral", "conclusion"),
        "standing, ephemeral or conclusion",
    ),
    "room_id": _TEXT,
    "mechanism": _OBJECT,
    "votes": (lambda value: isinstance(value, list), "a list"),
    "outcome": _OBJECT,
    "prev_hash": (
        lambda value: value is None or (isinstance(value, str) and _HASH.fullmatch(value) is not None),
        "null, or sha256: and 64 hexadecimal digits",
    ),
    "sequence": (lambda value: _is_whole(value) and value >= 1, "a whole number from 1 on"),
}
_OUTCOME: Mapping[str, _Test] = {
    "status": (lambda value: value in _STATUSES, ", ".join(_STATUSES[:-1]) + f" or {_STATUSES[-1]}"),
    "winning_option": (lambda value: value is None or isinstance(value, str), "text or null"),
}


def _faults(header: Mapping[str, Any], payload: object) -> Iterator[str]:
    if header.get("typ") != RECEIPT_TYPE:
        yield f"$.header.typ: must be {RECEIPT_TYPE}, so that nothing else can pass for a receipt"
    if not _is_text(header.get("kid")):
        yield "$.header.kid: must be text, the id of a key"
    if not isinstance(payload, Mapping):
        yield "$.payload: must be an object"
        return
    yield from _wrong(payload, _CLAIMS, "$")
    grp = payload.get("grp")
    if isinstance(grp, dict):
        yield from _wrong(grp, _GRP, "$.grp")
        if "aud" in payload and payload["aud"] != grp.get("room_id"):
            yield "$.aud: must be the room, as $.grp.room_id is"
        if isinstance(outcome := grp.get("outcome"), dict):
            yield from _wrong(outcome, _OUTCOME, "$.grp.outcome")


def _wrong(value: Mapping[str, Any], tests: Mapping[str, _Test], path: str) -> Iterator[str]:
    for name, (test, what) in tests.items():
        if name not in value:
            yield f"{path}.{name}: is missing, and must be {what}"
        elif not test(value[name]):
            yield f"{path}.{name}: must be {what}"
