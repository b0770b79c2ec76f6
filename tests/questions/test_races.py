"""Two things happen in one scheduler step, in either order: one of them wins, and everybody agrees which."""

import pytest

from questions import (
    All,
    Answered,
    Collected,
    Expired,
    NotInAudience,
    Quorum,
)
from questions.testing import open_rig
from tests.questions.steps import (
    account,
    names,
    opened,
    said,
    team,
    tick,
)
from tests.rules import rule

pytestmark = rule("Q-SET-2", "Q-ASK-3")


# --- cancel and answer ----------------------------------------------------------------------------------------------


async def test_a_cancellation_then_an_answer(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana])
        asking.cancel()
        refusal = said(ana, True, id)
        assert (refusal.how, refusal.by) == ("withdrawn", ())
        assert await account(rig, asking) == (None, "withdrawn")


async def test_an_answer_then_a_cancellation(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana])
        assert said(ana, True, id) is None
        asking.cancel()
        result, how = await account(rig, asking)
        assert (result.answer, how) == (True, "answered")


@rule("Q-KEY-5")
async def test_the_cancellation_of_attempt_one_then_an_answer_goes_to_attempt_two(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        (one, id), (two, _) = [await opened(rig, audience=[ana], key="k") for _ in range(2)]
        one.cancel()
        assert said(ana, True, id) is None
        assert (await account(rig, one)) == (None, "answered")
        assert (await account(rig, two))[0].answer is True


@rule("Q-KEY-5")
async def test_an_answer_then_the_cancellation_of_attempt_one_goes_to_both(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        (one, id), (two, _) = [await opened(rig, audience=[ana], key="k") for _ in range(2)]
        assert said(ana, True, id) is None
        one.cancel()
        assert (await account(rig, one))[0].answer is True
        assert (await account(rig, two))[0].answer is True


async def test_everybody_cancelled_then_an_answer(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        (one, id), (two, _) = [await opened(rig, audience=[ana], key="k") for _ in range(2)]
        one.cancel()
        two.cancel()
        assert said(ana, True, id).how == "withdrawn"
        assert await account(rig, one) == await account(rig, two) == (None, "withdrawn")


# --- deadline and answer, deadline and cancel -----------------------------------------------------------------------


@rule("Q-SET-5")
@pytest.mark.parametrize("ticked", [True, False], ids=["the timer first", "the answer first"])
async def test_the_exact_instant_of_the_deadline_belongs_to_the_deadline(autojump_clock, ticked):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana], timeout=60)
        autojump_clock.jump(60)
        if ticked:
            tick(rig)
        assert said(ana, True, id).how == "expired"
        result, how = await account(rig, asking)
        assert (type(result), how) == (Expired, "expired")


@rule("Q-SET-5")
async def test_an_answer_just_before_the_deadline_counts(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana], timeout=60)
        autojump_clock.jump(59.999)
        assert said(ana, True, id) is None
        autojump_clock.jump(0.001)
        tick(rig)
        result, how = await account(rig, asking)
        assert (type(result), how) == (Answered, "answered")


async def test_a_deadline_then_a_cancellation(autojump_clock):
    """An abort that finds its deadline due settles the question, and the cancellation fails."""
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, _ = await opened(rig, audience=[ana], timeout=60)
        autojump_clock.jump(60)
        asking.cancel()
        result, how = await account(rig, asking)
        assert (type(result), how, asking.cancelled) == (Expired, "expired", False)


async def test_a_cancellation_then_a_deadline(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, _ = await opened(rig, audience=[ana], timeout=60, default=True)
        autojump_clock.jump(59)
        asking.cancel()
        autojump_clock.jump(1)
        tick(rig)
        assert await account(rig, asking) == (None, "withdrawn")


@pytest.mark.parametrize("ticked", [True, False])
async def test_a_default_that_is_due_beats_the_answer_of_the_same_instant(autojump_clock, ticked):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana], timeout=60, default=False)
        autojump_clock.jump(60)
        if ticked:
            tick(rig)
        assert said(ana, True, id).how == "answered"
        result, _ = await account(rig, asking)
        assert (result.answer, result.automatic) == (False, True)


async def test_a_deadline_that_is_due_beats_the_last_answer_that_all_waits_for(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, id = await opened(rig, audience=[ana, bo], policy=All(), timeout=60)
        said(ana, True, id)
        autojump_clock.jump(60)
        assert said(bo, True, id).how == "expired"
        result, _ = await account(rig, asking)
        assert (names(one.by for one in result.answers), names(result.missing)) == (["ana"], ["bo"])


# --- two answers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["ana bo", "bo ana"])
async def test_of_two_answers_the_first_wins_and_the_second_is_told_who(autojump_clock, order):
    async with open_rig() as rig:
        people = {person.principal.id: person for person in await rig.people("ana", "bo")}
        first, second = (people[name] for name in order.split())
        asking, id = await opened(rig, audience=[*people.values()])
        assert said(first, True, id) is None
        refusal = said(second, False, id)
        assert (refusal.how, names(refusal.by)) == ("answered", [first.principal.id])
        result, _ = await account(rig, asking)
        assert (result.by.principal, result.answer) == (first.principal, True)


async def test_an_answer_above_the_quorum_is_refused(autojump_clock):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        asking, id = await opened(rig, audience=[ana, bo, cy], policy=Quorum(2))
        assert [said(person, True, id) for person in (ana, bo)] == [None, None]
        assert names(said(cy, True, id).by) == ["ana", "bo"]
        result, _ = await account(rig, asking)
        assert len(result.answers) == 2


# --- leave and answer -----------------------------------------------------------------------------------------------


@rule("Q-POL-2")
async def test_a_leave_then_an_answer(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        members = team(ana, bo)
        asking, id = await opened(rig, audience=members)
        members.set((bo.principal,))
        assert isinstance(said(ana, True, id), NotInAudience)
        assert said(bo, False, id) is None
        result, _ = await account(rig, asking)
        assert result.by.principal == bo.principal


@rule("Q-POL-2")
async def test_an_answer_then_a_leave(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        members = team(ana, bo)
        asking, id = await opened(rig, audience=members, policy=Quorum(2))
        assert said(ana, True, id) is None
        members.set((bo.principal,))
        assert said(bo, True, id) is None
        result, _ = await account(rig, asking)
        assert names(one.by for one in result.answers) == ["ana", "bo"]


@rule("Q-POL-2")
async def test_a_leave_that_settles_all_then_the_leavers_answer(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        members = team(ana, bo)
        asking, id = await opened(rig, audience=members, policy=All())
        said(ana, True, id)
        members.set((ana.principal,))
        assert isinstance(said(bo, True, id), NotInAudience)
        result, how = await account(rig, asking)
        assert (len(result.answers), result.missing, how) == (1, (), "answered")


@rule("Q-POL-2")
async def test_a_join_then_an_answer_by_who_has_joined(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        members = team(ana)
        asking, id = await opened(rig, audience=members)
        members.set((ana.principal, bo.principal))
        assert said(bo, True, id) is None
        assert (await account(rig, asking))[0].by.principal == bo.principal


@rule("Q-POL-2")
async def test_a_join_then_the_last_answer_waits_for_who_has_joined(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        members = team(ana)
        asking, id = await opened(rig, audience=members, policy=All())
        members.set((ana.principal, bo.principal))
        said(ana, True, id)
        assert asking.outcome is None
        said(bo, True, id)
        assert len((await account(rig, asking))[0].answers) == 2


async def test_an_audience_change_that_settles_then_a_cancellation(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        members = team(ana, bo)
        asking, id = await opened(rig, audience=members, policy=All())
        said(ana, True, id)
        members.set((ana.principal,))
        asking.cancel()
        result, how = await account(rig, asking)
        assert (type(result), how) == (Collected, "answered")


async def test_a_cancellation_then_an_audience_change_that_would_settle(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        members = team(ana, bo)
        asking, id = await opened(rig, audience=members, policy=All())
        said(ana, True, id)
        asking.cancel()
        members.set((ana.principal,))
        assert await account(rig, asking) == (None, "withdrawn")


@rule("Q-POL-2")
async def test_an_audience_change_goes_before_the_deadline_of_the_same_instant(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        members = team(ana, bo)
        asking, id = await opened(rig, audience=members, policy=All(), timeout=60)
        said(ana, True, id)
        autojump_clock.jump(60)
        members.set((ana.principal,))
        result, _ = await account(rig, asking)
        assert (result.ended, result.missing) == ("reached", ())
