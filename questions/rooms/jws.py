"""Compact JWS as rooms have them: one algorithm, one way to write each, and one order of checks."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import attrs

from facets.errors import MissingExtra
from questions.digest import canonical_json

from .errors import InvalidJson, InvalidJws, JwsReason
from .json_text import LARGEST, JsonText, read_json

if TYPE_CHECKING:
    from joserfc.jwk import OKPKey

__all__ = ["ALGORITHM", "LONGEST_JWS", "OpenedJws", "from_base64url", "open_jws", "sign_jws", "to_base64url"]

ALGORITHM = "EdDSA"
"""Over Ed25519 (RFC 8037); RFC 9864 has another name for it, which the protocol does not know."""
LONGEST_JWS = LARGEST * 4 // 3
"""Characters."""

_LARGEST_HEADER = 4096
_SIGNATURE = 64
_BASE64URL = re.compile(r"[A-Za-z0-9_-]*")


@attrs.frozen
class OpenedJws:
    """A JWS that has been read and not yet been verified: nothing in it is certain before `verify` has returned."""

    text: str = attrs.field(repr=False)
    header: Mapping[str, Any]
    payload: JsonText
    _signature: bytes = attrs.field(repr=False)

    def verify(self, key: OKPKey) -> None:
        """Raises `InvalidJws` (`signature_invalid`) unless the holder of this Ed25519 key has signed it."""
        signed = self.text.rpartition(".")[0].encode("ascii")
        if not _ed25519().verify(signed, self._signature, key):
            raise InvalidJws(
                ["$.signature: was not made by this key over this header and payload"], "signature_invalid"
            )


def sign_jws(header: Mapping[str, Any], payload: Any, key: OKPKey) -> str:
    """Sign a payload with a private Ed25519 key. The same input gives the same text.

    Raises `ValueError` for what has no canonical JSON.
    """
    parts = (to_base64url(canonical_json(dict(header))), to_base64url(canonical_json(payload)))
    signed = ".".join(parts)
    return f"{signed}.{to_base64url(_ed25519().sign(signed.encode('ascii'), key))}"


def open_jws(text: str) -> OpenedJws:
    """Read a JWS; who has signed it is the next question. Raises `InvalidJws` with every fault.

    `reason` is the first that holds of: `shape` (three segments), `header` (an object with text `alg`, and no `crit`),
    `payload_decode` (JSON), `alg_unsupported`, `shape` (the signature, in canonical base64url without padding).
    """
    segments = text.split(".", 3) if len(text) <= LONGEST_JWS else []
    if len(segments) != 3:
        raise InvalidJws([_shape_fault(text)], "shape")
    found: list[tuple[JwsReason, str]] = []
    header = _read_header(segments[0], found)
    payload = _read_segment(segments[1], "payload", LARGEST, "payload_decode", found)
    if header is not None and header["alg"] != ALGORITHM:
        found.append(("alg_unsupported", f"$.header.alg: must be {ALGORITHM}, and nothing else"))
    signature = from_base64url(segments[2])
    if signature is None:
        found.append(("shape", f"$.signature: {_NO_BASE64URL}"))
    elif len(signature) != _SIGNATURE:
        found.append(("signature_invalid", f"$.signature: has {len(signature)} bytes, not {_SIGNATURE}"))
    if found or header is None or payload is None or signature is None:
        raise InvalidJws([says for _, says in found], found[0][0])
    return OpenedJws(text, header, payload, signature)


def to_base64url(data: bytes) -> str:
    """Base64url without padding (RFC 7515, 2)."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def from_base64url(text: str) -> bytes | None:
    """The bytes, or None unless it is exactly how `to_base64url` writes them."""
    if not _BASE64URL.fullmatch(text) or len(text) % 4 == 1:
        return None
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    last = len(data) % 3  # of whose bits the last character may hold some that mean nothing
    return data if not last or text.endswith(to_base64url(data[-last:])) else None


_NO_BASE64URL = "is not base64url without padding, written the one way there is"


def _shape_fault(text: str) -> str:
    if len(text) > LONGEST_JWS:
        return f"$: has {len(text)} characters, more than {LONGEST_JWS}"
    return f"$: must be three segments with dots in between, and has {text.count('.') + 1}"


def _read_header(segment: str, found: list[tuple[JwsReason, str]]) -> dict[str, Any] | None:
    if len(segment) > _LARGEST_HEADER * 4 // 3 + 1:
        found.append(("header", f"$.header: has more than {_LARGEST_HEADER} bytes"))
        return None
    header, faults = _known_header(segment)
    found += faults
    return None if header is None else {**header}


@lru_cache(maxsize=64)  # all receipts of a host have the same, but for its key
def _known_header(segment: str) -> tuple[Mapping[str, Any] | None, Sequence[tuple[JwsReason, str]]]:
    found: list[tuple[JwsReason, str]] = []
    text = _read_segment(segment, "header", _LARGEST_HEADER, "header", found)
    if text is None:
        return None, found
    if not isinstance(text.value, dict):
        return None, [("header", "$.header: must be an object")]
    if not isinstance(text.value.get("alg"), str):
        found.append(("header", "$.header.alg: must be text"))
    if "crit" in text.value:
        found.append(("header", "$.header.crit: asks for more than is known here"))
    return None if found else text.value, found


def _read_segment(
    segment: str, name: str, largest: int, reason: JwsReason, found: list[tuple[JwsReason, str]]
) -> JsonText | None:
    data = from_base64url(segment)
    if data is None:
        found.append((reason, f"$.{name}: {_NO_BASE64URL}"))
        return None
    try:
        return read_json(data, largest, f"$.{name}")
    except InvalidJson as error:
        found += [(reason, fault) for fault in error.faults]
        return None


def _ed25519() -> Any:
    """Ed25519 as joserfc has it, under the name of RFC 9864: of the old one it warns."""
    try:
        from joserfc.jws import JWSRegistry  # noqa: PLC0415  # joserfc comes with an extra
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("joserfc", "cryptography"):
            raise
        raise MissingExtra("Signing and checking receipts", "joserfc", "serve", "count the votes again") from None
    return JWSRegistry.algorithms["Ed25519"]
