"""Raising into a store: ids, limits that hold in the raise's own commit, and what goes to make room."""

import re
from functools import partial

import attrs
import pytest
import trio

from questions.durable import (
    BadArgument,
    ChangedConcurrently,
    MemoryBackend,
    Status,
    StoreLimits,
    StoreUnavailable,
    TooManyOpen,
    Unreadable,
    open_store,
)
from questions.durable.backend import Commit, Notice, Write
from questions.durable.store import TABLES
from questions.durable.swapping import BATCH
from questions.durable.table import DECISIONS, META
from questions.durable.tokens import new_token
from tests.questions.durable.acts import fill, heard, outcome, raise_one, rows
from tests.questions.durable.cases import ALICE, CHILD, DAY, LEAD, MAIN, T, climbing, in_call
from tests.questions.durable.rewriting import rewrite

WEEK = 7 * DAY


async def end(store, ids):
    async with trio.open_nursery() as nursery:
        for id in ids:
            nursery.start_soon(partial(store.decisions(ALICE).answer, id, text="done"))


async def present(store, ids):
    return [row.key for row in await rows(store, *ids)]


async def count(store, index, *equal):
    return await store.backend.count(DECISIONS, index, equal)


async def test_what_is_raised_is_stored_as_it_is_returned(store):
    raised = await raise_one(store, body="", run_id="run", session_id="s1", call="call-1", **climbing())
    assert raised.version == 1
    assert await store.decisions(MAIN).get(raised.id) == raised
    assert (raised.raised_by.run_id, raised.raised_by.call_id) == ("run", "call-1")


async def test_the_call_of_the_caller_is_stored_unless_another_is_named(store):
    in_call_1 = in_call(MAIN, "call-1")
    assert (await raise_one(store, caller=in_call_1)).raised_by.call_id == "call-1"
    assert (await raise_one(store, caller=in_call_1, call="call-2")).raised_by.call_id == "call-2"


async def test_a_refused_raise_writes_nothing_and_tells_nobody(store):  # case 17
    hints = store.decisions(MAIN).hints()
    for fields in ({"title": ""}, {"title": "?", "input": "select"}, {"title": "?", "timeout_ms": 1, "kind": "other"}):
        with pytest.raises(BadArgument):
            await store.decisions(MAIN).raise_decision(**fields)
    assert await store.decisions(MAIN).list("all") == []
    assert await heard(store, hints) == []


async def test_ten_thousand_ids_differ():  # case 20
    async with open_store(MemoryBackend(TABLES, lambda: T), sweep_ms=None) as store:
        await store.set_limits(StoreLimits(max_open=10_000, max_stored=10_300))
        ids = await fill(store, 10_000)
    assert len(set(ids)) == 10_000
    assert all(re.fullmatch(r"dec_[A-Za-z0-9_-]{16}", id) for id in ids)


# How many are open


async def test_above_the_limit_of_open_ones_nothing_is_raised(store):  # case 85
    ids = await fill(store, 200)
    with pytest.raises(TooManyOpen) as refused:
        await raise_one(store)
    assert refused.value.limit == 200
    assert len(await store.decisions(MAIN).list(limit=200)) == 200
    await end(store, ids[:1])
    await raise_one(store)


async def test_a_limit_holds_among_those_who_raise_at_once(engines):
    async with engines.open() as one, engines.open() as two:
        await one.set_limits(StoreLimits(max_open=10))
        ends = []

        async def try_one(store):
            ends.append(await outcome(raise_one(store)))

        async with trio.open_nursery() as nursery:
            for number in range(40):
                nursery.start_soon(try_one, (one, two)[number % 2])
        assert sum(isinstance(end, TooManyOpen) for end in ends) == 30
        assert len(await one.decisions(MAIN).list()) == 10


async def test_what_has_expired_makes_room_before_it_is_counted(engines, store):
    await store.set_limits(StoreLimits(max_open=1))
    first = await raise_one(store, timeout_ms=1_000)
    await engines.set_clock(T + 1_000)
    await raise_one(store)
    assert (await store.decisions(MAIN).get(first.id)).status is Status.EXPIRED


async def test_one_raiser_can_be_held_to_fewer(store):
    await store.set_limits(StoreLimits(max_open_per_raiser=2))
    await fill(store, 2, caller=CHILD)
    with pytest.raises(TooManyOpen, match=r"by run-child.* 2 ") as refused:
        await raise_one(store, caller=CHILD)
    assert refused.value.limit == 2
    await raise_one(store, caller=LEAD)


# The limits themselves


async def test_a_store_that_was_never_told_has_the_usual_limits(store):
    assert await store.limits() == StoreLimits()


async def test_limits_are_shared_by_all_who_open_the_store(engines):
    async with engines.open() as one, engines.open() as two:
        await raise_one(two)  # it has read the limits before
        await one.set_limits(StoreLimits(max_open=1))
        with pytest.raises(TooManyOpen):
            await raise_one(two)
        assert await two.limits() == StoreLimits(max_open=1)


async def test_limits_that_are_changed_while_somebody_raises_hold_at_once(engines):
    async with engines.open() as other, engines.open_intercepted() as (store, between):
        await raise_one(store)
        between.before = [lambda: other.set_limits(StoreLimits(max_open=1))]
        with pytest.raises(TooManyOpen):
            await raise_one(store)


async def test_an_opener_s_limits_are_for_a_new_store_alone(engines):
    async with engines.open(limits=StoreLimits(max_open=3)) as store:
        assert (await store.limits()).max_open == 3
        async with engines.open(limits=StoreLimits(max_open=4)) as later:
            assert (await later.limits()).max_open == 3


async def test_no_opener_s_defaults_drop_anything(engines):
    async with engines.open() as store:
        await store.set_limits(StoreLimits(retention_ms=30 * DAY))
        ids = await fill(store, 3)
        await end(store, ids)
    async with engines.open() as later:
        await engines.set_clock(T + 20 * DAY)
        await raise_one(later)
        assert await present(later, ids) == ids


async def test_limits_that_cannot_be_read_stop_raises_and_stay(store):
    write = Write(META, "limits", 0, '{"max_open": -1}')
    await store.backend.commit(Commit(new_token(), [write], [Notice("meta", "limits", 1, "store.limits")]))
    for act in (raise_one(store), store.limits(), store.set_limits(StoreLimits())):
        with pytest.raises(Unreadable):
            await act


# What goes


@pytest.mark.parametrize(("age", "is_kept"), [(WEEK, True), (WEEK + 1, False)])
async def test_what_ended_too_long_ago_goes_with_the_next_raise(engines, store, age, is_kept):  # case 87
    open_one, ended = await fill(store, 2)
    await end(store, [ended])
    await engines.set_clock(T + age)
    await raise_one(store)
    assert await present(store, [open_one, ended]) == [open_one] + [ended] * is_kept


async def test_a_long_life_does_not_count_as_age(engines, store):
    """A plain expired decision counts from when it ended, not from when it was raised."""
    raised = await raise_one(store, timeout_ms=10 * DAY)
    await engines.set_clock(T + 10 * DAY)
    await raise_one(store)
    assert await present(store, [raised.id]) == [raised.id]


async def test_above_the_limit_of_stored_ones_what_ended_first_goes(engines, store):  # case 90
    await store.set_limits(StoreLimits(max_open=310, max_stored=610))
    ids = await fill(store, 309)
    for moment, some in enumerate((ids[:1], ids[1:2], ids[2:])):
        await engines.set_clock(T + moment)
        await end(store, some)
    await fill(store, 300)
    await engines.set_clock(T + 1_000)
    await raise_one(store)
    assert await present(store, ids) == ids
    await raise_one(store)
    assert await present(store, ids) == ids[1:]


async def test_what_expires_in_the_same_raise_can_go_with_it(engines, store):
    await store.set_limits(StoreLimits(max_open=1, retention_ms=0))
    raised = await raise_one(store, timeout_ms=1_000)
    await engines.set_clock(T + 1_000)
    second = await raise_one(store, timeout_ms=1_000)
    assert await present(store, [raised.id]) == [raised.id]  # it has ended just now
    await engines.set_clock(T + 2_000)
    await raise_one(store)
    assert await present(store, [raised.id, second.id]) == [second.id]


async def test_lower_limits_are_reached_some_at_a_time(engines, store):
    ids = await fill(store, BATCH + 20)
    await end(store, ids)
    await store.set_limits(StoreLimits(retention_ms=0))
    await engines.set_clock(T + 1)
    await raise_one(store)
    assert len(await present(store, ids)) == 20
    await raise_one(store)
    assert await present(store, ids) == []


async def test_those_who_raise_at_once_into_a_full_store_drop_one_each(engines, store):
    await store.set_limits(StoreLimits(max_open=320, max_stored=620))
    for _ in range(2):
        await end(store, await fill(store, 310))
    await fill(store, 20)
    assert await count(store, "all") == 620


async def test_a_raise_whose_victims_were_taken_by_another_still_happens(engines):
    async with engines.open() as other, engines.open_intercepted() as (store, between):
        await end(store, await fill(store, 2))
        await store.set_limits(StoreLimits(retention_ms=0))
        await engines.set_clock(T + 1)
        between.before = [lambda: raise_one(other)]
        await raise_one(store)
        assert await count(store, "all") == 2


async def test_what_cannot_be_read_does_not_go(engines, store):
    bad, good = await fill(store, 2)
    await end(store, [bad, good])
    await rewrite(store, bad, lambda record: record.pop("title"))
    await store.set_limits(StoreLimits(retention_ms=0))
    await engines.set_clock(T + 1)
    await raise_one(store)
    assert await present(store, [bad, good]) == [bad]


async def test_a_raise_that_cannot_be_stored_lets_nothing_go(engines):
    async with engines.open_intercepted() as (store, between):
        ids = await fill(store, 1)
        await end(store, ids)
        await store.set_limits(StoreLimits(retention_ms=0))
        await engines.set_clock(T + 1)
        between.away = {"commit"}
        with pytest.raises(StoreUnavailable):
            await raise_one(store)
        assert await present(store, ids) == ids


async def test_a_raise_that_is_overtaken_every_time_says_so(engines):
    async with engines.open() as other, engines.open_intercepted() as (store, between):
        limits = StoreLimits()

        def change(number):
            return lambda: other.set_limits(attrs.evolve(limits, max_open=100 + number))

        between.before = [change(number) for number in range(20)]
        with pytest.raises(ChangedConcurrently):
            await raise_one(store)
        assert await count(store, "all") == 0
