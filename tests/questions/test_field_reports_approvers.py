"""Faults that users of other systems have met: who may answer, and several who have to."""

import pytest

from facets import derive
from questions import All, Expired, Forbidden, NotInAudience, Questions, Quorum, UnknownQuestion
from questions.testing import open_rig
from tests.questions.steps import names, opened, said, team
from tests.rules import rule


@rule("Q-POL-6")
@pytest.mark.parametrize("live", [True, False])
async def test_a_person_in_two_teams_on_two_devices_counts_once(autojump_clock, live):
    async with open_rig() as rig:
        socket, chat, bo, cy = await rig.people("ana", "ana", "bo", "cy")
        team_a, team_b = team(socket, bo), team(chat, cy)
        both = derive([team_a, team_b], lambda a, b: a + b)
        asking, id = await opened(rig, audience=both if live else list(both.value), policy=Quorum(2))
        assert said(socket, True, id) is None
        assert said(chat, True, id).how == "already_answered"
        assert asking.outcome is None
        assert said(bo, True, id) is None
        assert names(one.by for one in (await asking.wait()).answers) == ["ana", "bo"]


@rule("Q-POL-2")
async def test_the_answer_of_one_who_left_stays_and_the_others_who_left_are_not_waited_for(autojump_clock):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        audience = team(ana, bo, cy)
        asking, _ = await opened(rig, audience=audience, policy=All())
        said(ana, True)
        audience.set((bo.principal,))
        await rig.quiet()
        assert asking.outcome is None
        said(bo, True)
        collected = await asking.wait()
        assert (names(one.by for one in collected.answers), collected.missing) == (["ana", "bo"], ())
        assert collected.unanimous(True)


@rule("Q-POL-2")
async def test_a_snapshot_is_changed_by_nobody_who_leaves(autojump_clock):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        audience = team(ana, bo, cy)
        asking, id = await opened(rig, audience=audience, policy=All(join="snapshot"))
        said(ana, True)
        audience.set((bo.principal,))
        said(bo, True)
        assert asking.outcome is None
        assert said(cy, True, id) is None
        assert len((await asking.wait()).answers) == 3


@rule("Q-POL-3")
async def test_when_everyone_left_before_any_answer_it_waits_for_its_deadline(autojump_clock):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        audience = team(ana, bo, cy)
        asking, _ = await opened(rig, audience=audience, policy=All(), timeout=60)
        audience.set(())
        collected = await asking.wait()
        assert (rig.now, collected.answers, collected.missing, collected.ended) == (60, (), (), "deadline")


@rule("Q-AUTH-2")
async def test_a_right_to_view_is_no_right_to_answer_and_none_to_cancel(autojump_clock):
    async with open_rig(may_view=lambda principal, scope: "all" if principal.id == "cy" else "own") as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        asking, id = await opened(rig, audience=[ana])
        assert [one.may_answer for one in cy.see()] == [False]
        assert isinstance(said(cy, True, id), NotInAudience)
        assert isinstance(said(bo, True, id), UnknownQuestion)
        assert not any(hasattr(cy.viewer, name) for name in ("ask", "cancel", "withdraw", "close"))
        assert asking.outcome is None


@rule("Q-AUTH-2")
async def test_with_nobody_allowed_nobody_gets_in(autojump_clock):
    async with open_rig(may_view=lambda principal, scope: "none") as rig:
        for kind in ("user", "guest", "program"):
            with pytest.raises(Forbidden):
                await rig.person("eve", kind=kind).join()


@rule("Q-POL-4")
async def test_an_empty_live_audience_lets_nobody_answer(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=team(), timeout=60)
        assert isinstance(said(ana, True, id), UnknownQuestion)
        with pytest.raises(Expired):
            await asking.wait()


async def test_the_face_of_a_scope_is_the_principals_own(autojump_clock):
    """Nobody can view as somebody else: the principal comes from the call scope, and from nowhere else."""
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        await opened(rig, audience=[ana])
        async with rig.host.root(principal=bo.principal) as ctx:
            assert not (await ctx.get(Questions, rig.scope)).open.value
