"""What counting a vote and checking a receipt can refuse. Whatever is refused has counted, signed and proven nothing.

QuestionError
├── InvalidParams (Invalid)     a mechanism, parameter, option or ballot that cannot be; `faults` lists all
├── InvalidCase (Invalid)       what is to be replayed is no case
├── ParticipationOutOfRange     more took part than may
├── InvalidJson (Invalid)       text that is no JSON, or that two programs could read differently
├── InvalidKeySet (Invalid)     public keys that cannot be told apart, or are none
├── InvalidJws (Invalid)        nothing that is certainly signed; `reason` says what was checked first and failed
├── InvalidReceipt (Invalid)    signed, perhaps, and no receipt
├── InvalidChain                receipts that are no whole history of one room; `found` lists all
├── InvalidRoom (Invalid)       what is stored is no room that this version can read
└── InvalidMandate (Invalid)    a mandate that does not allow what it was shown for; `reason` is the first that holds
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import attrs

from questions.errors import Invalid, QuestionError

__all__ = [
    "Fault",
    "InvalidCase",
    "InvalidChain",
    "InvalidJson",
    "InvalidJws",
    "InvalidKeySet",
    "InvalidMandate",
    "InvalidParams",
    "InvalidReceipt",
    "InvalidRoom",
    "JwsReason",
    "MandateReason",
    "ParticipationOutOfRange",
]

JwsReason = Literal["shape", "header", "payload_decode", "alg_unsupported", "kid_unknown", "signature_invalid"]
MandateReason = Literal[
    "signature_invalid",
    "revoked",
    "expired",
    "not_yet_valid",
    "room_not_in_scope",
    "action_not_in_scope",
    "weight_cap",
    "rate_cap",
]


class InvalidParams(Invalid):
    """A vote that cannot be counted as it was given: each fault with its path (`$.params.quorum: ...`)."""


class InvalidCase(Invalid):
    """A case to replay that lacks a field, or is of an unknown kind."""


@attrs.define(eq=False, slots=False, str=False)
class ParticipationOutOfRange(QuestionError):
    """`participation`, valid ballots and abstentions together, is more than the `eligible` voters."""

    participation: int
    eligible: int

    def __str__(self) -> str:
        return f"{self.participation} took part and {self.eligible} may; count each voter once, and all who may vote"


class InvalidJson(Invalid):
    """Text that is no JSON as RFC 8259 and I-JSON have it, or that is too much: each fault with its path."""


class InvalidKeySet(Invalid):
    """A set of public keys, or a key, that cannot be used: each fault with its path."""


@attrs.define(eq=False, slots=False, str=False)
class InvalidJws(Invalid):
    """Nothing in it is certainly signed. `reason`: the first check that failed, in the order that all verifiers have.

    `shape` (three segments, the signature in base64url), `header`, `payload_decode`, `alg_unsupported`, `kid_unknown`,
    `signature_invalid`.
    """

    reason: JwsReason


class InvalidReceipt(Invalid):
    """What is signed, or is to be, is no receipt: each fault with its path."""


@attrs.frozen
class Fault:
    """One thing that is wrong with a chain."""

    place: int | None
    """Which receipt, the first being 0; None: what was given as a whole."""
    code: str
    """A word that stays, for programs."""
    says: str

    def __str__(self) -> str:
        where = "$" if self.place is None else f"$[{self.place}]"
        return f"{where}: {self.code}: {self.says}"


@attrs.define(eq=False, slots=False, str=False)
class InvalidChain(QuestionError):
    """Receipts that are not the whole history of one room, as it was sealed. `found`: everything that is wrong."""

    found: Sequence[Fault]

    def __str__(self) -> str:
        return "; ".join(map(str, self.found))


@attrs.define(eq=False, slots=False, str=False)
class InvalidMandate(Invalid):
    """A mandate that does not allow what it was shown for. `reason`: the first check that failed; `faults`: all."""

    reason: MandateReason


class InvalidRoom(Invalid):
    """What is stored is no room that this version can read: each fault with its path. It is left as it is."""
