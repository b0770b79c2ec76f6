"""A store whose clock jumps: ahead it moves what is due, and back it undoes nothing."""

import trio

from tests.questions.durable.acts import heard, raise_one
from tests.questions.durable.cases import ALICE, DAY, HOP, WORKER, T, climbing, offsets


async def test_a_jump_ahead_ends_a_wait_with_what_has_become_of_it(engines):
    async with engines.open(safety_poll_ms=50) as store:
        raised = await raise_one(store, timeout_ms=1000)
        ended = []

        async def wait():
            ended.append(await store.decisions(ALICE).wait(raised.id))

        with trio.fail_after(20):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(wait)
                while not store.follower.watched:
                    await trio.lowlevel.checkpoint()
                await engines.set_clock(T + DAY)
        assert [(one.status, one.version) for one in ended] == [("expired", 2)]


async def test_a_jump_back_undoes_nothing_and_gives_no_hop_twice(engines, store):
    hints = store.decisions(ALICE).hints()
    raised = await raise_one(store, **climbing())
    await engines.set_clock(T + HOP)
    moved = await store.decisions(ALICE).get(raised.id)
    await engines.set_clock(T - DAY)
    assert await store.decisions(ALICE).get(raised.id) == moved
    assert (moved.version, moved.holder, offsets(moved)["deadline"]) == (2, "root", 2 * HOP)
    await engines.set_clock(T + HOP)
    assert await store.decisions(ALICE).get(raised.id) == moved
    assert [hint.kind for hint in await heard(store, hints)] == ["decision.raised", "decision.escalated"]


async def test_what_has_expired_stays_so_when_the_clock_jumps_back(engines, store):
    raised = await raise_one(store, timeout_ms=1000)
    await engines.set_clock(T + 1000)
    expired = await store.decisions(ALICE).get(raised.id)
    await engines.set_clock(T)
    assert await store.decisions(ALICE).get(raised.id) == expired
    assert expired.status == "expired"


async def test_after_a_jump_back_an_open_decision_has_the_time_that_its_deadline_says(engines, store):
    raised = await raise_one(store, timeout_ms=1000)
    await engines.set_clock(T - DAY)
    answered = await store.decisions(ALICE).answer(raised.id, text="yes")
    assert (answered.status, answered.resolved_at) == ("answered", T - DAY)


async def test_what_is_raised_after_a_jump_back_is_found_and_kept(engines, store):
    first = await raise_one(store)
    await engines.set_clock(T - DAY)
    second = await raise_one(store, caller=WORKER)
    assert [one.id for one in await store.decisions(ALICE).list()] == [first.id, second.id]
