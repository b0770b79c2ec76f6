"""The gate server: one leads, applies deadlines when they have come, and changes no answer by being away."""

import pytest
import trio

from questions.gates import (
    Accepted,
    Adopted,
    Cancelled,
    Conflict,
    GateServer,
    HasDefault,
    LeaseLost,
    NoDefault,
    NotDue,
    NotWaiting,
    Place,
    Refused,
    State,
    cause,
    open_gates,
)
from questions.gates.instants import iso
from questions.gates.pieces import put
from questions.gates.tables import EFFECTS, REQUESTS, RESOLUTIONS, RUN_ATTEMPTS
from tests.questions.gates.acts import asked, held, resolution, rows
from tests.questions.gates.cases import AUTOMATIC, CREATED, DEADLINE, REPLAN, submission
from tests.questions.gates.engines import opened
from tests.rules import rule

LEASE = 10_000


def refusal(verdict):
    assert isinstance(verdict, Refused)
    return verdict.error


async def lasting(gates, lease_ms=365 * 86_400_000):
    """A lease that outlasts what the clock does here."""
    return await held(gates, lease_ms=lease_ms)


@rule("Q-SET-5")
async def test_the_policy_chooses_at_the_very_instant(engines, gates):  # case 59
    made = await asked(gates, timeout=AUTOMATIC)
    lease = await lasting(gates)
    await engines.set_clock(DEADLINE - 1)
    assert type(refusal(await gates.time_out(made.decision_id, lease))) is NotDue
    await engines.set_clock(DEADLINE)
    decision = (await gates.time_out(made.decision_id, lease)).decision
    assert (decision.provenance, decision.source, iso(decision.accepted_at)) == ("timeout", None, iso(DEADLINE))
    assert isinstance(await gates.time_out(made.decision_id, lease), Adopted)


@pytest.mark.parametrize("first", ["a person", "the timeout"])
async def test_a_person_and_the_timeout_race(engines, first):  # case 60
    async with engines.open_intercepted() as (store, between), open_gates(store, serve=False) as gates:
        await engines.set_clock(CREATED)
        made = await asked(gates, timeout=AUTOMATIC)
        lease = await lasting(gates)

        async def time_out():
            await engines.set_clock(DEADLINE)
            return await gates.time_out(made.decision_id, lease)

        async def answer():
            await engines.set_clock(DEADLINE - 1)
            return await gates.submit(submission(made, REPLAN))

        if first == "a person":
            await engines.set_clock(DEADLINE)
            between.before.append(answer)
            verdict = await gates.time_out(made.decision_id, lease)
        else:
            between.before.append(time_out)
            verdict = await gates.submit(submission(made, REPLAN))
        assert isinstance(verdict, Conflict)
        ends = {"a person": "human", "the timeout": "timeout_policy"}
        assert cause(await resolution(gates, made)) == ends[first]


async def test_without_a_default_nothing_is_chosen(engines, gates):  # case 62
    made = await asked(gates, expires_at=iso(DEADLINE))
    lease = await lasting(gates)
    await engines.set_clock(DEADLINE)
    assert type(refusal(await gates.time_out(made.decision_id, lease))) is NoDefault
    assert isinstance(await gates.expire(made.decision_id, lease), Cancelled)
    assert (await gates.run("run-a")).state == "expired", "an end that is told apart from a cancellation"


async def test_with_a_default_nothing_expires(engines, gates):  # case 64
    made = await asked(gates, timeout=AUTOMATIC)
    lease = await lasting(gates)
    await engines.set_clock(DEADLINE)
    assert type(refusal(await gates.expire(made.decision_id, lease))) is HasDefault
    assert isinstance(await gates.apply_deadline(made.decision_id, lease), Accepted)
    assert type(refusal(await gates.expire(made.decision_id, lease))) is HasDefault


async def test_a_lease_that_is_over_applies_nothing(engines, gates):
    made = await asked(gates, timeout=AUTOMATIC)
    lease = await held(gates, lease_ms=LEASE)
    await engines.set_clock(DEADLINE)
    with pytest.raises(LeaseLost):
        await gates.time_out(made.decision_id, lease)
    assert (await gates.get(made.decision_id)).resolution is None


async def test_a_lease_that_somebody_else_has_taken_applies_nothing(engines, gates):
    made = await asked(gates, timeout=AUTOMATIC)
    old = await held(gates, lease_ms=DEADLINE + 5 - CREATED)
    await engines.set_clock(DEADLINE + 5)
    new = await held(gates, "server-2", "secret-2")
    assert new().lease.generation == old().lease.generation + 1
    await engines.set_clock(DEADLINE + 4)  # by a clock that was set back, it would not be over
    with pytest.raises(LeaseLost):
        await gates.time_out(made.decision_id, old)
    assert isinstance(await gates.time_out(made.decision_id, new), Accepted)


async def test_a_lease_that_is_lost_between_reading_and_writing_applies_nothing(engines):
    async with engines.open_intercepted() as (store, between), open_gates(store, serve=False) as gates:
        await engines.set_clock(CREATED)
        made = await asked(gates, timeout=AUTOMATIC)
        lease = await held(gates, lease_ms=DEADLINE + 1 - CREATED)
        await engines.set_clock(DEADLINE)

        async def taken():
            await engines.set_clock(DEADLINE + 1)
            await held(gates, "server-2", "secret-2")

        between.before.append(taken)
        with pytest.raises(LeaseLost):
            await gates.time_out(made.decision_id, lease)
        assert (await gates.get(made.decision_id)).resolution is None


async def test_people_need_no_lease(gates):
    first, second = [await asked(gates, place=place_of(name)) for name in "ab"]
    await held(gates)
    assert isinstance(await gates.submit(submission(first)), Accepted)
    assert isinstance(await gates.cancel(second.decision_id), Cancelled)


def place_of(name):
    return Place(f"run-{name}", "workflow-a", "approve", f"attempt-{name}")


async def test_one_of_two_leads_until_its_lease_is_over(engines, gates):
    first, second = GateServer(gates, "one", lease_ms=LEASE), GateServer(gates, "two", lease_ms=LEASE)
    assert [await first.claim(), await second.claim()] == [True, False]
    assert [first.leads, second.leads] == [True, False]
    assert await first.claim(), "renewed"
    await engines.set_clock(CREATED + LEASE)
    assert await second.claim()
    assert not await first.claim()
    assert second.lease().lease.generation == 2


async def test_who_ends_lets_another_one_lead_at_once(gates):
    first, second = GateServer(gates, "one"), GateServer(gates, "two")
    await first.claim()
    await first.give_back()
    assert await second.claim()
    await first.give_back()
    assert await second.claim()


async def test_a_server_that_slept_through_its_lease_has_lost_it_to_itself_too(engines, gates):
    server = GateServer(gates, "one", lease_ms=LEASE)
    await server.claim()
    await engines.set_clock(CREATED + LEASE)
    assert not await server.claim(), "somebody may have led in between"
    assert await server.claim()


async def test_the_oldest_deadline_comes_first_and_then_the_id(engines, gates):
    made = [await asked(gates, place=place_of(name), expires_at=iso(DEADLINE + ms)) for name, ms in NAMED]
    ordered = sorted(made, key=lambda one: (one.expires_at, one.decision_id))
    await engines.set_clock(DEADLINE + 10)
    server = GateServer(gates, "one")
    await server.claim()
    await engines.set_clock(DEADLINE + 10)
    ids, _ = await gates.due()
    assert list(ids) == [one.decision_id for one in ordered]
    await server.apply_due()
    assert await gates.list() == []


NAMED = [("a", 5), ("b", 1), ("c", 1), ("d", 1), ("e", 0)]


async def test_while_no_server_runs_nothing_is_chosen_and_no_deadline_moves(engines, gates):
    made = await asked(gates, timeout=AUTOMATIC)
    await engines.set_clock(DEADLINE + 3_600_000)
    assert (await gates.get(made.decision_id)).resolution is None
    assert isinstance(await gates.submit(submission(made)), Refused), "downtime does not extend it"
    server = GateServer(gates, "one")
    await server.claim()
    await server.apply_due()
    assert (await gates.get(made.decision_id)).resolution.provenance == "timeout"


async def test_what_cannot_be_read_does_not_stop_the_others(engines, gates):
    bad = await asked(gates, place=place_of("a"), timeout=AUTOMATIC)
    row = await gates.stored.row(REQUESTS, bad.decision_id)
    columns: dict[str, str | int | None] = {
        "state": "open",
        "created": CREATED,
        "deadline": CREATED + 1,
        "run": "run-a",
    }
    await gates.record(put(REQUESTS, row.key, row.version, "{}", columns, kind="test"))
    good = await asked(gates, place=place_of("b"), timeout=AUTOMATIC)
    await engines.set_clock(DEADLINE)
    server = GateServer(gates, "one")
    await server.claim()
    await server.apply_due()
    assert (await gates.get(good.decision_id)).state is State.ACCEPTED


async def test_a_request_that_its_run_does_not_wait_for_times_nothing_out(engines, gates):
    made = await asked(gates, timeout=AUTOMATIC)
    row = await gates.stored.row(RUN_ATTEMPTS, "run-a/attempt-a")
    moved = row.value.replace('"waiting"', '"left"')
    await gates.record(put(RUN_ATTEMPTS, row.key, row.version, moved, kind="test"))
    await engines.set_clock(DEADLINE)
    assert type(refusal(await gates.time_out(made.decision_id, await held(gates)))) is NotWaiting


async def test_a_server_that_runs_ends_the_run_of_a_deadline_once(engines):  # case 65
    """Several candidates, of which one leads, and a deadline that comes while they run."""
    async with opened(engines) as gates:
        await engines.set_clock(CREATED)
        made = await asked(gates, timeout=AUTOMATIC)
        with trio.fail_after(20):
            async with opened(engines, serve=True, poll_ms=50), opened(engines, serve=True, poll_ms=50):
                await engines.set_clock(DEADLINE)
                ended = await gates.ended(made.decision_id)
        assert cause(ended) == "timeout_policy"
        assert len(await rows(gates, RESOLUTIONS, "cause", ("timeout_policy",))) == 1
        assert [run.id for run in await gates.list_runs()] == ["run-a"]


async def test_works_run_while_their_server_leads(engines):
    began, ended = trio.Event(), trio.Event()

    async def work(server):
        assert server.leads
        began.set()
        try:
            await trio.sleep_forever()
        finally:
            ended.set()

    with trio.fail_after(20):
        async with opened(engines, serve=True, works=[work], lease_ms=1_000, poll_ms=50) as gates:
            await began.wait()
            await engines.set_clock(CREATED + 86_400_000 * 30 * 365)  # the lease is over, by the store's clock
            await ended.wait()
            assert gates


async def test_who_leads_has_requests_shown_that_others_have_asked(engines):
    """A program that asks need not know the channels: who leads does, also of what was asked before."""
    heard = trio.Event()
    async with opened(engines) as gates:
        early = await asked(gates, place=place_of("a"))

        def hear(_):
            heard.set()

        gates.store.follower.listen(EFFECTS.name, hear)
        with trio.fail_after(20):
            async with opened(engines, serve=True, audiences={"operator": ["telegram:a"]}, poll_ms=50):
                await heard.wait()
                heard = trio.Event()
                late = await asked(gates, place=place_of("b"))
                await heard.wait()
        for made in (early, late):
            [found] = await gates.effects(made.decision_id)
            assert (found.value.channel, found.value.purpose, found.value.state) == ("telegram:a", "present", "pending")


async def test_what_is_settled_is_shown_nowhere_any_more(gates):
    made = await asked(gates)
    await gates.present(made.decision_id, ["telegram:a"])
    await gates.present(made.decision_id, ["telegram:a", "web"])
    await gates.submit(submission(made))
    await gates.present(made.decision_id, ["telegram:b"])
    found = [(one.value.channel, one.value.state) for one in await gates.effects(made.decision_id)]
    assert sorted(found) == [("telegram:a", "cancelled"), ("web", "cancelled")]
