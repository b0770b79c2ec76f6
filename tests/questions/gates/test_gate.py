"""Gates in programs: typed, asked once an attempt, waited for or parked, and gone on with once."""

import attrs
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from questions.durable import StoreUnavailable
from questions.gates import (
    Choice,
    DecisionCancelled,
    Differs,
    Gate,
    GateCancelled,
    GateExpired,
    InvalidGate,
    InvalidRequest,
    NotVerified,
    NotWaiting,
    Place,
    Presentation,
    Prompt,
    Response,
    ResumedElsewhere,
    RunEnded,
    StillWaiting,
    TimeoutPolicy,
    open_gates,
    read_response,
    text_input,
)
from questions.gates.instants import iso
from questions.gates.tables import REQUESTS, RESOLUTIONS
from tests.questions.gates.acts import accepted, asked, entered, held, rows
from tests.questions.gates.cases import CREATED, DEADLINE, EXACT, TEN_MINUTES, request, submission
from tests.questions.gates.engines import opened

INPUT = {"audience": "operator", "task": "keep original"}


class Continue(Choice):
    pass


class Replan(Choice):
    instructions: str = text_input("What should change?")


def prompt(context):
    return Prompt("Approve plan", {"plan": context}, Presentation("Review the plan."))


def gate(request=prompt, **options):
    made: Gate[Continue | Replan] = Gate(Continue, Replan, request=request, **options)
    return made


async def started(gates, id="run-a"):
    return await gates.start_run(id, "workflow-a", INPUT)


async def answer(gates, response=Response("continue"), key="event-a"):  # noqa: B008
    [standing] = await gates.list()
    return await gates.submit(submission(standing.request, response, key))


async def decided(gates, run, made, *, by, attempt="attempt-a", context="a"):
    """What a gate comes to whose decision `by` brings about while it is waited for."""
    chosen = []
    async with trio.open_nursery() as nursery:

        async def decide():
            chosen.append(await made.decide(run, "approve", attempt, context))

        nursery.start_soon(decide)
        while not await gates.list():
            await trio.lowlevel.checkpoint()
        await by()
    return chosen[0]


async def test_a_program_waits_and_goes_on_with_what_was_chosen(gates):  # case 67, case 68
    run = await started(gates)
    assert await decided(gates, run, gate(), by=lambda: answer(gates)) == Continue()
    [receipt] = await run.receipts()
    assert (receipt.provenance, receipt.response) == ("human", Response("continue"))
    assert "source" not in receipt.as_json()
    assert (run.input, await run.state()) == (INPUT, "running")


async def test_a_text_comes_back_exactly_and_says_nothing_of_who_gave_it(gates):  # case 73
    run = await started(gates)
    text = {"choice": "replan", "input": {"instructions": EXACT}}
    made = gate()
    response = read_response(made.definition.choices, text)
    assert await decided(gates, run, made, by=lambda: answer(gates, response)) == Replan(EXACT)
    assert "actorId" not in str([receipt.as_json() for receipt in await run.receipts()])


async def test_an_attempt_is_asked_once_however_often_it_is_come_to(engines, gates):
    """Also by another process, and when the deadline would be another one by now."""
    built = []

    def build(context):
        built.append(context)
        return prompt(context)

    made = gate(build, timeout=TimeoutPolicy(TEN_MINUTES, Response("continue")))
    first = await made.submit(await started(gates), "approve", "attempt-a", "a")
    await engines.set_clock(CREATED + 5_000)
    async with opened(engines) as others:
        again = await made.submit(await started(others), "approve", "attempt-a", "b")
    assert (again, built) == (first, ["a"])
    assert first.expires_at == DEADLINE
    assert len(await rows(gates, REQUESTS)) == 1


async def test_many_who_come_to_an_attempt_at_once_ask_once(gates):
    built, chosen = [], []

    def build(context):
        built.append(context)
        return prompt(context)

    run, made = await started(gates), gate(build)

    async def decide():
        chosen.append(await made.decide(run, "approve", "attempt-a", "a"))

    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(decide)
        while not await gates.list():
            await trio.lowlevel.checkpoint()
        await answer(gates)
    assert (built, chosen) == (["a"], [Continue()] * 20)


async def test_of_two_processes_that_come_to_an_attempt_at_once_one_has_its_request_stored(engines):
    async with engines.open_intercepted() as (store, between), open_gates(store, serve=False) as gates:
        await engines.set_clock(CREATED)
        run = await started(gates)
        await gates.enter_attempt("run-a", "approve", "attempt-a")
        async with opened(engines) as others:
            theirs = await started(others)

            async def quicker():
                await gate().submit(theirs, "approve", "attempt-a", "theirs")

            between.before.append(quicker)
            request = await gate().submit(run, "approve", "attempt-a", "ours")
        assert request.subject == {"plan": "theirs"}
        assert len(await rows(gates, REQUESTS)) == 1


async def test_who_stops_waiting_leaves_the_request_and_gets_the_answer_later(gates):
    run, made = await started(gates), gate()
    with trio.move_on_after(0.01):
        await made.decide(run, "approve", "attempt-a", "a")
    while not await gates.list():  # it was cancelled before it was asked
        with trio.move_on_after(0.05):
            await made.decide(run, "approve", "attempt-a", "a")
    await answer(gates)
    assert await made.decide(run, "approve", "attempt-a", "a") == Continue()
    assert await made.decide(run, "approve", "attempt-a", "a") == Continue()


async def test_a_parked_run_has_no_result_until_it_is_decided(gates):
    run, made = await started(gates), gate()
    await made.submit(run, "approve", "attempt-a", "a")
    with pytest.raises(StillWaiting):
        await made.result(run, "attempt-a")
    await answer(gates)
    assert await made.result(run, "attempt-a") == Continue()
    assert [one.state for one in await gates.attempts("run-a")] == ["resumed"]


async def test_an_attempt_that_asked_nothing_has_no_result(gates):
    run = await started(gates)
    await gates.enter_attempt("run-a", "approve", "attempt-a")
    with pytest.raises(NotWaiting):
        await gate().result(run, "attempt-a")


@pytest.mark.parametrize("end", ["cancelled", "expired"])
async def test_an_end_without_a_choice_is_no_choice(engines, gates, end):
    run = await started(gates)
    expires = lambda context: attrs.evolve(prompt(context), expires_at=iso(DEADLINE))  # noqa: E731
    request = await gate(expires).submit(run, "approve", "attempt-a", "a")
    if end == "cancelled":
        await gates.cancel(request.decision_id)
    else:
        await engines.set_clock(DEADLINE)
        await gates.expire(request.decision_id, await held(gates))
    with pytest.raises(GateCancelled if end == "cancelled" else GateExpired, match="nothing was chosen"):
        await gate(expires).decide(run, "approve", "attempt-a", "a")
    assert await run.state() == end


async def test_an_accepted_run_that_was_cancelled_goes_on_nowhere(gates):
    run, made = await started(gates), gate()
    await made.submit(run, "approve", "attempt-a", "a")
    await answer(gates)
    await run.cancel()
    with pytest.raises(RunEnded):
        await made.result(run, "attempt-a")


async def test_a_run_goes_on_with_the_stored_decision_and_no_other(gates):  # case 69, case 70
    made = await asked(gates)
    with pytest.raises(NotVerified, match="none was given"):
        await gates.resume("run-a", "attempt-a", None)
    decision = await accepted(gates, made)
    forged = attrs.evolve(decision, source=attrs.evolve(decision.source, actor_id="forged"))
    with pytest.raises(NotVerified, match="not the stored one"):
        await gates.resume("run-a", "attempt-a", forged)
    assert (await gates.resume("run-a", "attempt-a", decision)).first


async def test_a_cancelled_decision_resumes_nothing(gates):
    made = await asked(gates)
    other = await asked(gates, place=Place("run-b", "workflow-a", "approve", "attempt-b"))
    decision = await accepted(gates, other)
    await gates.cancel(made.decision_id)
    with pytest.raises(DecisionCancelled):
        await gates.resume("run-a", "attempt-a", decision)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_a_direct_answer_and_the_recovery_go_on_once(engines, order):
    """Both have seen the same acceptance: one makes the run go on, and the other one adopts that."""
    async with engines.open_intercepted() as (store, between), open_gates(store, serve=False) as gates:
        await engines.set_clock(CREATED)
        made = await asked(gates, parked=True)
        decision = await accepted(gates, made)
        went = {}

        async def resume(number):
            went[number] = await gates.resume("run-a", "attempt-a", decision, owner=f"host/{number}")

        first, second = order
        between.before.append(lambda: resume(first))
        await resume(second)
        assert [went[first].first, went[second].first] == [True, False]
        assert went[second].attempt.owner == f"host/{first}"


async def test_another_gate_cannot_read_the_request_of_this_one(gates):
    class Stop(Choice):
        pass

    run = await started(gates)
    await gate().submit(run, "approve", "attempt-a", "a")
    other: Gate[Stop] = Gate(Stop, request=prompt)
    with pytest.raises(Differs):
        await other.submit(run, "approve", "attempt-a", "a")
    with pytest.raises(Differs):
        await other.result(run, "attempt-a")


async def test_a_prompt_that_cannot_be_is_asked_of_nobody(gates):
    run = await started(gates)
    with pytest.raises(InvalidRequest):
        await gate(lambda context: Prompt("", context, Presentation("x"))).decide(run, "approve", "attempt-a", "a")
    assert await rows(gates, REQUESTS) == []
    assert [one.state for one in await gates.attempts("run-a")] == ["entered"]


def test_routes_are_exhaustive_in_both_directions():
    made = gate()
    assert made.routes("approve", {Continue: 1, Replan: 2}).target(Response("continue")) == 1
    with pytest.raises(InvalidGate, match="replan: missing"):
        made.routes("approve", {Continue: 1})
    with pytest.raises(InvalidGate, match="stop: no such choice"):
        made.routes("approve", {Continue: 1, Replan: 2, "stop": 3})


async def test_a_thousand_who_wait_for_one_decision_cost_one_reader(engines):
    options = {"safety_poll_ms": 60_000}
    async with engines.open_intercepted(**options) as (store, between), open_gates(store, serve=False) as gates:
        made = await asked(gates)
        ended = []

        async def wait():
            ended.append(await gates.ended(made.decision_id))

        async with trio.open_nursery() as nursery:
            for _ in range(1_000):
                nursery.start_soon(wait)
            await between.called("get", between.calls["get"] + 2)
            await wait_all_tasks_blocked()
            between.forget()
            await gates.submit(submission(made))
        assert len(ended) == 1_000
        assert between.calls["get"] <= 10
        assert gates.waits.watched == 0


async def test_who_waits_hears_of_what_another_process_has_written(engines, gates):
    made = await asked(gates)
    async with opened(engines) as others, trio.open_nursery() as nursery:
        with trio.fail_after(20):
            nursery.start_soon(others.ended, made.decision_id)
            await gates.submit(submission(made))
            assert await others.ended(made.decision_id)


async def test_who_waits_is_told_when_the_store_is_closed(engines):
    async with trio.open_nursery() as nursery, opened(engines) as gates:
        made = await asked(gates)

        async def wait():
            with pytest.raises(StoreUnavailable):
                await gates.ended(made.decision_id)

        nursery.start_soon(wait)
        await wait_all_tasks_blocked()


async def test_runs_and_attempts_are_started_once(gates):
    run = await entered(gates, input={"a": 1})
    assert (await entered(gates, input={"a": 1})).id == run.id
    with pytest.raises(Differs):
        await entered(gates, input={"a": 2})
    with pytest.raises(Differs):
        await gates.enter_attempt("run-a", "elsewhere", "attempt-a")
    await run.finish()
    await run.finish()
    with pytest.raises(RunEnded):
        await run.cancel()
    assert request().run_id == run.id


@pytest.mark.parametrize("first", ["the handler", "who waits"])
async def test_a_handler_and_who_waits_in_place_do_not_both_go_on(gates, first):
    run, made = await started(gates), gate()
    request = await made.submit(run, "approve", "attempt-a", "a")
    decision = await accepted(gates, request)
    if first == "who waits":
        assert await made.decide(run, "approve", "attempt-a", "a") == Continue()
        assert not (await gates.resume("run-a", "attempt-a", decision, owner="host/1")).first
        return
    attempt = (await gates.resume("run-a", "attempt-a", decision, owner="host/1")).attempt
    with pytest.raises(ResumedElsewhere, match="host/1"):
        await made.decide(run, "approve", "attempt-a", "a")
    assert await made.result(attrs.evolve(run, owner="host/1"), "attempt-a") == Continue()
    await gates.runs.done_with(attempt)
    assert await made.result(run, "attempt-a") == Continue(), "what is done can be looked up"


async def test_those_who_wait_cost_no_reading_of_what_is_open(monkeypatch):
    async with open_gates(":memory:", serve=False, poll_ms=50) as gates, trio.open_nursery() as nursery:
        made = await asked(gates, now=await gates.stored.backend.now())
        nursery.start_soon(gates.ended, made.decision_id)
        read, get, looked = [], gates.stored.backend.get, trio.Event()

        async def counted(table, keys):
            read.append(table)
            if read.count(RESOLUTIONS) == 5:
                looked.set()
            return await get(table, keys)

        monkeypatch.setattr(gates.stored.backend, "get", counted)
        with trio.fail_after(20):
            await looked.wait()
        nursery.cancel_scope.cancel()
    assert read.count(REQUESTS) <= 1
