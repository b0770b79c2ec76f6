"""All that is written when a decision ends, as one piece: exactly once, since the resolution was never there before."""

from __future__ import annotations

from collections.abc import Iterator

from .outbox import Drop, Effect, EffectState, step
from .pieces import Piece
from .resolution import AcceptedDecision, Resolution
from .rows import effect_piece, request_piece, resolution_piece, run_attempt_piece
from .runs import AttemptEvent, AttemptState, stepped
from .steps import Standing
from .stood import Stood, Versioned

__all__ = ["settled_piece"]


def settled_piece(stood: Stood, resolution: Resolution) -> Piece:
    """The end of an open decision: how it ended, its attempt, and one settlement for each channel that showed it."""
    request = stood.request
    piece = request_piece(request, Standing(request, resolution).state, stood.version) + resolution_piece(resolution)
    for part in _attempt(stood, resolution):
        piece += part
    for found in stood.effects:
        for part in _effects(found, stood.now):
            piece += part
    return piece


def _attempt(stood: Stood, resolution: Resolution) -> Iterator[Piece]:
    attempt = stood.attempt.value
    if attempt.state is AttemptState.WAITING and attempt.decision_id == stood.request.decision_id:
        event = AttemptEvent.ACCEPT if isinstance(resolution, AcceptedDecision) else AttemptEvent.LEAVE
        yield run_attempt_piece(stepped(attempt, event), stood.attempt.version)


def _effects(found: Versioned[Effect], now: int) -> Iterator[Piece]:
    """What was never shown is not shown any more; what was, or may have been, is settled there."""
    shown = step(found.value, Drop())
    if shown is not found.value:
        yield effect_piece(shown, found.version)
    if shown.state is not EffectState.CANCELLED or shown.messages:
        settle = Effect(
            channel=shown.channel,
            decision_id=shown.decision_id,
            request_digest=shown.request_digest,
            purpose="settle",
            created_at=now,
        )
        yield effect_piece(settle, 0)
