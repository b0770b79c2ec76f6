"""Public keys of hosts and issuers: Ed25519 alone, found by their ids, in JSON Web Key Sets and in did:key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from facets.errors import MissingExtra

from .errors import InvalidJws, InvalidKeySet
from .jws import ALGORITHM, from_base64url, to_base64url

if TYPE_CHECKING:
    from joserfc.jwk import OKPKey

__all__ = ["MOST_KEYS", "PublicKeys", "did_key", "key_of_did", "make_private_key", "make_public_key", "read_jwks"]

MOST_KEYS = 1000
"""In one set."""

_LONGEST_KID = 512
_PRIME = 2**255 - 19
_EIGHTH = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD83D3D706A17C7
"""Of a point that eight steps lead back to where they began."""
_SMALL_ORDER = {0, 1, _PRIME - 1, _EIGHTH, _PRIME - _EIGHTH}
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_DID = "did:key:z"
_ED25519 = b"\xed\x01"
_LONGEST_DID = 64


@attrs.frozen
class PublicKeys:
    """Keys by their ids. What is in a set and no Ed25519 key for signatures is not used, and why is kept."""

    _keys: Mapping[str, OKPKey]
    _unusable: Mapping[str, str]

    @property
    def kids(self) -> tuple[str, ...]:
        """The ids of the keys that can be used."""
        return tuple(self._keys)

    def find(self, kid: object) -> OKPKey:
        """The key with this id. Raises `InvalidJws` (`kid_unknown`)."""
        if not isinstance(kid, str):
            raise InvalidJws(["$.header.kid: must be text, the id of a key"], "kid_unknown")
        if kid in self._keys:
            return self._keys[kid]
        why = self._unusable.get(kid, f"is the id of no key that was given; there are {len(self._keys)}")
        raise InvalidJws([f"$.header.kid: {kid[:_LONGEST_KID]!r} {why}"], "kid_unknown")


def read_jwks(document: object) -> PublicKeys:
    """The keys of a JSON Web Key Set, or of any object with such `keys`, as the page that a host publishes.

    Keys for something else are passed over (RFC 7517, 5). Raises `InvalidKeySet`, with every fault, for what is no set,
    for one that holds private keys, and if two keys have one id, since either could be meant; `MissingExtra` without
    joserfc.
    """
    entries = document.get("keys") if isinstance(document, Mapping) else None
    if not isinstance(entries, list) or len(entries) > MOST_KEYS:
        raise InvalidKeySet([f"$.keys: must be a list of at most {MOST_KEYS} keys"])
    keys: dict[str, OKPKey] = {}
    unusable: dict[str, str] = {}
    faults: list[str] = []
    for place, entry in enumerate(entries):
        path = f"$.keys[{place}]"
        if found := _entry_faults(entry, path, {*keys, *unusable}):
            faults += found
        elif why := _why_unusable(entry):
            unusable[entry["kid"]] = why
        else:
            keys[entry["kid"]] = _imported(entry["x"])
    if faults:
        raise InvalidKeySet(faults)
    return PublicKeys(keys, unusable)


def _entry_faults(entry: object, path: str, known: set[str]) -> list[str]:
    if not isinstance(entry, Mapping):
        return [f"{path}: must be an object"]
    kid = entry.get("kid")
    faults = []
    if not isinstance(kid, str) or not 1 <= len(kid) <= _LONGEST_KID:
        faults.append(f"{path}.kid: must be text of 1 to {_LONGEST_KID} characters")
    elif kid in known:
        faults.append(f"{path}.kid: is the id of another key, too")
    if "d" in entry:
        faults.append(f"{path}.d: is a private key, which has no place here; whoever has seen it can sign")
    return faults


def _why_unusable(entry: Mapping[str, Any]) -> str | None:
    """Why a key of a set is not one for receipts, as the end of a sentence."""
    if entry.get("kty") != "OKP" or entry.get("crv") != "Ed25519":
        return "is a key of another kind than Ed25519"
    if entry.get("alg", ALGORITHM) not in (ALGORITHM, "Ed25519"):
        return f"is a key for another algorithm than {ALGORITHM}"
    operations = entry.get("key_ops", ["verify"])
    if entry.get("use", "sig") != "sig" or not isinstance(operations, list) or "verify" not in operations:
        return "is no key for signatures"
    raw = from_base64url(entry["x"]) if isinstance(entry.get("x"), str) else None
    return "is no Ed25519 key: x must be 32 bytes in base64url" if raw is None else _point_fault(raw)


def _point_fault(raw: bytes) -> str | None:
    if len(raw) != 32:
        return "is no Ed25519 key: x must be 32 bytes in base64url"
    y = int.from_bytes(raw, "little") & (2**255 - 1)
    if y >= _PRIME or y in _SMALL_ORDER:
        return "is a key for which anybody can make signatures"
    return None


def make_public_key(raw: bytes) -> OKPKey:
    """The key of 32 bytes. Raises `InvalidKeySet` for what is no key, or one that proves nothing."""
    if why := _point_fault(raw):
        raise InvalidKeySet([f"$.x: {why}"])
    return _imported(to_base64url(raw))


def make_private_key(seed: bytes) -> OKPKey:
    """The private key of a 32-byte seed (RFC 8032). Raises `InvalidKeySet` for anything else."""
    if len(seed) != 32:
        raise InvalidKeySet(["$.d: must be 32 bytes"])
    make = _key_class()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415  # as joserfc

    return make.import_key(Ed25519PrivateKey.from_private_bytes(seed))


def did_key(key: OKPKey) -> str:
    """The did:key of a public key."""
    raw = _ED25519 + (from_base64url(str(key.as_dict(private=False)["x"])) or b"")
    number, text = int.from_bytes(raw, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = _BASE58[digit] + text
    return _DID + text


def key_of_did(text: str) -> OKPKey:
    """The key in a did:key. Raises `InvalidKeySet` if it is none of Ed25519, or is written another way."""
    number = 0
    if not text.startswith(_DID) or len(text) > _LONGEST_DID or not set(text[len(_DID) :]) <= set(_BASE58):
        raise InvalidKeySet(["$: must be did:key:z and an Ed25519 key in base58"])
    for character in text[len(_DID) :]:
        number = number * 58 + _BASE58.index(character)
    raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
    if raw[:2] != _ED25519 or len(raw) != 34:
        raise InvalidKeySet(["$: is no did:key of Ed25519"])
    key = make_public_key(raw[2:])
    if did_key(key) != text:
        raise InvalidKeySet(["$: is a did:key, written another way than the one there is"])
    return key


def _imported(x: str) -> OKPKey:
    return _key_class().import_key({"kty": "OKP", "crv": "Ed25519", "x": x})


def _key_class() -> type[OKPKey]:
    try:
        from joserfc import jwk  # noqa: PLC0415  # joserfc comes with an extra
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] not in ("joserfc", "cryptography"):
            raise
        raise MissingExtra("Signing and checking receipts", "joserfc", "serve", "count the votes again") from None
    return jwk.OKPKey
