"""Faults that users of other systems have met: what a crash loses, repeats or begins again; what waits unseen."""

import pytest

from facets import Principal
from questions import Confirm, Expired, StoreClosed, ask_again
from questions.testing import EPOCH, open_rig
from tests.questions.steps import DEPLOY, crash, opened, said
from tests.rules import rule

JOB = Principal.worker("s1")


@rule("Q-FAC-3")
async def test_work_that_waits_for_a_person_says_so_and_since_when(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        rig.host.waiting.value  # somebody looks at it from the start  # noqa: B018
        await rig.until(5)
        working, id = await opened(rig, audience=[ana], asker=await rig.asker(JOB))
        await rig.until(7)
        [waiting] = rig.host.waiting.value.values()
        assert (waiting.id, waiting.what, waiting.since - EPOCH) == (id, "Deploy?", 5)
        assert (waiting.asker.principal, [who.name for who in waiting.waiting_for]) == (JOB, ["ana"])
        assert working.outcome is None


@rule("Q-FAC-3")
async def test_after_the_answer_it_waits_no_more_and_for_how_long_it_did_is_known(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await rig.until(5)
        working, _ = await opened(rig, audience=[ana], asker=await rig.asker(JOB))
        assert len(rig.host.waiting.value) == 1
        rig.at(9, ana.answer, True)
        await working.wait()
        [settled] = rig.settled
        assert (len(rig.host.waiting.value), settled.settled_at - settled.opened_at) == (0, 4)


@rule("Q-POL-5")
async def test_a_question_that_nobody_has_been_shown_can_be_told_at_once(autojump_clock):
    async with open_rig() as rig:
        ana = rig.person("ana")
        await opened(rig, audience=[ana], timeout=600)
        await rig.until(1)
        assert [waiting.shown_to for waiting in rig.host.waiting.value.values()] == [()]
        await ana.join()
        ana.see()
        assert [who.name for one in rig.host.waiting.value.values() for who in one.shown_to] == ["ana"]


@rule("Q-SET-3", "Q-VIEW-4")
async def test_a_button_that_is_pressed_too_late_is_told_that_time_was_over(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        working, id = await opened(rig, audience=[ana], timeout=300)
        await rig.until(301)
        assert said(ana, True, id).how == "expired"
        assert [(closed.id, closed.how) for closed in ana.viewer.closed.value] == [(id, "expired")]
        with pytest.raises(Expired):
            await working.wait()


@rule("Q-KEY-4")
async def test_what_was_answered_before_a_crash_is_not_asked_again_after_it(autojump_clock):
    """A flow needs two answers and is begun anew after the crash: it gets the first from what is kept."""
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker, answers = await rig.asker(), []

        async def flow():
            for number in (1, 2):
                question = Confirm(f"Step {number}?")
                answers.append((await asker.ask(question, audience=[ana.principal], key=f"job/{number}")).answer)

        begun = rig.start(flow)
        rig.at(1, ana.answer, True)
        rig.at(2, crash, rig)
        with pytest.raises(StoreClosed):
            await begun.wait()
        again = rig.start(flow)
        await rig.quiet()
        assert [one.message for one in ana.see()] == ["Step 2?"]
        await ana.answer(False)
        await again.wait()
        assert answers == [True, True, False]


@rule("Q-KEY-4")
async def test_an_answer_that_comes_before_anybody_waits_is_there_for_all_who_come_later(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        rig.ask(DEPLOY, audience=[ana], key="d1", asker=asker)
        await rig.quiet()
        crash(rig)
        rig.at(1, ana.answer, False)
        got = []
        for seconds in (60, 61):
            await rig.until(seconds)
            got.append((await asker.ask(DEPLOY, audience=[ana.principal], key="d1"), rig.now))
        assert [(result.answer, when) for result, when in got] == [(False, 60), (False, 61)]


@rule("Q-KEY-3", "Q-KEY-4")
@pytest.mark.parametrize("answered_first", [True, False])
async def test_an_answer_in_the_step_in_which_the_asker_comes_back_is_not_lost(autojump_clock, answered_first):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        rig.ask(DEPLOY, audience=[ana], key="d1", asker=asker)
        await rig.quiet()
        crash(rig)
        steps = [lambda: said(ana, True), lambda: back.append(rig.ask(DEPLOY, audience=[ana], key="d1", asker=asker))]
        back: list = []
        for step in steps if answered_first else reversed(steps):
            step()
        await rig.quiet()
        assert (await back[0].wait()).answer is True
        assert (rig.now, len(rig.settled)) == (0, 1)


@rule("Q-KEY-1", "Q-KEY-6")
@pytest.mark.parametrize("restarts", [(20,), (20, 45), (1, 2, 3, 30, 59)])
async def test_a_restart_does_not_begin_the_countdown_again(autojump_clock, restarts):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        for seconds in restarts:
            rig.at(seconds, crash, rig)
        working = rig.start(ask_for_a_minute, await rig.asker(), ana.principal)
        await rig.until(59.9)
        assert [one.remaining for one in ana.see()] == [pytest.approx(0.1)]
        with pytest.raises(Expired):
            await working.wait()
        assert rig.now == 60


async def ask_for_a_minute(asker, *people):
    return await ask_again(asker, DEPLOY, key="k", audience=people, timeout=60)


@rule("Q-KEY-1")
async def test_an_asker_that_comes_back_with_a_new_timeout_does_not_lengthen_the_old(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        await opened(rig, audience=[ana], key="k", timeout=60, asker=asker)
        rig.at(20, crash, rig)
        await rig.until(49)
        with pytest.raises(Expired):
            await asker.ask(DEPLOY, audience=[ana.principal], key="k", timeout=60)
        assert rig.now == 60
