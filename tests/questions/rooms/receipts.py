"""Receipts as tests write them, signed with keys that mean nothing."""

import json
from functools import cache

from joserfc.jws import JWSRegistry

from questions.rooms.chain import sign_chain
from questions.rooms.jws import to_base64url
from questions.rooms.public_keys import make_private_key, read_jwks
from tests.house.source import ROOT

RECEIPT_CASES = ROOT / "tests" / "data" / "receipts.jsonl"
ROOM = "https://broker.example/r/quietfern7"
KEY = make_private_key(bytes(range(32)))
OTHER_KEY = make_private_key(bytes(range(1, 33)))


@cache
def receipt_cases():
    return [json.loads(line) for line in RECEIPT_CASES.read_bytes().splitlines()]


def jwk(key, kid, **members):
    """The public half of a key, as a set has it."""
    return {"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "kid": kid, "x": key.as_dict(private=False)["x"], **members}


def jwks(**by_kid):
    """A set of public keys."""
    return {"keys": [jwk(key, kid) for kid, key in by_kid.items()]}


KEYS = read_jwks(jwks(a=KEY, b=OTHER_KEY))


def payload_of(number, *, room=ROOM, kind="ephemeral", options=("ship", "wait"), choices=("ship", "ship"), **changes):
    """The payload of a receipt for a decision by majority; `changes` go into `grp`."""
    tallies = {option: choices.count(option) for option in options}
    winner = next((option for option in options if 2 * tallies[option] > len(choices)), None)
    parameters = {"question": "Ship it?", "options": list(options), "quorum": 0.5}
    voted = [{"agent_id": f"participant:p{n}", "choice": choice, "weight": 1} for n, choice in enumerate(choices)]
    grp = {
        "decision_id": f"decision-{number}",
        "decision_kind": kind,
        "room_id": room,
        "mechanism": {"kind": "simple_majority", "parameters": parameters},
        "votes": voted,
        "outcome": {
            "status": "rejected" if winner is None else "completed",
            "winning_option": winner,
            "tallies": tallies,
            "diagnostics": {"cast_votes": len(choices), "eligible_voters": len(choices)},
        },
        "prev_hash": None,
        "sequence": number,
        **changes,
    }
    id = f"urn:uuid:0a000000-0000-4000-8000-{number:012d}"
    return {"iss": room, "aud": room, "jti": id, "iat": 1790000000 + number, "grp": grp}


def signed(length, *, kid="a", key=KEY, concluded=False, **changes):
    """A chain of so many receipts, the first one first."""
    kinds = ["ephemeral"] * (length - concluded) + ["conclusion"] * concluded
    payloads = [payload_of(number, kind=kind, **changes) for number, kind in enumerate(kinds, 1)]
    return [*sign_chain(payloads, kid, key)]


def segment(value):
    """A segment of a JWS, of whatever one likes."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return to_base64url(data)


def signed_segments(*segments, key=KEY):
    """A JWS over segments that are taken as they are."""
    written = ".".join(segments)
    signature = JWSRegistry.algorithms["Ed25519"].sign(written.encode(), key)
    return f"{written}.{to_base64url(signature)}"
