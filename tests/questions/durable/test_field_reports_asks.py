"""Faults that users of other systems have met, on durable asks: restarts, retries, and work that waits unseen."""

import pytest

from facets import Principal
from questions import Confirm, Expired, Settled, Superseded
from tests.questions.durable.asking import ANA, GO, open_on, result, shown
from tests.questions.durable.cases import T
from tests.rules import rule


@rule("Q-SET-5")
async def test_a_restart_does_not_begin_the_countdown_again(engines):
    async with engines.open() as store, open_on(store) as first:
        await first.begin(timeout=60)
    await engines.set_clock(T + 50_000)
    async with engines.open(safety_poll_ms=50) as store, open_on(store, clock=lambda: T / 1000 + 50) as second:
        viewer = await second.viewer()
        asking = await second.begin(timeout=60)
        [question] = await shown(viewer, "Go?")
        assert 9 < question.remaining <= 10
        assert question.deadline.timestamp() == T / 1000 + 60
        await engines.set_clock(T + 59_900)
        await (await second.asker()).withdraw("something that makes it look")
        assert (asking.outcome, list(viewer.open.value)) == (None, [question.id])
        await engines.set_clock(T + 60_000)
        with pytest.raises(Expired) as expired:
            await result(asking)
        assert [who.principal for who in expired.value.missing] == [ANA]


@rule("Q-KEY-4")
async def test_an_answer_that_came_before_anybody_waited_is_there_for_all_who_wait_later(store):
    async with open_on(store) as place:
        gone = await place.begin()
        gone.cancel()
        await gone.done.wait()
        viewer = await place.viewer()
        [question] = await shown(viewer, "Go?")
        await viewer.answer(question.id, True)
    async with open_on(store) as place:
        results = [await result(await place.begin()) for _ in range(2)]
        assert [(one.answer, one.by.principal) for one in results] == [(True, ANA)] * 2
        assert not (await place.viewer()).open.value


@rule("Q-KEY-1", "Q-KEY-2")
async def test_retries_with_one_key_are_one_question_and_another_one_replaces_it(store):
    async with open_on(store) as place:
        viewer = await place.viewer()
        tries = [await place.begin(key="tool-42") for _ in range(4)]
        [question] = await shown(viewer, "Go?")
        other = await place.begin(Confirm("Go further?"), key="tool-42")
        for one in tries:
            with pytest.raises(Superseded) as replaced:
                await result(one)
            assert replaced.value.id == question.id
        [question] = await shown(viewer, "Go further?")
        await viewer.answer(question.id, True)
        assert (await result(other)).answer is True


@rule("Q-FAC-3")
async def test_work_that_waits_for_a_person_is_seen_to_with_its_question_and_since_when(engines):
    job = Principal.worker("s1")
    async with engines.open() as store:
        async with open_on(store) as first:
            await engines.set_clock(T + 5_000)
            await first.begin()
        await engines.set_clock(T + 8_000)
        async with open_on(store, clock=lambda: T / 1000 + 8) as second:
            viewer = await second.viewer()
            assert not second.host.waiting.value, "nothing here waits for it: it is kept, and shown"
            asking = await second.begin()
            [waiting] = second.host.waiting.value.values()
            [question] = await shown(viewer, "Go?")
            assert (waiting.id, waiting.what, waiting.since) == (question.id, "Go?", T / 1000 + 5)
            assert [who.principal for who in waiting.waiting_for] == [ANA]
            assert second.host.describe()["waiting"][0]["id"] == question.id
            await viewer.answer(question.id, True)
            await result(asking)
            assert not second.host.waiting.value
            asker = await second.asker(job)
            assert asker.principal == job, "and a worker's own question is another one"
            assert not asker.asking.value


@rule("Q-KEY-1")
async def test_all_retries_with_one_key_get_the_one_result(store):
    async with open_on(store) as place:
        viewer = await place.viewer()
        tries = [await place.begin(key="tool-42") for _ in range(4)]
        [question] = await shown(viewer, "Go?")
        await viewer.answer(question.id, False)
        results = [await result(one) for one in tries]
        assert [(one.answer, one.by.principal) for one in results] == [(False, ANA)] * 4


@rule("Q-FAC-3")
async def test_for_how_long_work_has_waited_is_known_also_over_a_restart(engines):
    reports: list = []
    async with engines.open() as store, open_on(store, clock=lambda: T / 1000 + 5) as first:
        await engines.set_clock(T + 5_000)
        await first.begin()
    await engines.set_clock(T + 9_000)
    async with (
        engines.open() as store,
        open_on(store, clock=lambda: T / 1000 + 9, observe=reports.append) as second,
    ):
        asking, viewer = await second.begin(), await second.viewer()
        [question] = await shown(viewer, "Go?")
        await viewer.answer(question.id, True)
        await result(asking)
    [settled] = [one for one in reports if isinstance(one, Settled)]
    assert (settled.id, settled.how, settled.settled_at - settled.opened_at) == (question.id, "answered", 4)


@rule("Q-FAC-3")
async def test_draining_waits_for_work_that_waits_and_not_for_what_is_only_kept(store):
    async with open_on(store) as place:
        asking = await place.begin(GO)
        [left] = await place.host.drain(0)
        assert left.what == "Go?"
        asking.cancel()
        await asking.done.wait()
        assert await place.host.drain(0) == ()
        assert place.host.figures()["questions.open"] == 1
        assert place.host.figures()["questions.orphaned"] == 0
        assert not any(place.host.check().values())
