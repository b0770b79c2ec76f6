"""Hints: one for each swap, losable, never needed, and never for those who may not see."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from questions.durable import Caller, Hint, Missed, Status
from questions.durable.backend import Changes, Notice
from questions.durable.listening import Hints, hint_of
from tests.questions.durable.acts import heard, raise_one
from tests.questions.durable.cases import ALICE, HOP, MAIN, OPTS, WORKER, T, climbing
from tests.rules import rule

PATIENCE = 20


def a_hint(number):
    return Hint("decision.raised", f"dec_{number:08}", 1, {})


async def test_a_raise_and_an_answer_are_told_with_what_they_led_to(store):  # case 92
    hints = store.decisions(MAIN).hints()
    raised = await raise_one(store, options=OPTS, kind="approval")
    await store.decisions(ALICE).answer(raised.id, option="keep")
    first, second = await heard(store, hints)
    shown = {"id": raised.id, "kind": "approval", "holder": "user", "title": "Ship it?"}
    assert (first.kind, first.version, first.data) == ("decision.raised", 1, {**shown, "status": "open"})
    assert (second.kind, second.version, second.data) == ("decision.answered", 2, {**shown, "status": "answered"})


async def test_a_hop_is_told_only_with_a_chain(store):  # case 92
    hints = store.decisions(MAIN).hints()
    await raise_one(store, **climbing())
    [told] = await heard(store, hints)
    assert told.data["hop"] == 0


async def test_a_cancellation_is_told(store):
    hints = store.decisions(MAIN).hints()
    raised = await raise_one(store)
    await store.decisions(MAIN).cancel(raised.id)
    assert [hint.kind for hint in await heard(store, hints)] == ["decision.raised", "decision.cancelled"]


async def test_every_opener_hears_the_same(engines):
    async with engines.open() as one, engines.open() as two:
        heard_by = [store.decisions(MAIN).hints() for store in (one, two)]
        raised = await raise_one(one)
        await two.decisions(ALICE).answer(raised.id, text="done")
        first, second = [await heard(one, hints) for hints in heard_by[:1]], await heard(two, heard_by[1])
        assert [hint for hint in second if hint.id == raised.id] == first[0]
        assert len(first[0]) == 2


async def test_what_is_refused_is_not_told(store):
    hints = store.decisions(MAIN).hints()
    raised = await raise_one(store)
    with pytest.raises(Exception, match="text"):
        await store.decisions(ALICE).answer(raised.id)
    assert [hint.kind for hint in await heard(store, hints)] == ["decision.raised"]


async def test_without_a_feed_everything_still_works(engines):  # case 93
    async with engines.open_intercepted(safety_poll_ms=50) as (store, between):
        between.away = {"changes", "moved"}
        raised = await raise_one(store)
        lapsing = await raise_one(store, timeout_ms=1_000)
        await store.decisions(ALICE).answer(raised.id, text="done")
        await engines.set_clock(T + 1_000)
        assert (await store.decisions(MAIN).wait(lapsing.id)).status is Status.EXPIRED
        assert (await store.decisions(MAIN).wait(raised.id)).status is Status.ANSWERED


async def test_a_reader_who_was_asleep_is_told_of_the_gap_and_misses_no_end(engines):  # case 95
    """A feed that does not keep what was written while its reader could not be reached."""
    async with engines.open() as other, engines.open_intercepted(safety_poll_ms=60_000) as (store, between):
        moved, asleep = between.moved, trio.Event()

        async def trimmed(after):
            changes = await moved(after)
            return Changes((), changes.upto, gap=True) if asleep.is_set() else changes

        between.moved = trimmed
        hints = store.decisions(MAIN).hints()
        raised = await raise_one(store)
        assert (await anext(hints)).id == raised.id
        between.forget()
        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as nursery:
                ended = []

                async def wait():
                    ended.append(await store.decisions(MAIN).wait(raised.id))

                nursery.start_soon(wait)
                await between.called("get")
                await wait_all_tasks_blocked()
                asleep.set()
                await other.decisions(ALICE).answer(raised.id, text="done")
            assert ended[0].status is Status.ANSWERED
            assert isinstance(await anext(hints), Missed)


async def test_over_a_link_hints_are_of_what_may_be_seen(store):
    hints = store.decisions(Caller(WORKER.principal, via="link")).hints()
    await raise_one(store)
    mine = await raise_one(store, **climbing())
    theirs = await raise_one(store, caller=WORKER)
    with trio.fail_after(PATIENCE):
        assert [(await anext(hints)).id for _ in range(2)] == [mine.id, theirs.id]


async def test_a_hint_gives_nobody_a_right(store):
    """What a hint says is old when it is heard: the record decides."""
    hints = store.decisions(MAIN).hints()
    raised = await raise_one(store, **climbing())
    told = await anext(hints)
    await store.decisions(WORKER).escalate(raised.id)
    assert told.data["holder"] == "supervisor:run-worker"
    with pytest.raises(Exception, match="held by root"):
        await store.decisions(WORKER).answer(raised.id, text="done")


# The iterator


@rule("Q-VIEW-2")
async def test_a_listener_who_is_too_slow_is_told_that_it_missed_some():
    hints = Hints()
    for number in range(1_500):
        hints.put(a_hint(number))
    assert isinstance(await anext(hints), Missed)
    assert await anext(hints) == a_hint(1_000)


async def test_a_gap_stands_for_all_that_was_waiting():
    hints = Hints()
    for hint in (a_hint(1), Missed(), a_hint(2)):
        hints.put(hint)
    assert [await anext(hints), await anext(hints)] == [Missed(), a_hint(2)]


async def test_a_listener_can_be_cancelled_and_go_on(autojump_clock):
    hints = Hints()
    with trio.move_on_after(1):
        await anext(hints)
    hints.put(a_hint(1))
    assert await anext(hints) == a_hint(1)


async def test_a_listener_that_was_dropped_is_forgotten(store):
    import gc

    hints = store.decisions(MAIN).hints()
    assert store.follower.listeners == 1
    del hints
    gc.collect()
    assert store.follower.listeners == 0


@pytest.mark.parametrize("data", ["", "[]", "{", "7"])
def test_a_line_that_cannot_be_read_counts_as_missed(data):
    assert isinstance(hint_of(Notice("decisions", "dec_abcdefgh", 1, "decision.raised", data)), Missed)


async def test_lines_of_other_tables_are_no_hints(store):
    hints = store.decisions(MAIN).hints()
    await store.put("a", "1")
    assert await heard(store, hints) == []


async def test_hop_after_hop_is_heard_once_each_when_somebody_looks_in_time(engines, store):
    hints = store.decisions(MAIN).hints()
    raised = await raise_one(store, **climbing())
    for moment in (HOP, 2 * HOP, 3 * HOP):
        await engines.set_clock(T + moment)
        await store.decisions(MAIN).get(raised.id)
    told = [(hint.kind.removeprefix("decision."), hint.version) for hint in await heard(store, hints)]
    assert told == [("raised", 1), ("escalated", 2), ("escalated", 3), ("expired", 4)]
