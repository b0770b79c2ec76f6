"""Audiences that change while a question is open."""

from typing import Any

import pytest
import trio

from facets import derive, present
from questions import All, Confirm, First, InvalidAsk, NotInAudience, Questions, Quorum
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, assert_nothing_is_left, endings, names, opened, said, state, team
from tests.rules import rule

LIVE = [First(), Quorum(2), All()]


def set_to(audience, *people):
    audience.set(tuple(person.principal for person in people))


@rule("Q-POL-2")
@pytest.mark.parametrize("policy", LIVE)
async def test_who_joins_sees_the_question_at_once(autojump_clock, policy):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana)
        await opened(rig, audience=audience, policy=policy)
        assert not bo.see()
        set_to(audience, ana, bo)
        await rig.quiet()
        assert bo.see()[0].may_answer
        assert rig.now == 0


@rule("Q-POL-2")
@pytest.mark.parametrize("policy", LIVE)
async def test_who_leaves_no_longer_sees_it_and_cannot_answer(autojump_clock, policy):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana, bo)
        _, id = await opened(rig, audience=audience, policy=policy)
        set_to(audience, ana)
        await rig.quiet()
        assert not bo.see()
        assert [one.how for one in bo.viewer.closed.value] == ["left"]
        assert isinstance(said(bo, True, id), NotInAudience)


@rule("Q-POL-2", "Q-POL-1")
async def test_who_joins_becomes_required_under_all(autojump_clock):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        audience = team(ana, bo)
        asking, _ = await opened(rig, audience=audience, policy=All())
        said(ana, True)
        set_to(audience, ana, bo, cy)
        said(bo, True)
        assert names(cy.see()[0].waiting_for) == ["cy"]
        said(cy, True)
        assert names(one.by for one in (await asking.wait()).answers) == ["ana", "bo", "cy"]


@rule("Q-POL-2")
async def test_who_leaves_drops_out_of_the_required_and_can_settle_all(autojump_clock):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        audience = team(ana, bo, cy)
        asking, _ = await opened(rig, audience=audience, policy=All())
        said(ana, True)
        said(bo, False)
        set_to(audience, ana, bo)
        collected = await asking.wait()
        assert (names(one.by for one in collected.answers), collected.missing) == (["ana", "bo"], ())
        assert collected.ended == "reached"
        assert not cy.see()


@rule("Q-POL-2")
async def test_the_answer_of_one_who_has_left_counts_towards_the_quorum(autojump_clock):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        audience = team(ana, bo, cy)
        asking, _ = await opened(rig, audience=audience, policy=Quorum(2))
        said(ana, True)
        set_to(audience, bo, cy)
        await rig.quiet()
        said(bo, True)
        collected = await asking.wait()
        assert (names(one.by for one in collected.answers), names(collected.missing)) == (["ana", "bo"], ["cy"])


@rule("Q-POL-2", "Q-POL-6")
async def test_one_who_has_answered_left_and_come_back_has_answered(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana, bo)
        asking, id = await opened(rig, audience=audience, policy=All())
        said(ana, True)
        set_to(audience, bo)
        await rig.quiet()
        set_to(audience, bo, ana)
        assert said(ana, False, id).how == "already_answered"
        said(bo, True)
        assert (await asking.wait()).unanimous(True)


@rule("Q-POL-2")
async def test_a_snapshot_is_frozen_at_the_ask(autojump_clock):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        audience = team(ana, bo)
        asking, _ = await opened(rig, audience=audience, policy=All(join="snapshot"))
        set_to(audience, cy)
        await rig.quiet()
        assert not cy.see()
        said(ana, True)
        said(bo, True)
        assert len((await asking.wait()).answers) == 2


@rule("Q-POL-2")
async def test_a_fixed_list_is_frozen_though_it_changes(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asker, audience = await rig.asker(), [ana.principal]
        rig._nursery.start_soon(lambda: asker.ask(DEPLOY, audience=audience))
        await rig.quiet()
        audience.append(bo.principal)
        await rig.quiet()
        assert (len(ana.see()), len(bo.see())) == (1, 0)


@rule("Q-POL-3")
@pytest.mark.parametrize("policy", LIVE)
async def test_an_audience_that_empties_before_anybody_answered_waits_for_the_deadline(autojump_clock, policy):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        audience = team(ana)
        asking, _ = await opened(rig, audience=audience, policy=policy, timeout=60)
        set_to(audience)
        await rig.until(59)
        assert (asking.outcome, endings(rig)) == (None, [])
        await rig.until(60)
        assert endings(rig) == ["expired"]


@rule("Q-POL-3")
async def test_an_audience_that_has_emptied_can_fill_again(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana)
        asking, _ = await opened(rig, audience=audience, policy=All())
        set_to(audience)
        await rig.quiet()
        set_to(audience, bo)
        await rig.quiet()
        said(bo, True)
        assert (await asking.wait()).unanimous(True)


@rule("Q-POL-3")
async def test_all_settles_with_what_is_there_when_everybody_has_left_after_an_answer(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana, bo)
        asking, _ = await opened(rig, audience=audience, policy=All())
        said(ana, True)
        set_to(audience)
        collected = await asking.wait()
        assert (names(one.by for one in collected.answers), collected.missing) == (["ana"], ())


@rule("Q-POL-3")
async def test_a_quorum_that_everybody_has_left_waits(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana, bo)
        asking, _ = await opened(rig, audience=audience, policy=Quorum(2), timeout=60)
        said(ana, True)
        set_to(audience)
        collected = await asking.wait()
        assert (collected.ended, rig.now) == ("deadline", 60)


@rule("Q-POL-4")
@pytest.mark.parametrize("policy", LIVE)
async def test_a_live_audience_may_be_empty_at_the_ask(autojump_clock, policy):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team()
        _, id = await opened(rig, audience=audience, policy=policy)
        set_to(audience, ana, bo)
        said(ana, True, id)
        said(bo, True, id)
        assert endings(rig) == ["answered"]


@rule("Q-POL-4")
async def test_a_quorum_above_a_live_audience_waits_for_it_to_grow(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana)
        asking, _ = await opened(rig, audience=audience, policy=Quorum(2))
        said(ana, True)
        set_to(audience, ana, bo)
        await rig.quiet()
        said(bo, True)
        assert (await asking.wait()).unanimous(True)


@rule("Q-POL-4")
async def test_a_snapshot_of_nobody_is_refused(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        with pytest.raises(InvalidAsk):
            await asker.ask(DEPLOY, audience=team(), policy=All(join="snapshot"))


@rule("Q-POL-6")
async def test_a_member_who_comes_by_several_ways_is_one(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        one, other = team(ana), team(ana, bo)
        audience = derive([one, other], lambda a, b: a + b)
        asking, id = await opened(rig, audience=audience, policy=Quorum(2))
        set_to(one)
        assert said(ana, True, id) is None, "still there by the other way"
        assert said(ana, True, id).how == "already_answered"
        said(bo, True, id)
        assert len((await asking.wait()).answers) == 2


async def test_one_audience_is_followed_once_and_let_go_with_its_last_question(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        audience = team(ana)
        (_, one), (_, two) = [await opened(rig, audience=audience) for _ in range(2)]
        assert state(rig)["live_audiences"] == 1
        said(ana, True, one)
        assert state(rig)["live_audiences"] == 1
        said(ana, True, two)
        assert_nothing_is_left(rig)
        assert not audience._listeners


async def test_a_change_reaches_every_question_that_shares_the_audience(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana)
        for _ in range(3):
            await opened(rig, audience=audience)
        set_to(audience, ana, bo)
        await rig.quiet()
        assert len(bo.see()) == 3


async def test_one_leave_can_settle_several_questions(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana, bo)
        ids = [(await opened(rig, audience=audience, policy=All()))[1] for _ in range(3)]
        for id in ids:
            said(ana, True, id)
        set_to(audience, ana)
        await rig.quiet()
        assert endings(rig) == ["answered"] * 3
        assert_nothing_is_left(rig)


async def test_a_question_asked_right_after_a_change_has_the_new_members(autojump_clock):
    """Though the store has not been told yet of the change to an audience that it follows."""
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana)
        await opened(rig, audience=audience)
        rig.ask(Confirm("Second?"), audience=audience)
        set_to(audience, bo)
        await rig.quiet()
        assert [one.question.message for one in bo.see()] == ["Deploy?", "Second?"]
        assert not ana.see()


# --- everyone present -----------------------------------------------------------------------------------------------


@rule("Q-POL-2")
async def test_everyone_present_is_who_views_the_scope_now(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, _ = await opened(rig, audience=rig.present, policy=All())
        said(ana, True)
        cy = rig.person("cy", kind="guest")
        await cy.join()
        await rig.quiet()
        assert names(cy.see()[0].waiting_for) == ["bo", "cy"]
        bo.leave()
        await rig.quiet()
        said(cy, True)
        assert names(one.by for one in (await asking.wait()).answers) == ["ana", "cy"]


@rule("Q-POL-2")
async def test_who_lingers_after_a_lost_link_is_not_present(autojump_clock):
    async with open_rig(reference_linger=30) as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, _ = await opened(rig, audience=rig.present, policy=All())
        bo.lose()
        await rig.quiet()
        said(ana, True)
        assert len((await asking.wait()).answers) == 1
        assert rig.now == 0


@rule("Q-POL-2", "Q-POL-6")
async def test_the_second_device_of_somebody_present_changes_nothing(autojump_clock):
    async with open_rig() as rig:
        phone, laptop = await rig.people("ana", "ana")
        assert len(rig.present.value) == 1
        phone.leave()
        assert len(rig.present.value) == 1
        laptop.leave()
        assert not rig.present.value


@rule("Q-POL-2")
async def test_programs_are_present_only_if_asked_for(autojump_clock):
    async with open_rig() as rig:
        await rig.people("ana")
        run = rig.person("run-1", kind="program")
        await run.join()
        assert [who.kind for who in rig.present.value] == ["user"]
        everyone = present(rig.host, Questions, rig.scope, kinds=("user", "program"))
        assert sorted(who.kind for who in everyone.value) == ["program", "user"]


@rule("Q-POL-2")
async def test_one_whose_leave_settles_the_question_has_left_it(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana, bo)
        await opened(rig, audience=audience, policy=All())
        said(ana, True)
        set_to(audience, ana)
        await rig.quiet()
        ends = [person.viewer.closed.value[-1].how for person in (ana, bo)]
        assert ends == ["answered", "left"]


@rule("Q-POL-2")
async def test_a_change_that_is_taken_back_while_a_question_is_asked_is_taken_back_there_too(autojump_clock):
    """The second question is asked of the changed audience, and the store has not looked at it in between."""
    changes: list[Any] = []
    async with open_rig(observe=lambda report: changes and changes.pop()()) as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana)
        await opened(rig, audience=audience)
        changes.append(lambda: set_to(audience, ana))
        asker = await rig.asker()
        set_to(audience, bo)
        counts: list[int] = []
        rig.at(0.5, lambda: counts.extend([len(ana.see()), len(bo.see())]))
        with trio.move_on_after(1):
            await asker.ask(Confirm("Second?"), audience=audience)
        assert counts == [2, 0]
