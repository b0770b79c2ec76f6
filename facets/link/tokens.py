"""Signed tokens: who issues them, what they say, and whether to believe them."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import math
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, final
from urllib.parse import quote, unquote

import attrs

from facets.errors import InvalidKeyFile, InvalidToken
from facets.principal import Principal

from .identity import LONGEST_LIFETIME, TOKEN_ID, Identity, is_scope, is_text, parse_principal, session_scope
from .keys import ALGORITHM, KeyRing, public_keys
from .revocations import Revocations

if TYPE_CHECKING:
    from joserfc.jwk import OKPKey

__all__ = ["AUDIENCE", "ISSUER", "IssuedToken", "TokenAuthenticator", "TokenIssuer", "check_proof", "prove"]

AUDIENCE = "facets.link"
"""What tokens are for, unless said otherwise: any link server that has the keys."""
ISSUER = "facets"
"""Who has issued tokens, unless said otherwise: any program that has the keys."""

_log = logging.getLogger("facets.link")

# Two types, so that neither can ever pass for the other (RFC 8725, 3.11).
_TOKEN_TYPE, _PROOF_TYPE = "facets+jwt", "facets-proof+jwt"
_PROOF_AUDIENCE = "facets.proof"
_PROOF_SECONDS = 60
_LONGEST_TOKEN = 8_192
_MOST_SCOPES = 16
_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{86}")
_NONCE = re.compile(r"[\x21-\x7e]{16,256}")
_SCOPE_TOKEN = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")  # RFC 6749, 3.3
_NEEDED = {"iss", "aud", "sub", "jti", "iat", "exp"}
_ALLOWED = _NEEDED | {"name", "scope"}


class _Refused(Exception):
    """Why a token is not accepted, in fixed words: nothing that a stranger has sent is ever quoted."""


@attrs.frozen
class IssuedToken:
    """A new token, and what it proves."""

    token: str = attrs.field(repr=False)
    """The secret: who has it is taken for the principal. 20 to 8,192 characters of `A-Za-z0-9._-`."""
    identity: Identity


@final
class TokenIssuer:
    """Issues tokens that a `TokenAuthenticator` with the same keys, audience and issuer accepts."""

    def __init__(self, keys: KeyRing, *, audience: str = AUDIENCE, issuer: str = ISSUER) -> None:
        self._keys = keys
        self._audience = audience
        self._issuer = issuer

    def issue(
        self,
        principal: Principal,
        now: float,
        *,
        lifetime: float = 8 * 3600,
        name: str | None = None,
        scopes: Collection[str] = (),
    ) -> IssuedToken:
        """A token for `principal`, good from `now` (epoch seconds) for `lifetime` seconds, 1 to 366 days.

        `name`: what to show for the principal. `scopes`: up to 16 of `session:ID` and `owner`; none: wherever the
        principal may be, see `Identity.covers`. Signed by the newest key. Raises `InvalidToken` with every fault, and
        `InvalidKeyFile`.
        """
        self._keys.refresh()
        if faults := _wish_faults(principal, lifetime, name, scopes):
            raise InvalidToken(faults)
        id, kid = secrets.token_hex(16), self._keys.signing[0]
        identity = Identity(principal, name, frozenset(scopes), id, now, now + lifetime, kid)
        token = _signed(self._keys, _TOKEN_TYPE, self._claims(identity))
        if len(token) > _LONGEST_TOKEN:
            raise InvalidToken(["$.scopes: too long together"])
        return IssuedToken(token, identity)

    def _claims(self, identity: Identity) -> dict[str, Any]:
        claims: dict[str, Any] = {"iss": self._issuer, "aud": self._audience, "sub": str(identity.principal)}
        claims |= {"jti": identity.token_id, "iat": identity.issued, "exp": identity.expires}
        if identity.name is not None:
            claims["name"] = identity.name
        if identity.scopes:
            claims["scope"] = " ".join(sorted(quote(scope, safe=":") for scope in identity.scopes))
        return claims


@final
class TokenAuthenticator:
    """Believes tokens that one of the keys has signed, for this audience, that are neither expired nor revoked.

    `leeway`: seconds, 0 or more, by which the clocks of two machines may differ. `most_known`: how many verified tokens
    are remembered, by their SHA-256, so that who reconnects is not verified twice. What another process changes in the
    files of keys and revocations holds at the next call. When one of them cannot be used, nobody is authenticated and
    no identity is valid. Lives as long as its server; not for several threads at once.
    """

    def __init__(
        self,
        keys: KeyRing,
        revocations: Revocations,
        *,
        audience: str = AUDIENCE,
        issuer: str = ISSUER,
        leeway: float = 10,
        most_known: int = 10_000,
    ) -> None:
        self._keys = keys
        self._revocations = revocations
        self._meant = {"iss": issuer, "aud": audience}
        self._leeway = leeway
        self._most_known = most_known
        self._known: OrderedDict[bytes, Identity] = OrderedDict()
        self._trouble = ""

    def authenticate(self, token: str, now: float) -> Identity | None:
        """The identity that `token` proves at `now` (epoch seconds), or None. Never raises; the log says why."""
        try:
            return self._believed(token, now)
        except _Refused as refusal:
            _log.info("a token was refused: %s", refusal)
        except Exception as error:  # fail closed, and without the error's text, which may hold what was sent
            _log.warning("a token was refused: %s while it was examined", type(error).__name__)
        return None

    def still_valid(self, identity: Identity, now: float) -> bool:
        """Whether an identity is not expired or revoked at `now`, and the key of its token not retired."""
        return not self._fault_of(identity, now)

    def _believed(self, token: str, now: float) -> Identity:
        if len(token) > _LONGEST_TOKEN or not _COMPACT.fullmatch(token):
            raise _Refused("it is none")
        self._follow_keys()
        digest = hashlib.sha256(token.encode()).digest()
        known = self._known.pop(digest, None)  # and put back at the end, as the latest
        identity = self._verified(token) if known is None else known
        early = identity.issued > now + self._leeway  # no fault of one that was taken before the clock was set back
        if fault := "not valid yet" if early else self._fault_of(identity, now):
            raise _Refused(f"{fault} (id {identity.token_id}, {identity.principal})")
        self._known[digest] = identity
        if len(self._known) > self._most_known:
            self._known.popitem(last=False)
        return identity

    def _verified(self, token: str) -> Identity:
        kid, claims = _opened(token, _TOKEN_TYPE, self._keys.find)
        return _identity(claims, self._meant, kid)

    def _fault_of(self, identity: Identity, now: float) -> str:
        if not self._follow_keys():
            return "the keys cannot be used"
        if identity.key_id not in self._keys:
            return "its key was retired"
        if identity.expires <= now - self._leeway:
            return "expired"
        return "revoked" if self._revocations.is_revoked(identity) else ""

    def _follow_keys(self) -> bool:
        """Whether there are keys. Forgets what was known when they have changed."""
        try:
            if self._keys.refresh():
                self._known.clear()
            self._trouble = ""
        except InvalidKeyFile as error:
            self._known.clear()
            if self._trouble != str(error):  # once, and not at each of a thousand connections
                self._trouble = str(error)
                _log.error("no token is accepted: %s", error)
        return not self._trouble


def prove(keys: KeyRing, server: Principal, nonce: str, now: float) -> str:
    """A proof, good for 60 seconds, that who answers has the keys: `nonce` and `server`, signed by the newest key.

    For the other end of a link, which has made the nonce up: 16 to 256 printable characters that nobody can foresee,
    else `InvalidToken`. It shows that the answer comes from the server, and not that nobody stands in between: only
    TLS, or a socket on the same machine, does that.
    """
    keys.refresh()
    if not _NONCE.fullmatch(nonce):
        raise InvalidToken(["$.nonce: 16 to 256 printable ASCII characters, without blanks"])
    claims = {"aud": _PROOF_AUDIENCE, "sub": str(server), "nonce": nonce, "iat": now, "exp": now + _PROOF_SECONDS}
    return _signed(keys, _PROOF_TYPE, claims)


def check_proof(
    proof: str, nonce: str, public_jwks: Mapping[str, Any], now: float, *, leeway: float = 10
) -> Principal | None:
    """The server that has made `proof` for this `nonce`, or None, whatever is wrong with it. Never raises for that.

    `public_jwks`: what `KeyRing.public` of the server returned. A server that has rotated its keys since signs with one
    that is not in it: fetch the set again, by a way that you trust. Raises `MissingExtra` without joserfc.
    """
    keys = public_keys(public_jwks)
    try:
        if len(proof) > _LONGEST_TOKEN or not _COMPACT.fullmatch(proof):
            raise _Refused("it is none")
        _, claims = _opened(proof, _PROOF_TYPE, keys.get)
        return _proven(claims, nonce, now, leeway)
    except _Refused as refusal:
        _log.warning("the proof of a server was refused: %s", refusal)
    except Exception as error:  # as in authenticate
        _log.warning("the proof of a server was refused: %s while it was examined", type(error).__name__)
    return None


def _proven(claims: Mapping[str, Any], nonce: str, now: float, leeway: float) -> Principal:
    if claims.keys() != {"aud", "sub", "nonce", "iat", "exp"} or claims["aud"] != _PROOF_AUDIENCE:
        raise _Refused("its claims are not those of a proof")
    if not _NONCE.fullmatch(nonce) or not hmac.compare_digest(_text(claims["nonce"]).encode(), nonce.encode()):
        raise _Refused("it was made for another nonce")
    issued, expires = _time(claims["iat"]), _time(claims["exp"])
    if not issued - leeway <= now < expires + leeway or expires - issued > _PROOF_SECONDS:
        raise _Refused("it is not from just now")
    server = parse_principal(_text(claims["sub"]))
    if server.kind != "server":
        raise _Refused("it is not a server's")
    return server


def _signed(keys: KeyRing, type: str, claims: dict[str, Any]) -> str:
    from joserfc import jwt  # noqa: PLC0415  # joserfc comes with an extra; whoever made the keys has it

    kid, key = keys.signing
    return jwt.encode({"typ": type, "alg": ALGORITHM, "kid": kid}, claims, key, [ALGORITHM])


def _opened(token: str, type: str, find: Callable[[str], OKPKey | None]) -> tuple[str, dict[str, Any]]:
    """The key id and the claims of what is certainly signed by that key, as that type, by the only algorithm."""
    from joserfc import errors, jws  # noqa: PLC0415

    try:
        signed = jws.extract_compact(token.encode())
    except (errors.JoseError, ValueError, RecursionError):
        raise _Refused("it is none") from None
    header = signed.headers()
    kid = header.get("kid")
    # All of the header is compared, so that nothing in it can ask for another way to verify: no jwk, jku, crit, b64.
    if not isinstance(kid, str) or header != {"typ": type, "alg": ALGORITHM, "kid": kid}:
        raise _Refused("its header is not one of ours")
    key = find(kid)
    if key is None:
        raise _Refused("its key is unknown, or was retired")
    if not jws.validate_compact(signed, key, [ALGORITHM]):
        raise _Refused("its signature is wrong")
    claims = json.loads(signed.payload or b"")
    if not isinstance(claims, dict):
        raise _Refused("its claims are no object")
    return kid, claims


def _identity(claims: Mapping[str, Any], meant: Mapping[str, str], kid: str) -> Identity:
    """What a verified token says. A claim that is not known could be a restriction, so it is refused."""
    if not _NEEDED <= claims.keys() <= _ALLOWED:
        raise _Refused("it has claims too many or too few")
    if any(claims[name] != value for name, value in meant.items()):
        raise _Refused("it is for another audience, or from another issuer")
    issued, expires = _time(claims["iat"]), _time(claims["exp"])
    if not 0 < expires - issued < LONGEST_LIFETIME + 1:  # the sum of two floats may be rounded up
        raise _Refused("its lifetime is out of bounds")
    id, name = claims["jti"], claims.get("name")
    if not isinstance(id, str) or not TOKEN_ID.fullmatch(id) or not ("name" not in claims or is_text(name)):
        raise _Refused("its id or its name is malformed")
    scopes = _scopes(claims["scope"]) if "scope" in claims else frozenset[str]()
    return Identity(parse_principal(_text(claims["sub"])), name, scopes, id, issued, expires, kid)


def _scopes(claim: object) -> frozenset[str]:
    """RFC 8693, 4.2. An empty list would mean everything, so it is refused; "everything" is no claim at all."""
    parts = claim.split(" ") if isinstance(claim, str) else []
    scopes = frozenset(unquote(part, errors="strict") for part in parts if _SCOPE_TOKEN.fullmatch(part))
    if not 1 <= len(parts) <= _MOST_SCOPES or len(scopes) != len(parts) or not all(map(is_scope, scopes)):
        raise _Refused("its scopes are malformed")
    return scopes


def _time(value: object) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):  # type: ignore[arg-type]
        raise _Refused("its times are malformed")
    return float(value)  # type: ignore[arg-type]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _Refused("what should be text is none")
    return value


def _wish_faults(principal: Principal, lifetime: float, name: str | None, scopes: Collection[str]) -> list[str]:
    faults = []
    if not 1 <= lifetime <= LONGEST_LIFETIME:
        faults.append(f"$.lifetime: 1 to {LONGEST_LIFETIME} seconds, not {lifetime}")
    if name is not None and not is_text(name):
        faults.append("$.name: 1 to 200 code points, no control and no bidirectional characters")
    if len(scopes) > _MOST_SCOPES:
        faults.append(f"$.scopes: at most {_MOST_SCOPES}, not {len(scopes)}")
    for index, scope in enumerate(scopes):
        if not is_scope(scope):
            faults.append(f"$.scopes[{index}]: session:ID, or owner")
    if principal.kind == "worker" and scopes and session_scope(principal.id) not in scopes:
        faults.append("$.scopes: a worker is good for its own session only, and these leave it out")
    return faults
