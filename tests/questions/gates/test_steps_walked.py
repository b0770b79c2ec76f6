"""The machine walked: everything that can happen to three requests, in every order, against a plain model."""

import itertools

import pytest

from questions.gates import (
    Accepted,
    Adopted,
    Answer,
    Cancel,
    Cancelled,
    Conflict,
    Expire,
    ProgramAnswer,
    Refused,
    Source,
    Standing,
    Timeout,
    read_attempt,
    read_resolution,
    step,
    write_attempt,
    write_resolution,
)
from questions.gates.instants import iso
from tests.questions.gates.cases import AUTOMATIC, CONTINUE, CREATED, DEADLINE, REPLAN, request, submission

REQUESTS = {
    "waits for ever": request(),
    "with a default": request(timeout=AUTOMATIC),
    "without a default": request(expires_at=iso(DEADLINE)),
}
# Who does it, as (key, response), or the event itself.
ACTS = [("a", CONTINUE), ("a", REPLAN), ("b", CONTINUE), ProgramAnswer(), Timeout(), Cancel(), Expire()]


class Store:
    """What a store keeps of one decision: it writes texts, and reads them again each time."""

    def __init__(self, asked, resolution=None, attempts=()):
        self.request, self.resolution, self.attempts = asked, resolution, dict(attempts)

    def copy(self):
        return Store(self.request, self.resolution, self.attempts)

    def happens(self, act, now):
        outcome = step(self.standing(), self.event(act), now)
        if outcome.attempt:
            assert outcome.attempt.id not in self.attempts
            self.attempts[outcome.attempt.id] = write_attempt(outcome.attempt)
        if outcome.standing.resolution and self.resolution is None:
            self.resolution = write_resolution(outcome.standing.resolution)
        assert self.standing() == outcome.standing
        return outcome

    def standing(self):
        text = self.resolution
        return Standing(self.request, text and read_resolution(text, self.request))

    def event(self, act):
        if not isinstance(act, tuple):
            return act
        key, response = act
        sent = submission(self.request, response, key, source=Source("terminal", "ana", key))
        text = self.attempts.get(sent.attempt_id)
        return Answer(sent, text and read_attempt(text, self.request))


@pytest.mark.parametrize("asked", REQUESTS.values(), ids=REQUESTS)
def test_whatever_happens_there_is_one_resolution(asked):
    times = [CREATED] if asked.expires_at is None else [CREATED, DEADLINE]  # also backwards, as clocks may go
    walk(Store(asked), list(itertools.product(ACTS, times)), depth=3)


def walk(store, steps, depth):
    for act, now in steps if depth else []:
        after = store.copy()
        outcome = after.happens(act, now)
        is_first = isinstance(outcome.verdict, Accepted | Cancelled)
        assert (after.resolution != store.resolution) == is_first
        assert store.resolution is None or not is_first
        judge(store.request, outcome, act, now)
        walk(after, steps, depth - 1)


def judge(asked, outcome, act, now):
    """What holds for every verdict."""
    resolution = outcome.standing.resolution
    match outcome.verdict:
        case Accepted(decision) if isinstance(act, tuple):
            assert asked.expires_at is None or now < asked.expires_at
            assert (decision.provenance, decision.response) == ("human", act[1])
        case Accepted(decision):
            assert (decision.provenance, decision.response) == ("timeout", asked.default_response)
            assert now >= asked.expires_at
        case Cancelled(cancellation):
            assert cancellation.reason == ("expired" if isinstance(act, Expire) else "cancelled")
            assert act == Cancel() or (asked.default_response is None and now >= asked.expires_at)
        case Adopted(same):
            assert same == resolution
        case Conflict(winner, same_response):
            chosen = act[1] if isinstance(act, tuple) else asked.default_response
            assert (winner, same_response) == (resolution, winner.response == chosen)
        case Refused(error):
            assert error.code
