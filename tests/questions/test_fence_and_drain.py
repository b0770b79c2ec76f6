"""Going down in order: waiting for what is open, stopping new asks, closing what is left."""

from typing import Any

import pytest
import trio

from facets import Busy
from questions import All, SessionScope, StoreClosed, Unavailable
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, assert_nothing_is_left, endings, opened, said, state, team
from tests.rules import rule

pytestmark = rule("Q-FAC-3")


async def test_drain_waits_for_a_pending_ask(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana])
        rig.at(20, ana.answer, True)
        assert await rig.host.drain(timeout=60) == ()
        assert rig.now == 20


async def test_drain_reports_what_it_still_waits_for_and_changes_nothing(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, id = await opened(rig, audience=[ana, bo])
        ana.see()
        [waiting] = await rig.host.drain(timeout=60)
        assert (rig.now, waiting.id, waiting.what, waiting.scope) == (60, id, "Deploy?", rig.scope)
        assert [who.name for who in waiting.waiting_for] == ["ana", "bo"]
        assert [who.name for who in waiting.shown_to] == ["ana"]
        assert said(ana, True) is None
        assert (await asking.wait()).answer is True


async def test_drain_of_an_idle_host_takes_no_time(autojump_clock):
    async with open_rig() as rig:
        assert await rig.host.drain(timeout=60) == ()
        assert rig.now == 0


async def test_drain_waits_for_asks_that_begin_meanwhile(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], timeout=10)
        rig.at(5, lambda: [rig.ask(DEPLOY, audience=[ana], timeout=20)])
        assert await rig.host.drain(timeout=60) == ()
        assert rig.now == 25


async def test_a_fence_stops_new_asks_there_and_waits(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        old, id = await opened(rig, audience=[ana])
        rig.at(20, ana.answer, True, id)
        refused: list[Any] = []
        rig.at(10, lambda: refused.append(rig.ask(DEPLOY, audience=[ana])))
        await rig.host.fence(rig.scope, timeout=60)
        assert (rig.now, (await old.wait()).answer) == (20, True)
        with pytest.raises(Unavailable):
            await refused[0].wait()
        assert len(rig.reports) == 2


async def test_a_fence_leaves_other_scopes_alone(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        elsewhere = await rig.asker(scope=SessionScope("elsewhere"))
        other, _ = await opened(rig, audience=[ana], asker=elsewhere)
        await rig.host.fence(rig.scope, timeout=60)
        assert rig.now == 0
        another, _ = await opened(rig, audience=[ana], asker=elsewhere)
        assert (other.outcome, another.outcome) == (None, None)


async def test_after_a_fence_the_scope_stays_fenced_until_it_is_lifted(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await rig.host.fence(rig.scope, timeout=0)
        asker = await rig.asker()
        for _ in range(2):
            with pytest.raises(Unavailable):
                await asker.ask(DEPLOY, audience=[ana.principal])
        assert state(rig)["fenced"] == [str(rig.scope)]
        rig.host.unfence(rig.scope)
        asking, _ = await opened(rig, audience=[ana])
        assert asking.outcome is None


async def test_a_fence_is_said_before_an_empty_snapshot_is(autojump_clock):
    async with open_rig() as rig:
        await rig.host.fence(rig.scope, timeout=1)
        asking = rig.ask(DEPLOY, audience=team(), policy=All(join="snapshot"))
        with pytest.raises(Unavailable):
            await asking.wait()


async def test_a_fence_that_is_over_raises_busy_with_the_open_ids_and_lifts_itself(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        ids = [(await opened(rig, audience=[ana]))[1] for _ in range(2)]
        with pytest.raises(Busy) as busy:
            await rig.host.fence(rig.scope, timeout=60)
        assert (rig.now, sorted(busy.value.open_ids)) == (60, sorted(ids))
        await opened(rig, audience=[ana])
        assert len(ana.see()) == 3


async def test_a_forced_fence_closes_what_is_left(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        keyed, id = await opened(rig, audience=[ana], key="k")
        bare, _ = await opened(rig, audience=team(ana), timeout=600)
        await rig.host.fence(rig.scope, timeout=60, force=True)
        for asking in (keyed, bare):
            with pytest.raises(StoreClosed):
                await asking.wait()
        assert (rig.now, endings(rig), said(ana, True, id).how) == (60, ["closed", "closed"], "closed")
        assert_nothing_is_left(rig)


async def test_a_forced_fence_leaves_other_scopes_open(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        elsewhere = await rig.asker(scope=SessionScope("elsewhere"))
        other, _ = await opened(rig, audience=[ana], asker=elsewhere)
        await opened(rig, audience=[ana])
        await rig.host.fence(rig.scope, timeout=0, force=True)
        assert (endings(rig), other.outcome) == (["closed"], None)


async def test_a_fence_lets_an_open_question_be_joined_but_not_replaced(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        first, id = await opened(rig, audience=[ana], key="k")
        rig._nursery.start_soon(rig.host.fence, rig.scope, 60)
        await rig.quiet()
        joined, _ = await opened(rig, audience=[ana], key="k")
        refused, _ = await opened(rig, audience=[ana, rig.person("bo")], key="k")
        with pytest.raises(Unavailable):
            await refused.wait()
        said(ana, True, id)
        assert [(await asking.wait()).answer for asking in (first, joined)] == [True, True]


async def test_a_cancelled_fence_is_lifted(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana])
        with trio.move_on_after(5):
            await rig.host.fence(rig.scope, timeout=60, force=True)
        await opened(rig, audience=[ana])
        assert (len(ana.see()), state(rig)["fenced"]) == (2, [])
