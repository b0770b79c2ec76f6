"""Waiting for a decision: woken by hints, deadlines and safety looks, by one reader, and never by being away."""

import threading
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from questions.durable import (
    BadArgument,
    Caller,
    MemoryBackend,
    Status,
    StoreLimits,
    StoreUnavailable,
    UnknownDecision,
    open_store,
)
from questions.durable.store import TABLES
from tests.questions.durable.acts import raise_one
from tests.questions.durable.cases import ALICE, DAY, HOP, ID, MAIN, WORKER, T, climbing
from tests.questions.durable.intercepting import Intercepting
from tests.rules import rule

PATIENCE = 20
NEVER: dict[str, Any] = {"safety_poll_ms": 60_000}
"""No safety look within the test: what wakes is a hint."""


class Waits:
    """Tasks that wait, in order, and what they were given."""

    def __init__(self, nursery):
        self.nursery = nursery
        self.given = {}
        self.scopes = {}

    def start(self, decisions, id, name="wait", **options):
        self.scopes[name] = trio.CancelScope()
        self.nursery.start_soon(self._run, decisions, id, name, options)

    async def _run(self, decisions, id, name, options):
        with self.scopes[name]:
            try:
                self.given[name] = await decisions.wait(id, **options)
            except Exception as error:
                self.given[name] = error


@rule("Q-SET-2")
async def test_a_wait_ends_with_the_answer(engines):  # case 97
    async with engines.open(**NEVER) as store:
        raised = await raise_one(store)
        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as nursery:
                waits = Waits(nursery)
                waits.start(store.decisions(MAIN), raised.id)
                await wait_all_tasks_blocked()
                await store.decisions(ALICE).answer(raised.id, text="done")
        assert waits.given["wait"].answer.text == "done"


async def test_a_wait_is_woken_by_an_answer_through_another_opener(engines):
    async with engines.open(**NEVER) as store, engines.open(**NEVER) as other:
        raised = await raise_one(store)
        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as nursery:
                waits = Waits(nursery)
                waits.start(store.decisions(MAIN), raised.id)
                await wait_all_tasks_blocked()
                await other.decisions(ALICE).answer(raised.id, text="done")
        assert waits.given["wait"].answer.text == "done"


async def test_what_was_answered_before_the_wait_is_returned_at_once_and_again(engines):
    async with engines.open(**NEVER) as store:
        raised = await raise_one(store)
        answered = await store.decisions(ALICE).answer(raised.id, text="done")
        with trio.fail_after(PATIENCE):
            assert await store.decisions(MAIN).wait(raised.id) == answered
            assert await store.decisions(MAIN).wait(raised.id) == answered


async def test_an_answer_between_subscribing_and_reading_is_not_missed(engines):
    async with engines.open(**NEVER) as other, engines.open_intercepted(**NEVER) as (store, between):
        raised = await raise_one(store)
        read = between.get

        async def answered_meanwhile(table, keys):
            found = await read(table, keys)
            between.get = read
            await other.decisions(ALICE).answer(raised.id, text="done")
            return found

        between.get = answered_meanwhile
        with trio.fail_after(PATIENCE):
            assert (await store.decisions(MAIN).wait(raised.id)).answer.text == "done"


async def test_when_its_own_time_is_over_a_wait_returns_the_open_decision(store):  # case 96
    raised = await raise_one(store)
    assert await store.decisions(MAIN).wait(raised.id, 30) == raised


async def test_no_time_at_all_is_one_read(engines):  # case 96
    async with engines.open_intercepted() as (store, between):
        raised = await raise_one(store)
        between.forget()
        assert await store.decisions(MAIN).wait(raised.id, 0) == raised
        assert between.calls["get"] == 1


@pytest.mark.parametrize("timeout", [-1, 30 * DAY + 1, True, float("nan"), float("inf"), "1000"])
async def test_a_time_out_of_range_is_refused(store, timeout):
    with pytest.raises(BadArgument):
        await store.decisions(MAIN).wait(ID, timeout)


async def test_a_wait_for_what_never_was_is_refused(store):  # case 99
    with trio.fail_after(PATIENCE), pytest.raises(UnknownDecision):
        await store.decisions(MAIN).wait(ID)


async def test_a_wait_for_what_is_dropped_meanwhile_is_refused(engines):  # case 99
    """A waiter that could not read while the decision ended and was dropped."""
    async with engines.open() as other, engines.open_intercepted(safety_poll_ms=50) as (store, between):
        raised = await raise_one(store)
        async with trio.open_nursery() as nursery:
            waits = Waits(nursery)
            waits.start(store.decisions(MAIN), raised.id)
            await wait_all_tasks_blocked()
            between.away = {"get"}
            await other.decisions(ALICE).answer(raised.id, text="done")
            await other.set_limits(StoreLimits(retention_ms=0))
            await engines.set_clock(T + 1)
            await raise_one(other)
            between.away = set()
        assert isinstance(waits.given["wait"], UnknownDecision)


@rule("Q-SET-6")
async def test_a_cancelled_wait_ends_at_once_and_leaves_nothing(engines):  # case 97, case 100
    async with engines.open_intercepted(**NEVER) as (store, between):
        raised = await raise_one(store)
        between.forget()
        threads = threading.enumerate()
        async with trio.open_nursery() as nursery:
            waits = Waits(nursery)
            waits.start(store.decisions(MAIN), raised.id)
            await between.called("get")
            await wait_all_tasks_blocked()
            waits.scopes["wait"].cancel()
            await wait_all_tasks_blocked()
            assert not nursery.child_tasks
        assert waits.given == {}
        assert store.follower.watched == 0
        assert threading.enumerate() == threads
        assert (await store.decisions(MAIN).get(raised.id)) == raised


async def test_cancelling_one_of_two_waits_leaves_the_other(engines):
    async with engines.open(**NEVER) as store:
        raised = await raise_one(store)
        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as nursery:
                waits = Waits(nursery)
                for name in "ab":
                    waits.start(store.decisions(MAIN), raised.id, name)
                await wait_all_tasks_blocked()
                waits.scopes["a"].cancel()
                await store.decisions(ALICE).answer(raised.id, text="done")
        assert list(waits.given) == ["b"]


@pytest.mark.parametrize("cancelled_first", [True, False])
async def test_a_cancellation_and_an_answer_in_one_step(autojump_clock, cancelled_first):
    """Either way the answer is stored; the waiter has it or was cancelled, and nothing is left of the wait."""
    async with open_store(MemoryBackend(TABLES, lambda: T), sweep_ms=None, **NEVER) as store:
        raised = await raise_one(store)
        async with trio.open_nursery() as nursery:
            waits = Waits(nursery)
            waits.start(store.decisions(MAIN), raised.id)
            await wait_all_tasks_blocked()
            if cancelled_first:
                waits.scopes["wait"].cancel()
            await store.decisions(ALICE).answer(raised.id, text="done")
            waits.scopes["wait"].cancel()
        assert store.follower.watched == 0
        assert (await store.decisions(MAIN).get(raised.id)).status is Status.ANSWERED


async def test_a_thousand_waits_cost_one_reader(engines):
    async with engines.open_intercepted(**NEVER) as (store, between):
        raised = await raise_one(store)
        between.forget()
        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as nursery:
                waits = Waits(nursery)
                for name in range(1_000):
                    waits.start(store.decisions(MAIN), raised.id, name)
                await between.called("get")
                await wait_all_tasks_blocked()
                await store.decisions(ALICE).answer(raised.id, text="done")
        assert {one.answer.text for one in waits.given.values()} == {"done"}
        assert len(waits.given) == 1_000
        assert between.calls["get"] <= 4  # before the wait, the answer's own, and after it


# Time


def running(autojump_clock):
    """An engine whose clock runs with trio's."""
    return MemoryBackend(TABLES, lambda: T + round(trio.current_time() * 1000))


async def test_a_wait_makes_expiry_punctual(autojump_clock):
    async with open_store(running(autojump_clock), sweep_ms=None, **NEVER) as store:
        raised = await raise_one(store, timeout_ms=1_500)
        ended = await store.decisions(MAIN).wait(raised.id)
        assert (ended.status, ended.resolved_at) == (Status.EXPIRED, raised.deadline)


async def test_a_wait_follows_the_hops_to_their_end(autojump_clock):
    async with open_store(running(autojump_clock), sweep_ms=None, **NEVER) as store:
        raised = await raise_one(store, **climbing())
        ended = await store.decisions(MAIN).wait(raised.id)
        assert [move.until - raised.created_at for move in ended.history or ()] == [HOP, 2 * HOP]
        assert (ended.status, ended.resolved_at, ended.version) == (Status.EXPIRED, raised.created_at + 3 * HOP, 4)


async def test_a_new_deadline_is_waited_for_after_an_escalation(autojump_clock):
    async with open_store(running(autojump_clock), sweep_ms=None, **NEVER) as store:
        raised = await raise_one(store, **climbing(escalation={"chain": ["supervisor:run-worker", "user"]}))
        async with trio.open_nursery() as nursery:
            waits = Waits(nursery)
            waits.start(store.decisions(MAIN), raised.id)
            await trio.sleep(100)
            moved = await store.decisions(WORKER).escalate(raised.id)
        assert moved.deadline > raised.deadline
        assert waits.given["wait"].resolved_at == moved.deadline


async def test_without_any_hint_a_wait_is_woken_by_the_safety_look(engines):
    async with engines.open() as other, engines.open_intercepted(safety_poll_ms=50) as (store, between):
        raised = await raise_one(store)
        between.away = {"changes"}
        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as nursery:
                waits = Waits(nursery)
                waits.start(store.decisions(MAIN), raised.id)
                await wait_all_tasks_blocked()
                await other.decisions(ALICE).answer(raised.id, text="done")
        assert waits.given["wait"].status is Status.ANSWERED


async def test_safety_looks_at_many_decisions_are_one_read(autojump_clock):
    between = Intercepting(MemoryBackend(TABLES, lambda: T))
    async with open_store(between, sweep_ms=None) as store:
        reads = []
        read = between.get

        async def noted(table, keys):
            reads.append(len(keys))
            return await read(table, keys)

        raised = [await raise_one(store) for _ in range(100)]
        await trio.sleep(0.1)  # the feed is read
        vars(between)["get"] = noted
        async with trio.open_nursery() as nursery:
            waits = Waits(nursery)
            for one in raised:
                waits.start(store.decisions(MAIN), one.id, one.id, timeout_ms=5_500)
            await trio.sleep(5.4)
            assert reads == [100] * 6


# The store is away


async def test_a_wait_outlasts_a_store_that_cannot_be_reached(engines):
    async with engines.open() as other, engines.open_intercepted(safety_poll_ms=50) as (store, between):
        raised = await raise_one(store)
        between.away = {"get", "scan", "now", "moved", "changes", "commit"}
        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as nursery:
                waits = Waits(nursery)
                waits.start(store.decisions(MAIN), raised.id)
                await between.called("get", 3)
                assert not waits.given
                await other.decisions(ALICE).answer(raised.id, text="done")
                between.away = set()
        assert waits.given["wait"].answer.text == "done"


async def test_a_wait_whose_time_is_over_says_that_the_store_is_away(engines):
    async with engines.open_intercepted() as (store, between):
        raised = await raise_one(store)
        between.away = {"get"}
        with pytest.raises(StoreUnavailable):
            await store.decisions(MAIN).wait(raised.id, 30)


async def test_leaving_the_store_ends_its_waits(engines):
    async with trio.open_nursery() as nursery:
        waits = Waits(nursery)
        async with engines.open() as store:
            raised = await raise_one(store)
            waits.start(store.decisions(MAIN), raised.id)
            await wait_all_tasks_blocked()
    assert isinstance(waits.given["wait"], StoreUnavailable)
    assert "closed" in str(waits.given["wait"])


async def test_after_its_block_a_store_refuses_everything(engines):
    async with engines.open() as store:
        decisions = store.decisions(MAIN)
        hints = decisions.hints()
        await raise_one(store)
    for act in (decisions.list(), decisions.get(ID), decisions.wait(ID), decisions.raise_decision("?"), store.get("a")):
        with pytest.raises(StoreUnavailable):
            await act
    with pytest.raises(StoreUnavailable):
        async for _ in hints:
            pass


# Over a link


async def test_over_a_link_a_wait_ends_when_the_decision_is_not_shown_any_more(engines):
    async with engines.open(**NEVER) as store:
        over_link = Caller(WORKER.principal, via="link")
        raised = await raise_one(store, **climbing())
        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as nursery:
                waits = Waits(nursery)
                waits.start(store.decisions(over_link), raised.id)
                await wait_all_tasks_blocked()
                await store.decisions(WORKER).escalate(raised.id)
        assert isinstance(waits.given["wait"], UnknownDecision)
