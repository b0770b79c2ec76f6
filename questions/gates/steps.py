"""The machine of a gate: a table of transitions, and `step`, which judges one candidate.

A person's answer, the timeout policy, a cancellation and the end of time compete for one resolution; the first one is
written, once. `step` says what becomes of a candidate, and what is to be written with it: the resolution, and the
attempt of a person, of a refused one too. It is judged in the transaction that writes, with the time that it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

import attrs

from questions.errors import IllegalTransition, QuestionError

from .deadlines import is_due
from .errors import (
    DeadlinePassed,
    DecisionAccepted,
    DecisionCancelled,
    HasDefault,
    HumanRequired,
    InvalidResponse,
    KeyReused,
    NoDeadline,
    NoDefault,
    NotDue,
    Stale,
)
from .instants import iso
from .request import Request
from .resolution import AcceptedDecision, Cancellation, Resolution, accepted, cancelled
from .responses import response_faults
from .submission import Attempt, Submission
from .verdicts import Accepted, Adopted, Cancelled, Conflict, Refused, Verdict

__all__ = [
    "TRANSITIONS",
    "Answer",
    "Cancel",
    "Event",
    "Expire",
    "Outcome",
    "ProgramAnswer",
    "Standing",
    "State",
    "Timeout",
    "Transition",
    "due_event",
    "step",
]


class State(StrEnum):
    """Where a decision stands. The last two are final."""

    OPEN = "open"
    ACCEPTED = "accepted"
    CANCELLED = "cancelled"


@attrs.frozen
class Standing:
    """A request, and how it has ended, if it has."""

    request: Request
    resolution: Resolution | None = None

    @property
    def state(self) -> State:
        """Follows from the resolution."""
        if self.resolution is None:
            return State.OPEN
        return State.CANCELLED if isinstance(self.resolution, Cancellation) else State.ACCEPTED


@attrs.frozen
class Answer:
    """A person answers. `earlier`: what is recorded under the id of this attempt (`Submission.attempt_id`)."""

    submission: Submission
    earlier: Attempt | None = None


@attrs.frozen
class ProgramAnswer:
    """A program or a model answers: never good enough."""


@attrs.frozen
class Timeout:
    """The timeout policy chooses."""


@attrs.frozen
class Cancel:
    """Somebody takes the request back."""


@attrs.frozen
class Expire:
    """The time is over, and nothing was to be chosen."""


Event = Answer | ProgramAnswer | Timeout | Cancel | Expire


@attrs.frozen
class Outcome:
    """What a step comes to: the standing after it, the verdict, and the attempt to be recorded, if there is one."""

    standing: Standing
    verdict: Verdict
    attempt: Attempt | None = None


class Transition(NamedTuple):
    """What an event does in a state, and the states that it can lead to."""

    judge: Callable[[Standing, Any, int], Outcome]
    then: Callable[[Outcome], State]


def step(standing: Standing, event: Event, now: int) -> Outcome:
    """What becomes of the event at `now` (epoch milliseconds). Refusals are verdicts; nothing is raised for them.

    If the state has changed, the resolution of the outcome is new and has to be written with its attempt, and with
    all that follows from it, in one transaction.
    """
    transition = TRANSITIONS[standing.state].get(type(event))
    if transition is None:
        raise IllegalTransition(standing.state.value, type(event).__name__)
    outcome = transition.judge(standing, event, now)
    assert outcome.standing.state is transition.then(outcome)
    return outcome


def due_event(request: Request, now: int) -> Timeout | Expire | None:
    """What is to happen to an open request now that its deadline has come; None if it has not."""
    if not is_due(request, now):
        return None
    return Expire() if request.default_response is None else Timeout()


def _accept(standing: Standing, event: Answer, now: int) -> Outcome:
    request, submission = standing.request, event.submission
    if error := _screened(request, event):
        return Outcome(standing, Refused(error))
    at = event.earlier.at if event.earlier else now  # the same bytes, however often it is tried
    if is_due(request, max(at, now)):  # what was late once is late for ever, though the clock be set back
        return _refused(standing, event, now, DeadlinePassed(request.decision_id, iso(request.expires_at or 0)))
    if faults := response_faults("$.response", request.choices, submission.response):
        return Outcome(standing, Refused(InvalidResponse(faults)))
    decision = accepted(request, submission, at)
    return Outcome(Standing(request, decision), Accepted(decision), _recorded(event, now, "accepted"))


def _compare(standing: Standing, event: Answer, now: int) -> Outcome:
    request, submission, winner = standing.request, event.submission, standing.resolution
    assert isinstance(winner, AcceptedDecision)
    if error := _screened(request, event):
        return Outcome(standing, Refused(error))
    if faults := response_faults("$.response", request.choices, submission.response):
        return Outcome(standing, Refused(InvalidResponse(faults)))
    if accepted(request, submission, winner.accepted_at) == winner:
        return Outcome(standing, Adopted(winner))
    conflict = Conflict(winner, submission.response == winner.response)
    return Outcome(standing, conflict, _recorded(event, now, "conflict"))


def _answer_cancelled(standing: Standing, event: Answer, now: int) -> Outcome:
    error = _screened(standing.request, event)
    return Outcome(standing, Refused(error)) if error else _refused(standing, event, now, _closed(standing))


def _screened(request: Request, event: Answer) -> QuestionError | None:
    """What is wrong with an answer whatever the state. The key is looked up before any deadline."""
    submission, earlier = event.submission, event.earlier
    if (submission.decision_id, submission.request_digest) != (request.decision_id, request.request_digest):
        return Stale(request.decision_id)
    return KeyReused(request.decision_id) if earlier and earlier.submission != submission else None


def _refused(standing: Standing, event: Answer, now: int, error: QuestionError) -> Outcome:
    """Refused, and written down, unless it could not have been an answer anyway."""
    if response_faults("$", standing.request.choices, event.submission.response):
        return Outcome(standing, Refused(error))
    return Outcome(standing, Refused(error), _recorded(event, now, error.code))


def _recorded(event: Answer, now: int, outcome: str) -> Attempt | None:
    """The attempt to be written; what was recorded before stays as it was."""
    return None if event.earlier else Attempt(event.submission, now, outcome)


def _refuse_program(standing: Standing, _event: ProgramAnswer, _now: int) -> Outcome:
    return Outcome(standing, Refused(HumanRequired(standing.request.decision_id)))


def _choose(standing: Standing, _event: Timeout, now: int) -> Outcome:
    request = standing.request
    if error := _not_chosen(request) or _not_due(request, now):
        return Outcome(standing, Refused(error))
    assert request.default_response is not None
    decision = accepted(request, request.default_response, now)
    return Outcome(Standing(request, decision), Accepted(decision))


def _choose_again(standing: Standing, _event: Timeout, _now: int) -> Outcome:
    winner, default = standing.resolution, standing.request.default_response
    assert isinstance(winner, AcceptedDecision)
    if error := _not_chosen(standing.request):
        return Outcome(standing, Refused(error))
    if winner.provenance == "timeout":
        return Outcome(standing, Adopted(winner))
    return Outcome(standing, Conflict(winner, winner.response == default))


def _cancel(standing: Standing, _event: Cancel, now: int) -> Outcome:
    return _ended(standing, cancelled(standing.request, "cancelled", now))


def _cancel_again(standing: Standing, _event: Cancel, _now: int) -> Outcome:
    return _ended_again(standing, "cancelled")


def _expire(standing: Standing, _event: Expire, now: int) -> Outcome:
    if error := _not_expired(standing.request) or _not_due(standing.request, now):
        return Outcome(standing, Refused(error))
    return _ended(standing, cancelled(standing.request, "expired", now))


def _expire_again(standing: Standing, _event: Expire, _now: int) -> Outcome:
    error = _not_expired(standing.request)
    return Outcome(standing, Refused(error)) if error else _ended_again(standing, "expired")


def _expire_accepted(standing: Standing, _event: Expire, _now: int) -> Outcome:
    error = _not_expired(standing.request) or DecisionAccepted(standing.request.decision_id)
    return Outcome(standing, Refused(error))


def _cancel_accepted(standing: Standing, _event: Cancel, _now: int) -> Outcome:
    return Outcome(standing, Refused(DecisionAccepted(standing.request.decision_id)))


def _choose_cancelled(standing: Standing, _event: Timeout, _now: int) -> Outcome:
    return Outcome(standing, Refused(_closed(standing)))


def _ended(standing: Standing, cancellation: Cancellation) -> Outcome:
    return Outcome(Standing(standing.request, cancellation), Cancelled(cancellation))


def _ended_again(standing: Standing, reason: str) -> Outcome:
    resolution = standing.resolution
    assert isinstance(resolution, Cancellation)
    return Outcome(standing, Adopted(resolution) if resolution.reason == reason else Refused(_closed(standing)))


def _closed(standing: Standing) -> DecisionCancelled:
    assert isinstance(standing.resolution, Cancellation)
    return DecisionCancelled(standing.request.decision_id, standing.resolution.reason)


def _not_chosen(request: Request) -> QuestionError | None:
    return NoDefault(request.decision_id) if request.default_response is None else None


def _not_expired(request: Request) -> QuestionError | None:
    if request.default_response is not None:
        return HasDefault(request.decision_id)
    return NoDeadline(request.decision_id) if request.expires_at is None else None


def _not_due(request: Request, now: int) -> QuestionError | None:
    return None if is_due(request, now) else NotDue(request.decision_id, iso(request.expires_at or 0))


def _to(settled: State) -> Callable[[Outcome], State]:
    """Either to a final state, or it stays open."""
    open = State.OPEN
    return lambda outcome: settled if isinstance(outcome.verdict, Accepted | Cancelled) else open


def _stays(state: State) -> Callable[[Outcome], State]:
    return lambda outcome: state


_STAYS_OPEN, _STAYS_ACCEPTED, _STAYS_CANCELLED = map(_stays, State)

TRANSITIONS: Mapping[State, Mapping[type[Event], Transition]] = {
    State.OPEN: {
        Answer: Transition(_accept, _to(State.ACCEPTED)),
        ProgramAnswer: Transition(_refuse_program, _STAYS_OPEN),
        Timeout: Transition(_choose, _to(State.ACCEPTED)),
        Cancel: Transition(_cancel, _to(State.CANCELLED)),
        Expire: Transition(_expire, _to(State.CANCELLED)),
    },
    State.ACCEPTED: {
        Answer: Transition(_compare, _STAYS_ACCEPTED),
        ProgramAnswer: Transition(_refuse_program, _STAYS_ACCEPTED),
        Timeout: Transition(_choose_again, _STAYS_ACCEPTED),
        Cancel: Transition(_cancel_accepted, _STAYS_ACCEPTED),
        Expire: Transition(_expire_accepted, _STAYS_ACCEPTED),
    },
    State.CANCELLED: {
        Answer: Transition(_answer_cancelled, _STAYS_CANCELLED),
        ProgramAnswer: Transition(_refuse_program, _STAYS_CANCELLED),
        Timeout: Transition(_choose_cancelled, _STAYS_CANCELLED),
        Cancel: Transition(_cancel_again, _STAYS_CANCELLED),
        Expire: Transition(_expire_again, _STAYS_CANCELLED),
    },
}
