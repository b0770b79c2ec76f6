"""Runs and their attempts: values, and the two tables of what can happen to them.

A run goes through nodes; each attempt at a node that is a gate asks once. It waits until its request is settled, and
then goes on, once. How its request ends, ends the waiting: an answer makes the attempt ready, all else leaves it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import attrs

from questions.errors import IllegalTransition

from .kept import read_kept, write_kept
from .store_errors import RunEnded
from .values import read_json

__all__ = [
    "ATTEMPT_TRANSITIONS",
    "AttemptEvent",
    "AttemptState",
    "Run",
    "RunAttempt",
    "RunState",
    "ended",
    "read_run",
    "read_run_attempt",
    "stepped",
    "write_run",
    "write_run_attempt",
]

RUN, RUN_ATTEMPT = "questions.gate-run.v1", "questions.gate-run-attempt.v1"


class RunState(StrEnum):
    """Where a run stands. All but the first are final: it came to its end, was cancelled, or its time was over."""

    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


class AttemptState(StrEnum):
    """Where an attempt at a node stands. The last two are final: it went on, or has nothing to wait for any more."""

    ENTERED = "entered"
    WAITING = "waiting"
    READY = "ready"
    RESUMED = "resumed"
    LEFT = "left"


class AttemptEvent(StrEnum):
    """What can happen to an attempt."""

    ASK = "ask"
    ACCEPT = "accept"
    RESUME = "resume"
    LEAVE = "leave"


@attrs.frozen(kw_only=True)
class Run:
    """A run of a workflow. Immutable; times are epoch milliseconds."""

    id: str
    workflow: str
    input_json: str
    """What it was started with, as canonical JSON. It stays what it was."""
    started_at: int
    state: RunState = RunState.RUNNING
    ended_at: int | None = None
    asked: int = 0
    """How many requests it has made; so that none is made while the run is being ended."""

    @property
    def input(self) -> Any:
        """What it was started with: a new copy each time."""
        return read_json(self.input_json)


@attrs.frozen(kw_only=True)
class RunAttempt:
    """One attempt of a run at a node. Immutable; times are epoch milliseconds."""

    id: str
    run_id: str
    workflow: str
    node: str
    entered_at: int
    state: AttemptState = AttemptState.ENTERED
    decision_id: str | None = None
    """The request that it has made: one at most."""
    parked: bool = False
    """Whether nobody waits in place, so that whoever goes on with runs of this workflow is to go on with it."""
    owner: str | None = None
    """Who is going on with it, by host and epoch, while that is not done."""

    @property
    def key(self) -> str:
        """Attempts of different runs may have the same id."""
        return f"{self.run_id}/{self.id}"


_OPEN: Mapping[AttemptEvent, AttemptState] = {AttemptEvent.LEAVE: AttemptState.LEFT}
ATTEMPT_TRANSITIONS: Mapping[AttemptState, Mapping[AttemptEvent, AttemptState]] = {
    AttemptState.ENTERED: {**_OPEN, AttemptEvent.ASK: AttemptState.WAITING},
    AttemptState.WAITING: {**_OPEN, AttemptEvent.ACCEPT: AttemptState.READY},
    AttemptState.READY: {**_OPEN, AttemptEvent.RESUME: AttemptState.RESUMED},
    AttemptState.RESUMED: {},
    AttemptState.LEFT: {},
}


def stepped(attempt: RunAttempt, event: AttemptEvent, **changes: Any) -> RunAttempt:
    """The attempt after an event, with these changes. Raises `IllegalTransition` if the table does not have it."""
    state = ATTEMPT_TRANSITIONS[attempt.state].get(event)
    if state is None:
        raise IllegalTransition(attempt.state.value, event.value)
    return attrs.evolve(attempt, state=state, **changes)


def ended(run: Run, state: RunState, now: int) -> Run:
    """The run once it has ended so; the same one if it had. Raises `RunEnded` if it had ended otherwise."""
    if run.state is state:
        return run
    if run.state is not RunState.RUNNING:
        raise RunEnded(run.id, run.state.value)
    return attrs.evolve(run, state=state, ended_at=now)


def write_run(run: Run) -> str:
    """As it is stored: JSON."""
    return write_kept(RUN, run)


def read_run(text: str) -> Run:
    """The run that is stored as `text`. Raises `IncompatibleState` and `InvalidRecord`."""
    return read_kept(text, RUN, Run)


def write_run_attempt(attempt: RunAttempt) -> str:
    """As it is stored: JSON."""
    return write_kept(RUN_ATTEMPT, attempt)


def read_run_attempt(text: str) -> RunAttempt:
    """The attempt that is stored as `text`. Raises `IncompatibleState` and `InvalidRecord`."""
    return read_kept(text, RUN_ATTEMPT, RunAttempt)
