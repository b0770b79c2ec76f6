"""Faults that users of other systems have met, on decisions: restarts, what waits unseen, and what is asked again."""

import pytest

from questions.durable import NotOpen
from tests.questions.durable.acts import raise_one
from tests.questions.durable.cases import ALICE, BOB, MAIN, T


async def test_work_that_waits_for_a_person_is_listed_with_since_when_and_for_how_long_it_did(engines):
    async with engines.open() as store:
        await engines.set_clock(T + 5_000)
        raised = await raise_one(store, "Which one?")
    await engines.set_clock(T + 7_000)
    async with engines.open() as store:  # a restart later
        [blocked] = await store.decisions(ALICE).list()
        assert (blocked.id, blocked.raised_by.participant_id) == (raised.id, "session:main")
        assert (blocked.holder, blocked.created_at - T) == ("user", 5_000)
        await engines.set_clock(T + 9_000)
        await store.decisions(ALICE).answer(raised.id, text="that one")
        assert not await store.decisions(ALICE).list()
        ended = await store.decisions(MAIN).wait(raised.id)
        assert ended.resolved_at - ended.created_at == 4_000


async def test_what_is_answered_stays_answered_after_a_restart_and_is_not_shown_again(engines):
    async with engines.open() as store:
        first = await raise_one(store, "First?")
        await store.decisions(ALICE).answer(first.id, text="yes")
    async with engines.open() as store:
        second = await raise_one(store, "Second?")
        assert [one.id for one in await store.decisions(BOB).list()] == [second.id]
        with pytest.raises(NotOpen):
            await store.decisions(BOB).answer(first.id, text="no")
        await store.decisions(BOB).answer(second.id, text="no")
        both = [await store.decisions(MAIN).wait(one.id) for one in (first, second)]
        assert [one.answer.text for one in both] == ["yes", "no"]


async def test_a_restart_does_not_begin_the_countdown_of_a_decision_again(engines):
    async with engines.open() as store:
        raised = await raise_one(store, timeout_ms=60_000)
    await engines.set_clock(T + 50_000)
    async with engines.open() as store:
        decisions = store.decisions(ALICE)
        await engines.set_clock(T + 59_900)
        assert (await decisions.get(raised.id)).status == "open"
        await engines.set_clock(T + 60_000)
        expired = await decisions.get(raised.id)
        assert (expired.status, expired.answer, expired.resolved_at) == ("expired", None, T + 60_000)
