"""Who raised a decision in a call of the host does not judge it there; in another call the same one may."""

import pytest
import trio

from facets import current_call, open_host
from questions.durable import SelfAnswer, open_store
from questions.durable.caller import Caller
from tests.questions.durable.acts import raise_one
from tests.questions.durable.cases import ALICE, MAIN, OPTS, in_call


@pytest.fixture
async def host():
    async with open_host([]) as opened:
        yield opened


async def test_the_call_of_the_scope_is_stored_and_banned_in_it(store, host):  # case 74
    async with host.root():
        raised = await raise_one(store, options=OPTS, holder="root")
        assert raised.raised_by.call_id == current_call()
        for act in (store.decisions(MAIN).answer(raised.id, option="keep"), store.decisions(MAIN).escalate(raised.id)):
            with pytest.raises(SelfAnswer):
                await act
    async with host.root():
        ended = await store.decisions(MAIN).answer(raised.id, option="keep")
    assert (ended.answer.answered_by, ended.answer.via) == ("session:main", "program")


async def test_the_ban_reaches_the_tasks_that_the_call_has_started(store, host):
    raised = []

    async def raise_it():
        async with host.root():
            raised.append(await raise_one(store, holder="root"))

    async with host.root():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(raise_it)
        with pytest.raises(SelfAnswer):
            await store.decisions(MAIN).answer(raised[0].id, text="yes")


async def test_a_call_that_is_named_goes_before_that_of_the_scope(store, host):
    async with host.root():
        named = await raise_one(store, call="call-1", holder="root")
        callers = await raise_one(store, caller=in_call(MAIN, "call-2"), holder="root")
        assert (named.raised_by.call_id, callers.raised_by.call_id) == ("call-1", "call-2")
        assert (await store.decisions(MAIN).answer(named.id, text="yes")).status == "answered"


async def test_what_comes_over_a_link_is_not_taken_for_a_part_of_the_call_that_serves_it(store, host):
    async with host.root():
        remote = Caller(MAIN.principal, main=True, via="link")
        assert (await raise_one(store, caller=remote, holder="root")).raised_by.call_id is None


async def test_a_person_and_whoever_takes_it_back_are_not_banned(store, host):
    async with host.root():
        asked, taken_back = [await raise_one(store, title) for title in ("asked", "taken back")]
        assert (await store.decisions(ALICE).answer(asked.id, text="yes")).status == "answered"
        assert (await store.decisions(MAIN).cancel(taken_back.id)).status == "cancelled"


async def test_a_decision_of_before_a_restart_is_banned_by_the_call_that_is_stored(host):
    async with open_store(":memory:", sweep_ms=None) as before:
        raised = await raise_one(before, caller=in_call(MAIN, "call-1"), holder="root")
        async with open_store(before.backend, sweep_ms=None) as after:
            with pytest.raises(SelfAnswer):
                await after.decisions(in_call(MAIN, "call-1")).answer(raised.id, text="yes")
