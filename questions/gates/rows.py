"""What is written for runs, attempts, requests, resolutions, submissions and effects, as pieces of commits."""

from __future__ import annotations

from questions.durable.backend import Column, Row

from .kept import read_kept, write_kept
from .outbox import Effect
from .pieces import Piece, put
from .records import write_request
from .request import Request
from .resolution import AcceptedDecision, Resolution, cause, write_resolution
from .runs import AttemptState, Run, RunAttempt, RunState, write_run, write_run_attempt
from .settled_records import write_attempt
from .steps import State
from .submission import Attempt
from .tables import CHANNELS, EFFECTS, REQUESTS, RESOLUTIONS, RUN_ATTEMPTS, RUNS, SUBMISSIONS

__all__ = [
    "channel_piece",
    "effect_piece",
    "read_effect",
    "request_piece",
    "resolution_piece",
    "run_attempt_piece",
    "run_piece",
    "submission_piece",
]

EFFECT = "questions.gate-effect.v1"


def run_piece(run: Run, expected: int) -> Piece:
    """A run, over the version `expected` of its row."""
    columns: dict[str, Column] = {
        "state": run.state.value,
        "started": run.started_at,
        "final": None if run.state is RunState.RUNNING else 1,
        "ended": run.ended_at,
    }
    return put(RUNS, run.id, expected, write_run(run), columns, kind=f"run.{run.state.value}")


def run_attempt_piece(attempt: RunAttempt, expected: int) -> Piece:
    """An attempt, over the version `expected` of its row."""
    is_ready = attempt.parked and attempt.state is AttemptState.READY
    columns: dict[str, Column] = {
        "run": attempt.run_id,
        "state": attempt.state.value,
        "entered": attempt.entered_at,
        "ready": attempt.workflow if is_ready else None,
        "owned": attempt.workflow if attempt.owner is not None else None,
    }
    kind = f"attempt.{attempt.state.value}"
    return put(RUN_ATTEMPTS, attempt.key, expected, write_run_attempt(attempt), columns, kind=kind)


def request_piece(request: Request, state: State, expected: int) -> Piece:
    """A request, which never changes; what it is found by does."""
    columns: dict[str, Column] = {
        "state": state.value,
        "created": request.created_at,
        "deadline": request.expires_at,
        "run": request.run_id,
    }
    return put(REQUESTS, request.decision_id, expected, write_request(request), columns, kind=f"gate.{state.value}")


def resolution_piece(resolution: Resolution) -> Piece:
    """How a decision ended: a row that was never there before."""
    is_made = isinstance(resolution, AcceptedDecision)
    at = resolution.accepted_at if isinstance(resolution, AcceptedDecision) else resolution.cancelled_at
    columns: dict[str, Column] = {"cause": cause(resolution), "at": at}
    kind = "resolution.accepted" if is_made else "resolution.cancelled"
    return put(RESOLUTIONS, resolution.decision_id, 0, write_resolution(resolution), columns, kind=kind)


def submission_piece(attempt: Attempt) -> Piece:
    """A submission and what has become of it: a row that was never there before."""
    columns: dict[str, Column] = {"decision": attempt.submission.decision_id, "at": attempt.at}
    return put(SUBMISSIONS, attempt.id, 0, write_attempt(attempt), columns, kind=f"submission.{attempt.outcome}")


def effect_piece(effect: Effect, expected: int) -> Piece:
    """An effect, over the version `expected` of its row."""
    columns: dict[str, Column] = {
        "decision": effect.decision_id,
        "channel": effect.channel,
        "state": effect.state.value,
        "at": effect.created_at,
    }
    kind = f"effect.{effect.state.value}"
    return put(EFFECTS, effect.id, expected, write_kept(EFFECT, effect), columns, kind=kind)


def channel_piece(channel: str, value: str, expected: int) -> Piece:
    """How far a channel has been read, as any text, over the version `expected` of its row."""
    return put(CHANNELS, channel, expected, value, {"name": channel}, kind="channel.saved")


def read_effect(row: Row) -> Effect:
    """The effect of a row. Raises `IncompatibleState` and `InvalidRecord`."""
    return read_kept(row.value, EFFECT, Effect)
