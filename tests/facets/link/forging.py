"""Tokens that nobody should believe: built by hand, part by part, signed with whatever key."""

import base64
import hashlib
import hmac
import json

from joserfc import jwt

from facets import Principal
from facets.link.tokens import AUDIENCE, ISSUER

NOW = 1_800_000_000.25
ANA = Principal.user("ana")


def b64(data):
    """Base64url without padding, as in a token."""
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def claims(**changes):
    """What a good token of Ana's says, with changes; `name=None` leaves a claim out."""
    good = {"iss": ISSUER, "aud": AUDIENCE, "sub": "user:ana", "jti": "0" * 32, "iat": NOW, "exp": NOW + 60}
    return {name: value for name, value in {**good, **changes}.items() if value is not None}


def signed(keys, said, **header):
    """A token really signed by the newest key, that says anything, under any header."""
    kid, key = keys.signing
    return jwt.encode({"typ": "facets+jwt", "alg": "Ed25519", "kid": kid, **header}, said, key, ["Ed25519"])


def unsigned(keys, said):
    """`alg: none`, under the id of a good key."""
    return f"{b64({'typ': 'facets+jwt', 'alg': 'none', 'kid': keys.kids[0]})}.{b64(said)}."


def signed_with_the_public_key(keys, said):
    """HS256 with what everybody knows as its secret: the confusion of a verifier that lets the token choose."""
    (public, *_) = keys.public()["keys"]
    start = f"{b64({'typ': 'facets+jwt', 'alg': 'HS256', 'kid': public['kid']})}.{b64(said)}"
    secret = base64.urlsafe_b64decode(public["x"] + "=")
    return f"{start}.{b64(hmac.digest(secret, start.encode(), hashlib.sha256))}"


def changed(token, part, position=0):
    """The token with one character of one part changed."""
    parts = token.split(".")
    old = parts[part][position]
    parts[part] = parts[part][:position] + ("A" if old != "A" else "B") + parts[part][position + 1 :]
    return ".".join(parts)
