"""Candidates for one resolution: whatever comes first is written once, and each other one is told what is."""

import attrs
import pytest

from questions.gates import (
    Accepted,
    AcceptedDecision,
    Adopted,
    Answer,
    Attempt,
    Cancel,
    Cancellation,
    Cancelled,
    Conflict,
    DeadlinePassed,
    DecisionAccepted,
    DecisionCancelled,
    Expire,
    GivenText,
    HasDefault,
    HumanRequired,
    InvalidResponse,
    KeyReused,
    NoDeadline,
    NoDefault,
    NotDue,
    ProgramAnswer,
    Refused,
    Response,
    Source,
    Stale,
    Standing,
    State,
    Timeout,
    cause,
    due_event,
    due_in_order,
    step,
    write_resolution,
)
from questions.gates.instants import iso, milliseconds
from questions.gates.steps import TRANSITIONS
from tests.questions.gates.cases import (
    AUTOMATIC,
    CONTINUE,
    CREATED,
    DEADLINE,
    PLACE,
    REPLAN,
    request,
    submission,
)

REQ = request()
SOON = CREATED + 1_000
PHONE = Source("telegram:approval", "100", "cb-1")


def happens(standing, event, now=SOON):
    return step(standing, event, now)


def refusal(outcome):
    assert isinstance(outcome.verdict, Refused)
    return outcome.verdict.error


def answered(asked=REQ, response=CONTINUE, key="event-a", now=SOON, **changes):
    return happens(Standing(asked), Answer(submission(asked, response, key, **changes)), now)


def again(outcome, response=CONTINUE, key="event-a", now=SOON, **changes):
    """Another answer after an outcome, with what was recorded under its key."""
    sent = submission(outcome.standing.request, response, key, **changes)
    earlier = outcome.attempt if outcome.attempt and outcome.attempt.id == sent.attempt_id else None
    return happens(outcome.standing, Answer(sent, earlier), now)


def test_an_accepted_answer_is_the_decision():  # case 41
    outcome = answered()
    decision = outcome.standing.resolution
    assert outcome.verdict == Accepted(decision)
    assert (decision.provenance, decision.revision, decision.accepted_at) == ("human", 1, SOON)
    assert decision.subject_digest == REQ.subject_digest
    assert decision.presentation_digest == REQ.presentation_digest
    assert '"schema":"questions.human-decision-resolution.v1","outcome":"accepted"' in write_resolution(decision)
    assert outcome.attempt == Attempt(submission(REQ), SOON, "accepted")
    assert cause(decision) == "human"


def test_any_channel_may_win():  # case 24
    assert isinstance(answered(source=PHONE).verdict, Accepted)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_answers_one_is_accepted(order):  # case 42
    both = [(CONTINUE, "event-a"), (REPLAN, "event-b")]
    first, second = (both[place] for place in order)
    outcome = answered(REQ, *first)
    late = again(outcome, *second)
    assert isinstance(outcome.verdict, Accepted)
    assert late.verdict == Conflict(outcome.standing.resolution, same_response=False)
    assert late.standing.resolution.response == first[0]
    assert late.attempt.outcome == "conflict"


def test_an_identical_answer_is_adopted():  # case 43
    outcome = answered()
    repeated = again(outcome, now=SOON + 5)
    assert repeated.verdict == Adopted(outcome.standing.resolution)
    assert repeated.attempt is None, "the winning attempt stays as it was recorded"


def test_an_identical_answer_is_adopted_after_the_deadline_too():  # case 136
    outcome = answered(request(timeout=AUTOMATIC))
    assert again(outcome, now=DEADLINE + 1).verdict == Adopted(outcome.standing.resolution)


@pytest.mark.parametrize(
    "changes",
    [
        {"response": REPLAN},
        {"source": PHONE},
        {"source": Source("terminal", "session-a", "event-2")},
    ],
)
def test_a_key_stands_for_one_act(changes):  # case 44
    outcome = answered()
    assert type(refusal(again(outcome, **changes))) is KeyReused
    assert again(outcome, **changes).attempt is None


def test_a_key_that_lost_stands_for_one_act_too():
    lost = again(answered(), REPLAN, "event-b")
    assert type(refusal(again(lost, CONTINUE, "event-b"))) is KeyReused
    assert isinstance(again(lost, REPLAN, "event-b").verdict, Conflict)


def test_another_person_is_told_who_was_first():  # case 46
    outcome = answered(source=Source("terminal", "one", "e1"))
    late = again(outcome, REPLAN, "event-b", source=Source("terminal", "two", "e2"))
    assert late.verdict.winner.response == CONTINUE


def test_the_same_choice_under_another_key_is_a_quiet_conflict():
    """A press may be sent again under a new id, after a lost connection."""
    outcome = answered(source=PHONE)
    late = again(outcome, key="event-b", source=Source("telegram:approval", "100", "cb-2"))
    assert late.verdict == Conflict(outcome.standing.resolution, same_response=True)


@pytest.mark.parametrize("changes", [{"request_digest": "bad"}, {"decision_id": "decision-other"}])
def test_a_stale_answer_is_refused_whatever_has_happened(changes):  # case 47
    for standing in (Standing(REQ), answered().standing, happens(Standing(REQ), Cancel()).standing):
        outcome = happens(standing, Answer(submission(REQ, **changes)))
        assert type(refusal(outcome)) is Stale
        assert outcome.attempt is None


def test_a_late_answer_is_refused_and_recorded():  # case 48
    old = request(now=milliseconds("2019-12-31T00:00:00.000Z"), expires_at="2020-01-01T00:00:00.000Z")
    outcome = answered(old)
    assert refusal(outcome).deadline == "2020-01-01T00:00:00.000Z"
    assert "expired" in str(refusal(outcome))
    assert outcome.attempt.outcome == "deadline_passed"
    assert outcome.standing == Standing(old)


def test_a_late_answer_that_could_not_have_been_one_is_not_recorded():
    outcome = answered(request(timeout=AUTOMATIC), Response("unknown"), now=DEADLINE)
    assert type(refusal(outcome)) is DeadlinePassed
    assert outcome.attempt is None


def test_the_exact_instant_belongs_to_the_deadline():
    asked = request(timeout=AUTOMATIC)
    assert isinstance(answered(asked, now=DEADLINE - 1).verdict, Accepted)
    assert type(refusal(answered(asked, now=DEADLINE))) is DeadlinePassed


@pytest.mark.parametrize(
    "response", [Response("unknown"), Response("replan"), Response("continue", GivenText("a", "b"))]
)
def test_a_response_that_is_not_offered_settles_nothing(response):
    for standing in (Standing(REQ), answered().standing):
        outcome = happens(standing, Answer(submission(REQ, response, "event-c")))
        assert type(refusal(outcome)) is InvalidResponse
        assert (outcome.standing, outcome.attempt) == (standing, None)


def test_what_was_too_late_stays_too_late_when_the_clock_is_set_back():
    late = answered(request(timeout=AUTOMATIC), now=DEADLINE)
    assert type(refusal(again(late, now=DEADLINE - 1))) is DeadlinePassed


def test_an_attempt_that_was_recorded_keeps_its_time():
    """As after a crash between the attempt and the resolution: the decision has the same bytes."""
    sent = submission(REQ)
    outcome = happens(Standing(REQ), Answer(sent, Attempt(sent, SOON, "accepted")), SOON + 60_000)
    assert outcome.standing == answered().standing


@pytest.mark.parametrize("order", ["answer first", "cancel first"])
def test_an_answer_and_a_cancellation_exclude_each_other(order):  # case 51
    if order == "answer first":
        first, second = answered(), happens(answered().standing, Cancel())
        assert type(refusal(second)) is DecisionAccepted
    else:
        first = happens(Standing(REQ), Cancel())
        second = again(first)
        assert refusal(second).reason == "cancelled"
        assert second.attempt.outcome == "decision_cancelled", "a refused answer leaves a trace"
    assert second.standing == first.standing


def test_cancelling_twice_is_cancelling_once():  # case 56
    outcome = happens(Standing(REQ), Cancel())
    cancellation = outcome.standing.resolution
    assert outcome.verdict == Cancelled(cancellation)
    assert (cancellation.reason, cancellation.cancelled_at, cause(cancellation)) == (
        "cancelled",
        SOON,
        "explicit_cancel",
    )
    assert happens(outcome.standing, Cancel(), SOON + 1).verdict == Adopted(cancellation)
    assert "cancelled" in str(refusal(again(outcome)))


def test_a_decision_stays_when_somebody_cancels():  # case 58
    outcome = answered()
    late = happens(outcome.standing, Cancel())
    assert type(refusal(late)) is DecisionAccepted
    assert late.standing == outcome.standing


def test_the_policy_chooses_at_the_very_instant():  # case 59
    asked = request(timeout=AUTOMATIC, now=milliseconds("2099-01-01T00:00:00.000Z"))
    early = happens(Standing(asked), Timeout(), milliseconds("2099-01-01T00:09:59.999Z"))
    assert type(refusal(early)) is NotDue
    decision = happens(Standing(asked), Timeout(), asked.expires_at).standing.resolution
    assert iso(decision.accepted_at) == "2099-01-01T00:10:00.000Z"
    assert (decision.provenance, decision.source, decision.idempotency_key) == ("timeout", None, None)
    assert not {"source", "idempotencyKey"} & decision.as_json().keys()
    assert cause(decision) == "timeout_policy"


@pytest.mark.parametrize("first", ["human", "timeout"])
def test_a_person_and_the_policy_exclude_each_other(first):  # case 60
    asked = request(timeout=AUTOMATIC)
    if first == "human":
        won = answered(asked, now=DEADLINE - 1)
        lost = happens(won.standing, Timeout(), DEADLINE)
    else:
        won = happens(Standing(asked), Timeout(), DEADLINE)
        lost = again(won, key="event-z", now=DEADLINE)
    assert lost.verdict == Conflict(won.standing.resolution, same_response=True)
    assert lost.standing.resolution.provenance == first
    assert happens(won.standing, Timeout(), DEADLINE).standing == won.standing


def test_without_a_default_the_policy_chooses_nothing():  # case 62
    for asked in (REQ, request(expires_at=iso(DEADLINE))):
        assert type(refusal(happens(Standing(asked), Timeout(), DEADLINE))) is NoDefault
        assert type(refusal(happens(answered(asked).standing, Timeout(), DEADLINE))) is NoDefault


def test_what_has_a_policy_never_expires():  # case 64
    asked = request(timeout=AUTOMATIC)
    chosen = happens(Standing(asked), Timeout(), DEADLINE)
    assert happens(chosen.standing, Timeout(), DEADLINE + 9).verdict == Adopted(chosen.standing.resolution)
    cancelled = happens(Standing(asked), Cancel())
    for standing in (Standing(asked), chosen.standing, cancelled.standing):
        assert type(refusal(happens(standing, Expire(), DEADLINE))) is HasDefault


def test_a_deadline_without_a_default_expires_once_it_has_passed():
    asked = request(expires_at=iso(DEADLINE))
    assert type(refusal(happens(Standing(asked), Expire(), DEADLINE - 1))) is NotDue
    outcome = happens(Standing(asked), Expire(), DEADLINE)
    assert (outcome.standing.resolution.reason, cause(outcome.standing.resolution)) == ("expired", "expired_no_default")
    assert happens(outcome.standing, Expire(), DEADLINE + 1).verdict == Adopted(outcome.standing.resolution)
    assert refusal(happens(outcome.standing, Cancel(), DEADLINE)).reason == "expired"
    assert refusal(again(outcome, now=DEADLINE + 1)).reason == "expired"
    assert refusal(happens(outcome.standing, Timeout(), DEADLINE)).reason == "expired"


def test_what_has_no_deadline_waits_for_ever():
    assert type(refusal(happens(Standing(REQ), Expire(), 2**52))) is NoDeadline
    assert (
        type(refusal(happens(answered(request(expires_at=iso(DEADLINE))).standing, Expire(), DEADLINE)))
        is DecisionAccepted
    )
    cancelled = happens(Standing(request(expires_at=iso(DEADLINE))), Cancel())
    assert type(refusal(happens(cancelled.standing, Expire(), DEADLINE))) is DecisionCancelled


def test_a_program_never_satisfies_a_gate():  # case 72
    for standing in (Standing(REQ), answered().standing, happens(Standing(REQ), Cancel()).standing):
        outcome = happens(standing, ProgramAnswer())
        assert type(refusal(outcome)) is HumanRequired
        assert "verified human is required" in str(refusal(outcome))
        assert outcome.standing == standing


def test_what_is_due_comes_oldest_first():
    def asked(run, deadline):
        return request(place=attrs.evolve(PLACE, run_id=run), expires_at=iso(deadline))

    late, early, also = asked("r1", DEADLINE + 1), asked("r2", DEADLINE), asked("r3", DEADLINE)
    first, second = sorted([early, also], key=lambda one: one.decision_id)
    requests = [REQ, late, also, early, asked("r4", DEADLINE + 9)]
    assert due_in_order(requests, DEADLINE + 1) == [first, second, late]
    assert [due_event(one, DEADLINE) for one in (REQ, early, late)] == [None, Expire(), None]
    assert due_event(request(timeout=AUTOMATIC), DEADLINE) == Timeout()


def test_every_pair_of_a_state_and_an_event_is_in_the_table():
    events = {Answer, ProgramAnswer, Timeout, Cancel, Expire}
    assert {state: set(by_event) for state, by_event in TRANSITIONS.items()} == dict.fromkeys(State, events)


def test_a_resolution_says_its_state():
    assert Standing(REQ).state is State.OPEN
    assert isinstance(answered().standing.resolution, AcceptedDecision)
    assert isinstance(happens(Standing(REQ), Cancel()).standing.resolution, Cancellation)
