"""Deadlines of live questions: when they come, what they leave, and who had seen the question by then."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from questions import All, Collected, Expired, First, Quorum
from questions.testing import EPOCH, open_rig
from tests.questions.steps import DEPLOY, assert_nothing_is_left, endings, names, opened, said, state, team
from tests.rules import rule


async def expiry(asking):
    with pytest.raises(Expired) as expired:
        await asking.wait()
    return expired.value


@rule("Q-POL-5")
async def test_a_first_that_nobody_answered_is_expired_with_missing_seen_and_deadline(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, _ = await opened(rig, audience=[ana, bo], timeout=60)
        bo.see()
        error = await expiry(asking)
        assert (names(error.missing), names(error.seen)) == (["ana", "bo"], ["bo"])
        assert error.deadline == datetime.fromtimestamp(EPOCH + 60, UTC)
        assert rig.now == 60


@rule("Q-POL-5")
@pytest.mark.parametrize("policy", [Quorum(3), All()])
async def test_quorum_and_all_end_with_what_is_there(autojump_clock, policy):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        asking, id = await opened(rig, audience=[ana, bo, cy], policy=policy, timeout=60)
        said(bo, True, id)
        collected = await asking.wait()
        assert (names(one.by for one in collected.answers), names(collected.missing)) == (["bo"], ["ana", "cy"])
        assert (collected.ended, rig.now, endings(rig)) == ("deadline", 60, ["expired"])


@rule("Q-POL-5")
@pytest.mark.parametrize("policy", [Quorum(1), All()])
async def test_quorum_and_all_end_with_nothing_if_nobody_answered(autojump_clock, policy):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, _ = await opened(rig, audience=[ana], policy=policy, timeout=60)
        collected = await asking.wait()
        assert isinstance(collected, Collected)
        assert (collected.answers, names(collected.missing), collected.ended) == ((), ["ana"], "deadline")


@rule("Q-POL-5")
async def test_missing_names_members_of_now_and_not_those_who_have_left(autojump_clock):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        audience = team(ana, bo)
        asking, _ = await opened(rig, audience=audience, timeout=60)
        audience.set((bo.principal, cy.principal))
        assert names((await expiry(asking)).missing) == ["bo", "cy"]


@rule("Q-POL-5")
async def test_being_told_of_a_change_is_not_having_seen_it(autojump_clock):
    """Only reading `open` counts: not holding a viewer, and not the number of its revision."""
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        before = ana.viewer.open.version
        asking, _ = await opened(rig, audience=[ana], timeout=60)
        assert ana.viewer.open.version > before
        assert (await expiry(asking)).seen == ()


@rule("Q-POL-5")
async def test_a_view_read_before_the_question_came_has_not_seen_it(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        assert not ana.see()
        asking, _ = await opened(rig, audience=[ana], timeout=60)
        error = await expiry(asking)
        assert not ana.see()
        assert (error.seen, error.reason) == ((), "never shown to anyone")


@rule("Q-POL-5")
async def test_seen_and_not_answered_is_told_from_never_seen(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, _ = await opened(rig, audience=[ana], timeout=60)
        ana.see()
        error = await expiry(asking)
        assert names(error.seen) == ["ana"]
        assert "ana" in error.reason


@rule("Q-POL-5")
async def test_seen_names_leavers_and_overseers_and_each_once(autojump_clock):
    async with open_rig(may_view=lambda principal, _: "all" if principal.id == "boss" else "own") as rig:
        ana, bo, boss = await rig.people("ana", "bo", "boss")
        audience = team(ana, bo)
        asking, _ = await opened(rig, audience=audience, timeout=60)
        for person in (ana, boss, ana):
            person.see()
        audience.set((bo.principal,))
        assert names((await expiry(asking)).seen) == ["ana", "boss"]


@rule("Q-POL-5")
async def test_one_whose_view_ended_unread_has_not_seen_it(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, _ = await opened(rig, audience=[ana, bo], timeout=60)
        ana.leave()
        ana.see()
        assert (await expiry(asking)).seen == ()


@rule("Q-POL-5")
async def test_an_answer_without_a_look_is_not_a_look(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, id = await opened(rig, audience=[ana, bo], policy=All(), timeout=60)
        said(ana, True, id)
        assert (await asking.wait()).seen == ()


@rule("Q-POL-5")
@pytest.mark.parametrize("follow", ["changes", "differences"])
async def test_who_follows_a_view_has_seen_what_it_yields(autojump_clock, follow):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, _ = await opened(rig, audience=[ana], timeout=60)
        await anext(getattr(ana.viewer.open, follow)())
        assert names((await expiry(asking)).seen) == ["ana"]


# --- when -----------------------------------------------------------------------------------------------------------


@rule("Q-ASK-1")
@pytest.mark.parametrize(
    "when",
    [
        {"timeout": 60},
        {"timeout": 60.0},
        {"timeout": timedelta(minutes=1)},
        {"deadline": datetime.fromtimestamp(EPOCH + 60, UTC)},
        {"deadline": datetime.fromtimestamp(EPOCH + 60, UTC).astimezone(timezone(timedelta(hours=5)))},
    ],
    ids=["int", "float", "timedelta", "UTC", "another zone"],
)
async def test_the_deadline_comes_when_it_was_asked_for(autojump_clock, when):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, _ = await opened(rig, audience=[ana], **when)
        assert ana.see()[0].deadline == datetime.fromtimestamp(EPOCH + 60, UTC)
        await expiry(asking)
        assert rig.now == 60


async def test_without_a_deadline_a_question_waits(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, _ = await opened(rig, audience=[ana])
        assert (ana.see()[0].deadline, ana.see()[0].remaining) == (None, None)
        await rig.until(1e9)
        assert asking.outcome is None


async def test_deadlines_come_in_their_own_order_and_not_in_that_of_asking(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        ids = {seconds: (await opened(rig, audience=[ana], timeout=seconds))[1] for seconds in (50, 10, 30, 20, 40)}
        await rig.until(60)
        assert [report.id for report in rig.settled] == [ids[seconds] for seconds in sorted(ids)]
        assert [report.settled_at - EPOCH for report in rig.settled] == sorted(ids)


async def test_a_nearer_deadline_asked_later_is_not_missed(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], timeout=1000)
        await rig.until(10)
        near, _ = await opened(rig, audience=[ana], timeout=5)
        await expiry(near)
        assert rig.now == 15


async def test_many_questions_can_be_due_at_the_same_instant(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        for _ in range(50):
            rig.ask(DEPLOY, audience=[ana], timeout=60)
        await rig.until(60)
        assert endings(rig) == ["expired"] * 50
        assert_nothing_is_left(rig)


async def test_a_settled_question_leaves_no_timer(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], timeout=60)
        assert state(rig)["timers"] == 1
        said(ana, True)
        assert state(rig)["timers"] == 0


@rule("Q-POL-1")
async def test_first_ends_with_the_first_and_a_quorum_with_its_count(autojump_clock):
    async with open_rig() as rig:
        people = await rig.people("ana", "bo", "cy", "di")
        for policy, needed in [(First(), 1), (Quorum(1), 1), (Quorum(3), 3), (All(), 4)]:
            asking, id = await opened(rig, audience=people, policy=policy)
            taken = [said(person, True, id) is None for person in people]
            assert taken == [True] * needed + [False] * (4 - needed)
            await asking.wait()


@rule("Q-POL-1")
async def test_different_answers_make_a_quorum_too(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, _ = await opened(rig, audience=[ana, bo], policy=Quorum(2))
        said(ana, True)
        said(bo, False)
        collected = await asking.wait()
        assert [one.answer for one in collected.answers] == [True, False]
        assert not collected.unanimous(True)
