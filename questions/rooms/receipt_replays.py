"""Cases about receipts: writing, signing, linking and checking them again from their inputs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from questions.digest import canonical_json

from .agreement import replay_agreement
from .errors import InvalidCase, InvalidJson, InvalidJws, InvalidKeySet, InvalidMandate
from .json_text import LARGEST, read_json
from .jws import ALGORITHM, from_base64url, open_jws, sign_jws
from .mandate import Act, read_mandate
from .merkle import audit_hashes, merkle_root
from .public_keys import make_private_key, make_public_key
from .receipt import RECEIPT_TYPE, receipt_hash

__all__ = ["RECEIPT_REPLAYS"]

Case = Mapping[str, Any]
_NOT_CANONICALIZABLE = {"error": "not_canonicalizable"}


def _replay_canonical(case: Case) -> dict[str, str]:
    try:
        data = canonical_json(read_json(_text(case, "json").encode(errors="surrogatepass")).value)
    except InvalidJson:
        return _NOT_CANONICALIZABLE
    return {"canonical": data.decode(), "sha256": hashlib.sha256(data).hexdigest()}


def _replay_sign(case: Case) -> dict[str, str]:
    key = make_private_key(_bytes(case, "seed_hex"))
    header, payload = _doubles(_object(case, "header")), _doubles(_object(case, "payload"))
    jws = sign_jws(header, payload, key)
    header_b64, payload_b64, signature_b64 = jws.split(".")
    written = from_base64url(payload_b64) or b""
    return {
        "header_canonical": (from_base64url(header_b64) or b"").decode(),
        "payload_canonical": written.decode(),
        "payload_sha256": hashlib.sha256(written).hexdigest(),
        "header_b64": header_b64,
        "payload_b64": payload_b64,
        "signature_b64": signature_b64,
        "signature_hex": (from_base64url(signature_b64) or b"").hex(),
        "jws": jws,
        "receipt_hash": receipt_hash(jws),
    }


def _replay_chain(case: Case) -> dict[str, list[dict[str, Any]]]:
    key, previous, receipts = make_private_key(_bytes(case, "seed_hex")), None, []
    header = {"alg": ALGORITHM, "typ": RECEIPT_TYPE, "kid": _text(case, "kid")}
    for payload in _objects(case, "payloads_without_prev"):
        grp = {**_object(payload, "grp"), "prev_hash": previous}
        jws = sign_jws(header, _doubles({**payload, "grp": grp}), key)
        receipts.append({"prev_hash": previous, "jws": jws, "receipt_hash": receipt_hash(jws)})
        previous = receipts[-1]["receipt_hash"]
    return {"receipts": receipts}


def _replay_verify(case: Case) -> dict[str, Any]:
    key = make_public_key(_bytes(case, "public_hex"))
    try:
        opened = open_jws(_text(case, "jws"))
        opened.verify(key)
    except InvalidJws as error:
        return {"ok": False, "error": error.reason}
    written = canonical_json(opened.payload.value)
    return {"ok": True, "header": opened.header, "payload_sha256": hashlib.sha256(written).hexdigest()}


def _replay_mandate(case: Case) -> dict[str, Any]:
    context, revoked = _object(case, "context"), case.get("revoked_jtis", [])
    if not isinstance(revoked, list) or not isinstance(context.get("now"), int | float):
        raise InvalidCase(["$.context.now, $.revoked_jtis: must be a number, and a list"])
    if not isinstance(context.get("weight"), int | float | None):
        raise InvalidCase(["$.context.weight: must be a number"])
    act = Act(_text(context, "action"), _text(context, "room"), context["now"], context.get("weight"))
    try:
        read_mandate(_text(case, "jws"), make_public_key(_bytes(case, "public_hex"))).check(act, revoked)
    except InvalidMandate as error:
        return {"valid": False, "reason": error.reason}
    return {"valid": True}


def _replay_agreement(case: Case) -> dict[str, str]:
    return {"status": replay_agreement(_object(case, "payload"))}


def _replay_merkle(case: Case) -> dict[str, Any]:
    leaves = case.get("leaves")
    if not isinstance(leaves, list):
        raise InvalidCase(["$.leaves: must be a list"])
    raw = [_bytes({"leaf": leaf}, "leaf") for leaf in leaves]
    return {"root": merkle_root(raw).hex(), "leaf_count": len(raw)}


def _replay_audit_chain(case: Case) -> dict[str, list[str]]:
    events = [(_doubles(event.get("body")), _text(event, "ts")) for event in _objects(case, "events")]
    return {"hashes": [digest.hex() for digest in audit_hashes(events)]}


def _checked(replay: Callable[[Case], Any]) -> Callable[[Case], Any]:
    def run(case: Case) -> Any:
        with _as_case():
            return replay(case)

    return run


@contextmanager
def _as_case() -> Iterator[None]:
    """What a case is given and cannot be is a fault of the case."""
    try:
        yield
    except (InvalidJson, InvalidKeySet) as error:
        raise InvalidCase(error.faults) from None
    except ValueError as error:
        raise InvalidCase([f"$: {error}"]) from None


RECEIPT_REPLAYS: Mapping[str, Callable[[Case], Any]] = {
    "canonical": _checked(_replay_canonical),
    "sign": _checked(_replay_sign),
    "chain": _checked(_replay_chain),
    "verify": _checked(_replay_verify),
    "mandate": _checked(_replay_mandate),
    "agreement": _checked(_replay_agreement),
    "merkle": _checked(_replay_merkle),
    "audit_chain": _checked(_replay_audit_chain),
}
"""What is done with a case about receipts, by its kind."""


def _doubles(value: Any) -> Any:
    """The value with numbers as doubles, as in any language. Raises `InvalidJson`."""
    return read_json(json.dumps(value).encode(), LARGEST).value


def _text(case: Case, name: str) -> str:
    if not isinstance(case.get(name), str):
        raise InvalidCase([f"$.{name}: must be text"])
    return str(case[name])


def _bytes(case: Case, name: str) -> bytes:
    try:
        return bytes.fromhex(_text(case, name))
    except ValueError:
        raise InvalidCase([f"$.{name}: must be hexadecimal"]) from None


def _object(case: Case, name: str) -> dict[str, Any]:
    value = case.get(name)
    if not isinstance(value, dict):
        raise InvalidCase([f"$.{name}: must be an object"])
    return value


def _objects(case: Case, name: str) -> list[dict[str, Any]]:
    values = case.get(name)
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise InvalidCase([f"$.{name}: must be a list of objects"])
    return values
