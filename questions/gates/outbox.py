"""What is to be done outside, in a channel, and what is known of it: a table of transitions, and `step`.

An effect shows a request in one channel, or shows there how it ended. Each attempt is written down before it is made,
and what came of it afterwards. An attempt of which nothing is known is never made again by itself: a person confirms
that it has happened, or has it made again, or an answer proves that it was seen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, NamedTuple

import attrs

from .adapter import MessageRef, Report
from .digests import hashed
from .errors import EffectRefused

__all__ = [
    "AUTOMATIC_TRIES",
    "TRANSITIONS",
    "Begin",
    "Confirm",
    "Drop",
    "Effect",
    "EffectEvent",
    "EffectState",
    "Lost",
    "Proven",
    "Purpose",
    "Reported",
    "Retry",
    "Transition",
    "step",
]

Purpose = Literal["present", "settle"]
AUTOMATIC_TRIES = 3
"""How often something that is known to have failed is tried without anybody asking for it."""


class EffectState(StrEnum):
    """Where an effect stands. `cancelled` is final; what is `applied` was done."""

    PENDING = "pending"
    APPLYING = "applying"
    APPLIED = "applied"
    REJECTED = "rejected"
    AMBIGUOUS = "ambiguous"
    CANCELLED = "cancelled"


@attrs.frozen(kw_only=True)
class Effect:
    """One thing to do in one channel for one request, and what is known of it. Immutable."""

    channel: str
    decision_id: str
    request_digest: str
    purpose: Purpose
    created_at: int
    """Epoch milliseconds; the oldest is done first."""
    state: EffectState = EffectState.PENDING
    attempts: int = 0
    """How many were begun."""
    tries_left: int = AUTOMATIC_TRIES
    """How many more are begun without anybody asking for them."""
    messages: tuple[MessageRef, ...] = ()
    """All that are known to be there. Private."""
    error_code: str | None = None
    """Of the last attempt."""

    @property
    def id(self) -> str:
        """Follows from the channel, the request and the purpose, so that it is written once."""
        ids = {"decisionId": self.decision_id, "requestDigest": self.request_digest}
        return "effect-" + hashed({"channelId": self.channel, **ids, "purpose": self.purpose})

    @property
    def attempt_id(self) -> str:
        """Of the last attempt: a report of an earlier one has another id, and does not count."""
        return "channel-" + hashlib.sha256(f"{self.id}\0{self.attempts}".encode()).hexdigest()


@attrs.frozen
class Begin:
    """An attempt is about to be made."""


@attrs.frozen
class Reported:
    """What came of an attempt, by who has made it."""

    attempt_id: str
    report: Report


@attrs.frozen
class Lost:
    """Whoever was at it has gone, without a word."""


@attrs.frozen
class Confirm:
    """A person says that it has happened."""


@attrs.frozen
class Retry:
    """A person wants it made again, though it may then be there twice."""


@attrs.frozen
class Proven:
    """Somebody has answered what was shown, so it is there."""


@attrs.frozen
class Drop:
    """There is no use for it any more."""


EffectEvent = Begin | Reported | Lost | Confirm | Retry | Proven | Drop


class Transition(NamedTuple):
    """What an event changes of an effect, and the state that it leads to."""

    change: Callable[[Effect, Any], Effect]
    then: Callable[[Any], EffectState]


def step(effect: Effect, event: EffectEvent) -> Effect:
    """The effect after the event; the same one if that changes nothing.

    Raises `EffectRefused` for what cannot happen to it now, and for a report of another attempt. A new effect has to
    be written before anything is done outside.
    """
    transition = TRANSITIONS[effect.state].get(type(event))
    if transition is None:
        raise EffectRefused(effect.id, effect.state.value, type(event).__name__.lower())
    changed, state = transition.change(effect, event), transition.then(event)
    return changed if changed.state is state else attrs.evolve(changed, state=state)


def _same(effect: Effect, _event: object) -> Effect:
    return effect


def _begin(effect: Effect, _event: Begin) -> Effect:
    if not effect.tries_left:
        raise EffectRefused(effect.id, effect.state.value, "begin")
    return attrs.evolve(effect, attempts=effect.attempts + 1, tries_left=effect.tries_left - 1, error_code=None)


def _take(effect: Effect, event: Reported) -> Effect:
    if event.attempt_id != effect.attempt_id:
        raise EffectRefused(effect.id, effect.state.value, "report of another attempt")
    messages = _joined(effect.messages, event.report.messages)
    return attrs.evolve(effect, messages=messages, error_code=event.report.error_code)


def _renew(effect: Effect, _event: Retry) -> Effect:
    return attrs.evolve(effect, tries_left=AUTOMATIC_TRIES)


def _joined(known: Sequence[MessageRef], told: Sequence[MessageRef]) -> tuple[MessageRef, ...]:
    """What was known stays known, whoever forgets to say it."""
    return tuple({(ref.chat_id, ref.message_id): ref for ref in (*known, *told)}.values())


def _reported(event: Reported) -> EffectState:
    match event.report.state:
        case "confirmed":
            return EffectState.APPLIED
        case "failed":
            return EffectState.REJECTED
    return EffectState.AMBIGUOUS


def _to(state: EffectState, change: Callable[[Effect, Any], Effect] = _same) -> Transition:
    return Transition(change, lambda _: state)


_BEGUN = _to(EffectState.APPLYING, _begin)
_AGAIN = _to(EffectState.PENDING, _renew)
_PENDING, _APPLYING, _APPLIED, _REJECTED, _AMBIGUOUS, _CANCELLED = map(_to, EffectState)

TRANSITIONS: Mapping[EffectState, Mapping[type[EffectEvent], Transition]] = {
    EffectState.PENDING: {Begin: _BEGUN, Proven: _PENDING, Drop: _CANCELLED},
    EffectState.APPLYING: {
        Reported: Transition(_take, _reported),
        Lost: _AMBIGUOUS,
        Proven: _APPLYING,
        Drop: _APPLYING,
    },
    EffectState.APPLIED: {Proven: _APPLIED, Drop: _APPLIED},
    EffectState.REJECTED: {Begin: _BEGUN, Retry: _AGAIN, Proven: _REJECTED, Drop: _CANCELLED},
    EffectState.AMBIGUOUS: {Confirm: _APPLIED, Retry: _AGAIN, Proven: _APPLIED, Drop: _AMBIGUOUS},
    EffectState.CANCELLED: {Proven: _CANCELLED, Drop: _CANCELLED},
}
