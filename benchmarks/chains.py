"""What it costs to sign and to verify a chain of receipts, against the same with bare Ed25519, json and hashlib."""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from benchmarks.findings import Findings, Row
from benchmarks.measure import interleave
from benchmarks.rooms_scale import Scale
from questions.rooms.chain import sign_chain, verify_chain
from questions.rooms.public_keys import make_private_key, read_jwks
from questions.rooms.receipt import RECEIPT_TYPE

_ROOM = "https://broker.example/r/benchmark"
_SEED = bytes(range(32))
_VOTERS = 5


def measure(scale: Scale) -> Findings:
    """Signing and verifying, receipts of five voters each."""
    key, bare_key = make_private_key(_SEED), Ed25519PrivateKey.from_private_bytes(_SEED)
    keys = read_jwks({"keys": [{**key.as_dict(private=False), "kid": "a"}]})
    payloads = [_payload(number) for number in range(1, scale.receipts + 1)]
    texts = [*sign_chain(payloads, "a", key)]

    async def sign() -> int:
        return sum(1 for _ in sign_chain(payloads, "a", key))

    async def sign_bare() -> int:
        return sum(1 for _ in _signed(payloads, bare_key))

    async def verify() -> int:
        return len(verify_chain(texts, keys, room=_ROOM).receipts)

    async def verify_bare() -> int:
        return _verified(texts, bare_key.public_key())

    rows = []
    for name, ours, bare in (("signing", sign, sign_bare), ("verifying", verify, verify_bare)):
        samples = trio.run(interleave, {"ours": ours, "bare": bare}, scale.few_rounds)
        detail = samples.said(ours="ours", bare="bare") + f" a receipt, {len(texts[0]):,} characters each"
        title = f"{name} a chain of {scale.receipts:,} receipts"
        rows.append(Row(title, samples.ratio("ours", "bare"), "x time", detail, at_least=False))
    return Findings(rows)


def _payload(number: int) -> Mapping[str, Any]:
    """What a receipt says of a decision by majority."""
    votes = [{"agent_id": f"participant:p{one}", "choice": "ship", "weight": 1} for one in range(_VOTERS)]
    grp = {
        "decision_id": f"decision-{number}",
        "decision_kind": "ephemeral",
        "room_id": _ROOM,
        "mechanism": {
            "kind": "simple_majority",
            "parameters": {"question": "Ship it?", "options": ["ship", "wait"], "quorum": 0.5},
        },
        "votes": votes,
        "outcome": {
            "status": "completed",
            "winning_option": "ship",
            "tallies": {"ship": _VOTERS, "wait": 0},
            "diagnostics": {"cast_votes": _VOTERS, "eligible_voters": _VOTERS},
        },
        "prev_hash": None,
        "sequence": number,
    }
    id = f"urn:uuid:0a000000-0000-4000-8000-{number:012d}"
    return {"iss": _ROOM, "aud": _ROOM, "jti": id, "iat": 1790000000 + number, "grp": grp}


def _segment(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def _bytes(segment: str) -> bytes:
    return base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4))


def _dumped(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _hash(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _signed(payloads: Sequence[Mapping[str, Any]], key: Ed25519PrivateKey) -> Iterator[str]:
    """What one writes by hand to sign them in a row, each with the hash of the one before."""
    header = _segment(_dumped({"alg": "EdDSA", "kid": "a", "typ": RECEIPT_TYPE}))
    previous = None
    for payload in payloads:
        body = {**payload, "grp": {**payload["grp"], "prev_hash": previous}}
        signed = f"{header}.{_segment(_dumped(body))}"
        text = f"{signed}.{_segment(key.sign(signed.encode()))}"
        previous = _hash(text)
        yield text


def _verified(texts: Sequence[str], key: Ed25519PublicKey) -> int:
    """What one writes by hand to verify them: every signature, and that each names the one before. How many."""
    previous = None
    for text in texts:
        signed, _, signature = text.rpartition(".")
        key.verify(_bytes(signature), signed.encode())
        if json.loads(_bytes(signed.partition(".")[2]))["grp"]["prev_hash"] != previous:
            raise ValueError("a receipt is missing")
        previous = _hash(text)
    return len(texts)
