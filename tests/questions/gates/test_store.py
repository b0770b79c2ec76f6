"""Requests in a store: made once, and settled once, whoever comes when; on each engine."""

from functools import partial

import pytest
import trio

from questions.durable import ChangedConcurrently, UnknownDecision
from questions.durable.backend import Conflict as VersionConflict
from questions.gates import (
    Accepted,
    Adopted,
    Cancelled,
    Conflict,
    DeadlinePassed,
    DecisionAccepted,
    Differs,
    HumanRequired,
    IncompatibleState,
    InvalidResponse,
    KeyReused,
    NotWaiting,
    Piece,
    Place,
    Refused,
    Response,
    RunEnded,
    Source,
    Stale,
    State,
    UnknownAttempt,
    UnknownRun,
    open_gates,
    write_request,
)
from questions.gates.instants import milliseconds
from questions.gates.pieces import put
from questions.gates.rows import channel_piece
from questions.gates.tables import REQUESTS, RESOLUTIONS, SUBMISSIONS
from tests.questions.gates.acts import asked, entered, rows
from tests.questions.gates.cases import AUTOMATIC, CONTINUE, CREATED, DEADLINE, REPLAN, request, submission
from tests.rules import rule

PHONE = Source("telegram:approval", "100", "cb-1")


def refusal(verdict):
    assert isinstance(verdict, Refused)
    return verdict.error


async def outcomes(gates, id):
    return sorted(attempt.outcome for attempt in await gates.submissions(id))


async def test_a_request_is_created_once_and_then_adopted(gates):  # case 38
    await entered(gates)
    made = request()
    assert await gates.create(made) == "created"
    assert await gates.create(made) == "adopted"
    assert (await gates.get(made.decision_id)).request == made
    assert len(await rows(gates, REQUESTS)) == 1


async def test_an_attempt_asks_once(gates):
    await asked(gates)
    with pytest.raises(Differs, match="stored with other content"):
        await gates.create(request(subject={"plan": "b"}))
    with pytest.raises(Differs):
        await gates.create(request(now=CREATED + 1))  # the same id, and other bytes
    assert len(await rows(gates, REQUESTS)) == 1


async def test_a_request_needs_its_run_and_its_attempt(gates):  # case 40
    with pytest.raises(UnknownRun):
        await gates.create(request())
    await gates.start_run("run-a", "workflow-a")
    with pytest.raises(UnknownAttempt):
        await gates.create(request())
    assert await rows(gates, REQUESTS) == []


async def test_a_request_belongs_to_the_node_that_was_entered(gates):
    await entered(gates, Place("run-a", "workflow-a", "elsewhere", "attempt-a"))
    with pytest.raises(Differs):
        await gates.create(request())


async def test_an_answer_settles_request_attempt_and_effects_at_once(gates):  # case 41
    made = await asked(gates)
    verdict = await gates.submit(submission(made))
    assert isinstance(verdict, Accepted)
    standing = await gates.get(made.decision_id)
    assert standing.resolution == verdict.decision
    assert verdict.decision.provenance == "human"
    [attempt] = await gates.attempts("run-a")
    assert attempt.state == "ready"
    [row] = await rows(gates, RESOLUTIONS, "cause", ("human",))
    assert '"schema":"questions.human-decision-resolution.v1"' in row.value
    assert [one.request for one in await gates.list(State.ACCEPTED)] == [made]
    assert await gates.list() == []


async def test_of_two_concurrent_answers_one_is_accepted(gates):  # case 42
    made = await asked(gates)
    verdicts = []

    async def answer(response, key):
        verdicts.append(await gates.submit(submission(made, response, key)))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer, CONTINUE, "event-a")
        nursery.start_soon(answer, REPLAN, "event-b")
    accepted = [one.decision for one in verdicts if isinstance(one, Accepted)]
    winners = [one.winner for one in verdicts if isinstance(one, Conflict)]
    assert accepted == winners
    assert (await gates.get(made.decision_id)).resolution == accepted[0]


async def test_a_replay_is_adopted_and_writes_nothing(gates):  # case 43, case 52
    made = await asked(gates)
    first = await gates.submit(submission(made))
    assert await gates.submit(submission(made)) == Adopted(first.decision)
    assert len(await rows(gates, RESOLUTIONS, "cause", ("human",))) == 1
    assert await outcomes(gates, made.decision_id) == ["accepted"]


async def test_a_replay_after_the_deadline_is_adopted(engines, gates):  # case 136
    made = await asked(gates, timeout=AUTOMATIC)
    await gates.submit(submission(made))
    await engines.set_clock(DEADLINE + 1)
    assert isinstance(await gates.submit(submission(made)), Adopted)


async def test_a_key_stands_for_one_act(gates):  # case 44
    made = await asked(gates)
    await gates.submit(submission(made))
    assert type(refusal(await gates.submit(submission(made, REPLAN)))) is KeyReused
    assert type(refusal(await gates.submit(submission(made, source=PHONE)))) is KeyReused


async def test_a_later_answer_is_told_the_winner_and_recorded(gates):  # case 46
    made = await asked(gates)
    first = await gates.submit(submission(made, source=PHONE))
    late = await gates.submit(submission(made, REPLAN, "event-b"))
    assert late == Conflict(first.decision, same_response=False)
    assert await outcomes(gates, made.decision_id) == ["accepted", "conflict"]


async def test_a_stale_answer_is_refused(gates):  # case 47
    made = await asked(gates)
    assert type(refusal(await gates.submit(submission(made, request_digest="bad")))) is Stale
    assert type(refusal(await gates.submit(submission(made, decision_id="decision-none")))) is UnknownDecision
    assert (await gates.get(made.decision_id)).resolution is None


async def test_a_late_answer_is_refused_and_leaves_its_row(engines, gates):  # case 48
    made = await asked(gates, now=milliseconds("2019-12-31T00:00:00.000Z"), expires_at="2020-01-01T00:00:00.000Z")
    assert type(refusal(await gates.submit(submission(made)))) is DeadlinePassed
    assert await outcomes(gates, made.decision_id) == ["deadline_passed"]
    assert (await gates.get(made.decision_id)).resolution is None


async def test_a_response_that_is_not_offered_is_refused(gates):
    made = await asked(gates)
    assert type(refusal(await gates.submit(submission(made, Response("unknown"))))) is InvalidResponse
    assert await outcomes(gates, made.decision_id) == []


@rule("Q-SET-5")
async def test_an_answer_that_was_judged_in_time_and_written_too_late_is_refused(engines):
    async with engines.open_intercepted() as (store, between), open_gates(store, serve=False) as gates:
        await engines.set_clock(CREATED)
        made = await asked(gates, timeout=AUTOMATIC)
        between.before.append(lambda: engines.set_clock(DEADLINE))
        assert type(refusal(await gates.submit(submission(made)))) is DeadlinePassed


RIVALS = {
    "an answer": lambda gates, made: gates.submit(submission(made, REPLAN, "event-b")),
    "a cancellation": lambda gates, made: gates.cancel(made.decision_id),
    "the end of the run": lambda gates, made: gates.cancel_run("run-a"),
    "another attempt": lambda gates, made: gates.enter_attempt("run-a", "approve", "attempt-b"),
}


@pytest.mark.parametrize("second", RIVALS)
@pytest.mark.parametrize("first", RIVALS)
async def test_whatever_commits_first_stays_and_the_other_one_is_judged_after_it(engines, first, second):  # case 51
    """The second one has read before the first one writes."""
    async with engines.open_intercepted() as (store, between), open_gates(store, serve=False) as gates:
        await engines.set_clock(CREATED)
        made = await asked(gates)
        between.before.append(lambda: RIVALS[first](gates, made))
        try:
            came_second = await RIVALS[second](gates, made)
        except RunEnded:
            came_second = None
        standing = await gates.get(made.decision_id)
        assert standing.state is (State.ACCEPTED if first == "an answer" else State.CANCELLED)
        assert not isinstance(came_second, Accepted | Cancelled)
        recorded = await rows(gates, SUBMISSIONS, "decision", (made.decision_id,))
        assert len(recorded) == ("an answer" in (first, second))


async def test_a_refused_answer_to_a_cancelled_decision_leaves_its_row(gates):  # case 56
    made = await asked(gates)
    assert isinstance(await gates.cancel(made.decision_id), Cancelled)
    assert isinstance(await gates.cancel(made.decision_id), Adopted)
    assert refusal(await gates.submit(submission(made))).reason == "cancelled"
    assert await outcomes(gates, made.decision_id) == ["decision_cancelled"]


async def test_an_accepted_decision_cannot_be_cancelled(gates):  # case 58
    made = await asked(gates)
    await gates.submit(submission(made))
    assert type(refusal(await gates.cancel(made.decision_id))) is DecisionAccepted
    assert (await gates.get(made.decision_id)).state is State.ACCEPTED
    assert (await gates.run("run-a")).state == "running"


async def test_cancelling_a_decision_cancels_its_run_and_what_else_that_waits_for(gates):  # case 75
    made = await asked(gates)
    other = await asked(gates, place=Place("run-a", "workflow-a", "review", "attempt-r"))
    await gates.cancel(made.decision_id)
    assert (await gates.run("run-a")).state == "cancelled"
    assert (await gates.get(other.decision_id)).state is State.CANCELLED
    with pytest.raises(RunEnded):
        await gates.enter_attempt("run-a", "approve", "attempt-b")


async def test_a_program_never_answers(gates):  # case 72
    made = await asked(gates)
    assert type(refusal(await gates.program_answer(made.decision_id))) is HumanRequired
    await gates.submit(submission(made))
    assert type(refusal(await gates.program_answer(made.decision_id))) is HumanRequired


async def test_what_another_schema_wrote_is_refused_and_left_as_it_is(gates):  # case 53
    made = await asked(gates)
    [row] = await rows(gates, REQUESTS)
    older = write_request(made).replace("human-decision-request.v1", "human-decision-request.v0")
    await gates.record(put(REQUESTS, row.key, row.version, older, kind="test"))
    with pytest.raises(IncompatibleState, match="has to be reset"):
        await gates.submit(submission(made))
    assert (await gates.stored.row(REQUESTS, row.key)).value == older
    assert await gates.list() == []


async def test_another_attempt_takes_back_what_the_older_one_waits_for(gates):
    made = await asked(gates)
    await gates.enter_attempt("run-a", "approve", "attempt-b")
    assert refusal(await gates.submit(submission(made))).reason == "cancelled"
    assert [one.state for one in await gates.attempts("run-a")] == ["left", "entered"]
    assert (await gates.run("run-a")).state == "running"


async def test_an_attempt_that_was_left_asks_nothing(gates):
    await entered(gates)
    await gates.finish_run("run-a")
    with pytest.raises(RunEnded):
        await gates.create(request())


@pytest.mark.parametrize("verdict", ["accepted", "refused", "unknown"])
async def test_what_a_channel_has_read_is_saved_with_the_verdict_whatever_it_is(gates, verdict):
    made = await asked(gates)
    sent = submission(made, Response("unknown") if verdict == "refused" else CONTINUE)
    if verdict == "unknown":
        sent = submission(made, decision_id="decision-none")
    await gates.submit(sent, channel_piece("telegram:a", "6", 0))
    assert (await gates.channel("telegram:a")).value == "6"


async def test_an_answer_of_a_channel_that_was_overtaken_is_not_counted(gates):
    made = await asked(gates)
    await gates.record(channel_piece("telegram:a", "6", 0))
    with pytest.raises(VersionConflict):
        await gates.submit(submission(made), channel_piece("telegram:a", "6", 0))
    assert (await gates.get(made.decision_id)).resolution is None


async def test_a_store_that_others_change_all_the_time_says_so(engines):
    async with engines.open_intercepted() as (store, between), open_gates(store, serve=False) as gates:
        made = await asked(gates)

        async def touch(parked):
            await gates.runs.hold(await gates.stored.attempt("run-a", "attempt-a"), parked)

        async def nothing():
            pass

        for number in range(16):
            between.before += [partial(touch, number % 2 == 0), nothing]
        with pytest.raises(ChangedConcurrently):
            await gates.submit(submission(made))


def test_nothing_is_an_empty_piece():
    assert not Piece()
    assert Piece() + Piece() == Piece()


async def test_a_decision_that_no_run_waits_for_is_not_gone_on_with(gates):
    await entered(gates)
    with pytest.raises(NotWaiting):
        await gates.resume("run-a", "attempt-a", None)


async def test_unknown_decisions_are_refused(gates):
    for act in (gates.get, gates.cancel, gates.program_answer, gates.submissions):
        with pytest.raises(UnknownDecision):
            await act("decision-none")
