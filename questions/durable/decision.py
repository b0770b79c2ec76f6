"""`Decision`: a record of a pending question, as it is stored and as it is shown.

The stored form is JSON. What this version does not know in it is kept when it is written again, nested fields too, and
what is absent stays absent. A chain of escalation that is malformed is kept as it is, and counts as none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from operator import attrgetter
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from questions.question import Option

from .errors import Unreadable
from .holders import HOLDER, is_holder

__all__ = [
    "LONGEST_CHAIN",
    "Answer",
    "Decision",
    "Escalation",
    "Move",
    "Option",
    "RaisedBy",
    "Status",
    "decode",
    "encode",
    "flat",
]

LONGEST_CHAIN = 8
_SHORTEST_HOP = 1_000
_LATEST = 2**53
"""JSON of other languages is exact up to here; and so is any sum of instants and hops in 64 bits."""

Instant = Annotated[int, Meta(ge=-_LATEST, le=_LATEST)]
# What decisions are found by: engines refuse U+0000 in it, and texts that are too long, and then all that goes with it.
Holder = Annotated[str, Meta(pattern=rf"\A(?:{HOLDER})\Z")]
Participant = Annotated[str, Meta(max_length=512, pattern=r"\A[^\0]*\Z")]

_VERSION, _RAW, _SOURCE = "-version", "-raw", "-source"  # no fields of the stored form


class Status(StrEnum):
    """Where a decision stands. The last three are final."""

    OPEN = "open"
    ANSWERED = "answered"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class RaisedBy(Struct, frozen=True, rename="camel", omit_defaults=True):
    """Who raised a decision, and in what: a run, a session, and the outermost call.

    With a host and one of its epochs it was raised for work of that host, and serves nobody when the epoch is over.
    """

    participant_id: Participant
    run_id: str | None = None
    session_id: str | None = None
    call_id: str | None = None
    host_id: str | None = None
    epoch: str | None = None


class Escalation(Struct, frozen=True, rename="camel"):
    """The chain of holders, and where in it the decision is. Only `hop` ever changes.

    `hop_timeout_ms`: what each holder after the first one gets. `on_final`: what happens when the last one's time is
    over, cancel or default.
    """

    chain: tuple[str, ...]
    hop: int
    hop_timeout_ms: int
    on_final: str


class Move(Struct, frozen=True, rename="camel", omit_defaults=True):
    """A holder that a decision has left, and when (epoch milliseconds). `reason`: expired, or escalated `by` it."""

    holder: str
    until: Instant
    reason: str
    text: str | None = None
    by: str | None = None


class Answer(Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """How a decision ended, and by whom: with an option, a text, both, or, when it was cancelled, neither.

    `via`: program, tui, cli, web, link, expiry, abort, restart. `at`: epoch milliseconds.
    """

    option_id: str | None = None
    text: str | None = None
    answered_by: str
    via: str
    at: Instant


class Decision(Struct, frozen=True, rename="camel", kw_only=True, eq=False):
    """A pending question in a store, or one that has ended. Immutable; times are epoch milliseconds.

    Two are equal if they are written the same and have the same version.
    """

    id: str
    kind: str
    """approval, question or escalation: a label that changes no rule."""
    title: str
    body: str | None = None
    options: tuple[Option, ...] | None = None
    """With options an answer names one of them; without, it is a text."""
    input: str
    """text, confirm, select or editor: how to ask for it."""
    raised_by: RaisedBy
    holder: Holder
    """Who has to act now: `user`, `root`, or `supervisor:` and an id."""
    created_at: Instant
    deadline: Instant | None = None
    """From this very instant on the holder's time is over. None: open for ever."""
    on_expire: str
    """cancel, default or escalate."""
    default_option_id: str | None = None
    escalation: Escalation | None = None
    history: tuple[Move, ...] | None = None
    """The holders before this one, the first one first; absent until the first move."""
    status: Status
    answer: Answer | None = None
    resolved_at: Instant | None = None
    """When it ended."""
    schema: int = 1
    version: int = field(default=0, name=_VERSION)
    """Of its key in the store, as it was read; 0: not stored yet."""
    raw: Mapping[str, Any] = field(default_factory=dict, name=_RAW)
    """What was read, with what is not known here. Empty: it was not read."""
    source: Decision | None = field(default=None, name=_SOURCE)
    """As it was read: what is not as it was there has changed since."""

    @property
    def is_malformed(self) -> bool:
        """Whether it has a chain, or has to have one, and it cannot be used: then it ends as if to be cancelled."""
        return self.escalation is None and (self.on_expire == "escalate" or self.raw.get("escalation") is not None)

    @property
    def next_holder(self) -> str | None:
        """Who would be next in its chain."""
        if self.on_expire != "escalate" or self.escalation is None:
            return None
        following = self.escalation.chain[self.escalation.hop + 1 :]
        return following[0] if following else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Decision) and flat(self) == flat(other)

    def __ne__(self, other: object) -> bool:
        return not self == other  # a struct's own would go by identity

    def __hash__(self) -> int:
        return hash((self.id, self.version))

    def __repr__(self) -> str:
        return f"Decision({flat(self)})"


_UNSTORED = frozenset({_VERSION, _RAW, _SOURCE})
_STORED = {one.name: one.encode_name for one in msgspec.structs.fields(Decision) if one.encode_name not in _UNSTORED}
"""The names of the fields, and how they are called where they are stored."""
_fields = attrgetter(*_STORED)
_NOTHING = (None,) * len(_STORED)


def decode(text: str, version: int = 0) -> Decision:
    """The decision that is stored as `text` under a key of this version. Raises `Unreadable` if it is none."""
    try:
        raw = msgspec.json.decode(text)
        source = _read(raw)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise Unreadable(str(error)) from None
    return replace(source, version=version, raw=raw, source=source)


def encode(decision: Decision) -> str:
    """As it is stored: what was read, with what has changed since."""
    return msgspec.json.encode(_record(decision)).decode()


def flat(decision: Decision) -> dict[str, Any]:
    """As it is shown to programs: the stored form, and `version`. A copy."""
    return {**msgspec.json.decode(encode(decision)), "version": decision.version}


def _read(raw: Any) -> Decision:
    if isinstance(raw, dict):
        raw = {name: value for name, value in raw.items() if name not in _UNSTORED}
        if "escalation" in raw:
            raw["escalation"] = _well_formed(raw["escalation"])
    return msgspec.convert(raw, Decision)


def _well_formed(escalation: Any) -> dict[str, Any] | None:
    match escalation:
        case {"chain": list(chain), "hop": int(hop), "hopTimeoutMs": int() | float() as timeout}:
            pass
        case _:
            return None
    if isinstance(hop, bool) or isinstance(timeout, bool) or not _SHORTEST_HOP <= timeout <= _LATEST // LONGEST_CHAIN:
        return None
    if not 0 <= hop < len(chain) <= LONGEST_CHAIN or not all(map(is_holder, chain)):
        return None
    final = "default" if escalation.get("onFinal") == "default" else "cancel"
    return {"chain": chain, "hop": hop, "hopTimeoutMs": math.floor(timeout), "onFinal": final}


def _record(decision: Decision) -> dict[str, Any]:
    """What was read, with the fields that have changed; absent ones are left out."""
    record = dict(decision.raw)
    source = _NOTHING if decision.source is None else _fields(decision.source)
    for stored, was, now in zip(_STORED.values(), source, _fields(decision), strict=True):
        if now is None and was is not None:
            record.pop(stored, None)
        elif now is not was:
            record[stored] = _rewritten(record.get(stored), msgspec.to_builtins(was), msgspec.to_builtins(now))
    return record


def _rewritten(raw: Any, was: Any, now: Any) -> Any:
    """What was read, with the differences between what was known of it then and now."""
    if now == was:
        return raw
    if isinstance(raw, dict) and isinstance(was, dict) and isinstance(now, dict):
        changed = {
            name: _rewritten(raw.get(name), was.get(name), value)
            for name, value in now.items()
            if value != was.get(name)
        }
        gone = was.keys() - now.keys()
        return {name: value for name, value in {**raw, **changed}.items() if name not in gone}
    if isinstance(raw, list) and isinstance(was, list | tuple) and isinstance(now, list | tuple):
        kept = [_rewritten(*values) for values in zip(raw, was, now, strict=False)]
        return [*kept, *now[len(kept) :]]
    return now
