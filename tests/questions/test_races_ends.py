"""The end of a question and an answer, or a cancellation, in one scheduler step and in either order."""

from typing import Any

import pytest
import trio
import trio.testing

from facets import derive
from questions import (
    All,
    Confirm,
    Expired,
    First,
    NoLongerActive,
    Opened,
    StoreClosed,
    Superseded,
)
from questions.testing import open_rig
from tests.questions.steps import (
    DEPLOY,
    account,
    cancel,
    close,
    crash,
    endings,
    opened,
    said,
    team,
    tick,
)
from tests.rules import rule

pytestmark = rule("Q-SET-2", "Q-ASK-3")


@rule("Q-KEY-2")
async def test_a_supersede_then_an_answer(autojump_clock):
    refusals = []

    def answer_the_old_one(report):
        if isinstance(report, Opened) and report.message != DEPLOY.message:
            refusals.append(said(ana, True, old))

    async with open_rig(observe=answer_the_old_one) as rig:
        (ana,) = await rig.people("ana")
        asking, old = await opened(rig, audience=[ana], key="k")
        await opened(rig, Confirm("Else?"), audience=[ana], key="k")
        assert [refusal.how for refusal in refusals] == ["superseded"]
        assert (type(asking.outcome.error), endings(rig)) == (Superseded, ["superseded"])


@rule("Q-KEY-2")
async def test_an_answer_then_a_supersede(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, old = await opened(rig, audience=[ana], key="k")
        newer = rig.ask(Confirm("Else?"), audience=[ana], key="k")
        assert said(ana, True, old) is None
        await rig.quiet()
        assert asking.outcome.value.answer is True
        assert (newer.outcome, endings(rig)) == (None, ["answered"])


@rule("Q-KEY-3")
async def test_a_close_then_an_answer(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana], key="k")
        close(rig)
        assert said(ana, True, id).how == "closed"
        result, how = await account(rig, asking)
        assert (type(result), how) == (StoreClosed, "closed")


@rule("Q-KEY-3")
async def test_an_answer_then_a_close(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana], key="k")
        assert said(ana, True, id) is None
        close(rig)
        result, how = await account(rig, asking)
        assert (result.answer, how) == (True, "answered")


async def test_a_close_and_a_cancellation_in_either_order(autojump_clock):
    for first in (close, cancel):
        async with open_rig() as rig:
            asking, _ = await opened(rig, audience=[rig.person("ana")])
            for step in (first, close, cancel):
                step(rig, asking)
            result, how = await account(rig, asking)
            assert (type(result), how) == ((StoreClosed, "closed") if first is close else (type(None), "withdrawn"))


async def test_a_close_finds_what_is_due_expired(autojump_clock):
    async with open_rig() as rig:
        asking, _ = await opened(rig, audience=[rig.person("ana")], timeout=60)
        autojump_clock.jump(60)
        close(rig)
        result, how = await account(rig, asking)
        assert (type(result), how) == (Expired, "expired")


@rule("Q-KEY-3")
async def test_a_crash_then_an_answer(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana])
        crash(rig)
        assert said(ana, True, id).how == "closed"
        result, how = await account(rig, asking)
        assert (type(result), how) == (StoreClosed, "closed")


@rule("Q-KEY-3")
async def test_an_answer_then_a_crash(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana])
        assert said(ana, True, id) is None
        crash(rig)
        result, how = await account(rig, asking)
        assert (result.answer, how) == (True, "answered")


@rule("Q-KEY-3", "Q-KEY-4")
async def test_a_crash_then_an_answer_to_a_keyed_question_is_kept_for_who_comes_back(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana], key="k")
        crash(rig)
        assert said(ana, True, id) is None
        result, how = await account(rig, asking)
        assert (type(result), how) == (StoreClosed, "answered")
        again, _ = await opened(rig, audience=[ana], key="k")
        assert again.outcome.value.answer is True


async def test_a_crash_and_a_cancellation_in_either_order(autojump_clock):
    for first in (crash, cancel):
        async with open_rig() as rig:
            asking, _ = await opened(rig, audience=[rig.person("ana")])
            for step in (first, crash, cancel):
                step(rig, asking)
            result, how = await account(rig, asking)
            assert (type(result), how) == ((StoreClosed, "closed") if first is crash else (type(None), "withdrawn"))


# --- while something is being handled -------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [First(), All()])
async def test_a_cancellation_out_of_the_audience_itself_withdraws(autojump_clock, policy):
    """The readable cancels the asker while the store reads it."""
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        members, askings = team(ana), list[Any]()
        audience = derive([members], lambda who: (askings and askings[0].cancel()) or who)
        asking, id = await opened(rig, audience=audience, policy=policy)
        askings.append(asking)
        members.set((ana.principal, bo.principal))
        await rig.quiet()
        assert await account(rig, asking) == (None, "withdrawn")
        assert isinstance(said(ana, True, id), NoLongerActive)


async def test_an_answer_that_makes_the_audience_cancel_the_asker_wins(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        members, askings = team(ana, bo), list[Any]()
        audience = derive([members], lambda who: (askings and askings[0].cancel()) or who)
        asking, id = await opened(rig, audience=audience)
        askings.append(asking)
        members.set((ana.principal,))
        assert said(ana, True, id) is None
        result, how = await account(rig, asking)
        assert (result.answer, how) == (True, "answered")


async def test_settling_has_no_checkpoint_whatever_brings_it(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        _, id = await opened(rig, audience=[ana])
        cancelled, _ = await opened(rig, audience=[ana])
        await opened(rig, audience=[ana], timeout=60)
        await opened(rig, audience=[ana])
        with trio.testing.assert_no_checkpoints():
            said(ana, True, id)
            cancelled.cancel()
            autojump_clock.jump(60)
            tick(rig)
            close(rig)
        assert endings(rig) == ["answered", "withdrawn", "expired", "closed"]


@rule("Q-KEY-2")
async def test_a_deadline_that_is_due_beats_a_supersede(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        asking, _ = await opened(rig, audience=[ana], key="k", timeout=60)
        autojump_clock.jump(60)
        with trio.move_on_after(1):
            await asker.ask(Confirm("Else?"), audience=[ana.principal], key="k")
        assert endings(rig) == ["expired", "withdrawn"]
        with pytest.raises(Expired):
            await asking.wait()


@rule("Q-KEY-2", "Q-POL-2")
async def test_a_leave_that_settles_beats_a_supersede(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asker, members = await rig.asker(), team(ana, bo)
        asking, id = await opened(rig, audience=members, policy=All(), key="k")
        said(ana, True, id)
        members.set((ana.principal,))
        with trio.move_on_after(1):
            await asker.ask(Confirm("Else?"), audience=[ana.principal], key="k")
        assert endings(rig) == ["answered", "withdrawn"]
        assert (await asking.wait()).unanimous(True)
