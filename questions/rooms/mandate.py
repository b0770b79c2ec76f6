"""Mandates: what an owner lets an agent do in rooms, signed, and checked before each act."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

import attrs

from .errors import InvalidJws, InvalidMandate, MandateReason
from .jws import OpenedJws, open_jws, sign_jws

if TYPE_CHECKING:
    from joserfc.jwk import OKPKey

__all__ = ["ACTIONS", "MANDATE_TYPE", "Act", "Mandate", "read_mandate", "sign_mandate"]

MANDATE_TYPE = "grp-mandate+jwt"
ACTIONS = frozenset(
    "choose propose discuss ask start_choosing close react coalition_offer revoke_own_action "
    "member_join_request member_leave".split()
)
"""What a mandate can allow; to abstain takes `choose`."""

_EVERY_ROOM = "*"
_LONGEST_MANDATE = 65_536


@attrs.frozen
class Act:
    """What a mandate is shown for."""

    action: str
    """One of `ACTIONS`."""
    room: str
    """The id or URL of the room."""
    now: float
    """Seconds since 1970."""
    weight: float | None = None
    """Of the ballot; None: no ballot is cast."""
    earlier: Sequence[float] = ()
    """When the same mandate was used before, in seconds since 1970, in any order."""


@attrs.frozen
class Mandate:
    """A mandate whose signature holds. Whether it allows an act is for `check` to say."""

    issuer: str
    subject: str
    """The agent."""
    id: str
    expires: object
    not_before: object
    terms: Mapping[str, Any]
    """Rooms, actions, and caps, as they were signed."""

    def check(self, act: Act, revoked: Collection[str] = ()) -> None:
        """Whether it allows an act, by the ids that its issuer has `revoked`.

        Checked in this order: revocation, validity (from `nbf` on, and before `exp`), room, action, weight, rate. A
        term that cannot be read allows nothing. Raises `InvalidMandate` with the first reason and every fault.
        """
        found = [*self._faults(act, revoked)]
        if found:
            raise InvalidMandate([says for _, says in found], found[0][0])

    def _faults(self, act: Act, revoked: Collection[str]) -> Iterator[tuple[MandateReason, str]]:
        if self.id in revoked:
            yield "revoked", "$.jti: its issuer has taken it back"
        if not _is_number(self.expires) or not act.now < self.expires:
            yield "expired", "$.exp: that time has come, or is none"
        if not _is_number(self.not_before) or not self.not_before <= act.now:
            yield "not_yet_valid", "$.nbf: that time has not come, or is none"
        if not {act.room, _EVERY_ROOM} & _texts(self.terms.get("rooms")):
            yield "room_not_in_scope", "$.grp.rooms: this room is not among them"
        if act.action not in ACTIONS & _texts(self.terms.get("actions")):
            yield "action_not_in_scope", "$.grp.actions: this action is not among them"
        cap = self.terms.get("weight_cap")
        if act.weight is not None and not (_is_number(cap) and act.weight <= cap):
            yield "weight_cap", "$.grp.weight_cap: the ballot weighs more, or it is no number"
        if not self._is_within_rate(act):
            yield "rate_cap", "$.grp.rate_caps: as many acts as it allows in that time have been done, or it is none"

    def _is_within_rate(self, act: Act) -> bool:
        caps = self.terms.get("rate_caps")
        if caps is None:
            return True
        limit, window = (caps.get("limit"), caps.get("window_seconds")) if isinstance(caps, Mapping) else (None, None)
        if not _is_number(limit) or not _is_number(window):
            return False
        return sum(act.now - window < when for when in act.earlier) < limit


def read_mandate(text: str, key: OKPKey) -> Mandate:
    """Read a mandate and verify it with its issuer's key.

    Raises `InvalidMandate` (`signature_invalid`) for what is none, or is not signed by that key as a mandate.
    """
    if len(text) > _LONGEST_MANDATE:
        raise InvalidMandate([f"$: has {len(text)} characters, more than {_LONGEST_MANDATE}"], "signature_invalid")
    try:
        opened = open_jws(text)
        opened.verify(key)
    except InvalidJws as error:
        raise InvalidMandate(error.faults, "signature_invalid") from None
    return _mandate(opened)


def sign_mandate(claims: Mapping[str, Any], kid: str, key: OKPKey) -> str:
    """Sign the claims of a mandate (`iss`, `sub`, `jti`, `nbf`, `exp`, `grp`) with its issuer's key."""
    return sign_jws({"alg": "EdDSA", "typ": MANDATE_TYPE, "kid": kid}, claims, key)


def _mandate(opened: OpenedJws) -> Mandate:
    claims = opened.payload.value if isinstance(opened.payload.value, dict) else {}
    faults = [f"$.{name}: must be text" for name in ("iss", "sub", "jti") if not _is_name(claims.get(name))]
    if opened.header.get("typ") != MANDATE_TYPE:
        faults.append(f"$.header.typ: must be {MANDATE_TYPE}, so that nothing else can pass for a mandate")
    terms = claims.get("grp")
    if not isinstance(terms, dict):
        faults.append("$.grp: must be an object")
    issuer, kid = claims.get("iss"), opened.header.get("kid")
    if _is_name(issuer) and issuer.startswith("did:key:") and kid != issuer:
        faults.append("$.header.kid: must be the did:key that has issued it")
    if faults or not isinstance(terms, dict):
        raise InvalidMandate(faults, "signature_invalid")
    return Mandate(claims["iss"], claims["sub"], claims["jti"], claims.get("exp"), claims.get("nbf"), terms)


def _is_name(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and value != ""


def _texts(value: object) -> set[str]:
    return {one for one in value if isinstance(one, str)} if isinstance(value, list) else set()


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
