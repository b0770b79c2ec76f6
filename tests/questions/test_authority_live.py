"""Who may ask, view and answer, at every door."""

import pytest
import trio

import questions.authority
from facets import Principal, Who
from questions import (
    All,
    Asker,
    First,
    Forbidden,
    InvalidAsk,
    InvalidPolicy,
    NotInAudience,
    OwnerScope,
    Questions,
    Quorum,
    SessionScope,
    Text,
    UnknownQuestion,
    Viewer,
)
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, names, opened, said, team
from tests.rules import rule

ANA, RUN = Principal.user("ana"), Principal.program("run-1")
WORKER = Principal.worker("s1")
CODE = Text("Code?", secret=True)


async def get(rig, principal, scope=None):
    async with rig.host.root(principal=principal) as ctx:
        return await ctx.get(Questions, scope or rig.scope)


# --- faces ----------------------------------------------------------------------------------------------------------


@rule("Q-AUTH-1")
@pytest.mark.parametrize("principal", [Principal.user("ana"), Principal.guest("gil"), RUN], ids=str)
async def test_people_and_programs_get_viewers_which_cannot_ask(autojump_clock, principal):
    async with open_rig() as rig:
        viewer = await get(rig, principal)
        assert (type(viewer), viewer.principal, viewer.scope) == (Viewer, principal, rig.scope)
        assert not hasattr(viewer, "ask")


@rule("Q-AUTH-1")
@pytest.mark.parametrize("principal", [Principal.server("another"), WORKER], ids=str)
async def test_servers_and_workers_get_askers_which_cannot_answer(autojump_clock, principal):
    async with open_rig() as rig:
        asker = await get(rig, principal)
        assert (type(asker), asker.principal, asker.scope) == (Asker, principal, rig.scope)
        assert not hasattr(asker, "answer")
        assert not hasattr(asker, "open")


@rule("Q-AUTH-1")
async def test_the_host_itself_acts_as_a_server(autojump_clock):
    async with open_rig() as rig, rig.host.root() as ctx:
        assert ctx.principal.kind == "server"
        asker = await ctx.get(Questions, rig.scope)
        asking, _ = await opened(rig, audience=[ANA], asker=asker)
        assert rig.reports[0].asker.principal == ctx.principal
        asking.cancel()


@rule("Q-AUTH-1")
@pytest.mark.parametrize("scope", [SessionScope("s2"), OwnerScope(ANA), OwnerScope(WORKER)], ids=str)
async def test_a_worker_asks_in_its_own_session_only(autojump_clock, scope):
    async with open_rig() as rig:
        with pytest.raises(Forbidden):
            await get(rig, WORKER, scope)
        asking, _ = await opened(rig, audience=[ANA], asker=await get(rig, WORKER))
        assert asking.outcome is None


@rule("Q-AUTH-1")
async def test_only_servers_ask_for_secrets(autojump_clock):
    async with open_rig() as rig:
        asker = await get(rig, WORKER)
        with pytest.raises(Forbidden):
            await asker.ask(CODE, audience=[ANA], key="k")
        assert not rig.reports
        allowed, _ = await opened(rig, CODE, audience=[ANA])
        assert allowed.outcome is None


# --- viewing and answering ------------------------------------------------------------------------------------------


@rule("Q-AUTH-2")
@pytest.mark.parametrize("kind", ["user", "guest", "program"])
async def test_in_a_session_one_views_what_one_is_asked(autojump_clock, kind):
    async with open_rig() as rig:
        somebody, other = rig.person("x", kind), rig.person("y", kind)
        await somebody.join()
        _, mine = await opened(rig, audience=[somebody])
        await opened(rig, audience=[other])
        assert [(one.id, one.may_answer) for one in somebody.see()] == [(mine, True)]


@rule("Q-AUTH-2")
async def test_in_an_owners_scope_the_owner_views_everything_and_others_get_nothing(autojump_clock):
    async with open_rig(scope=OwnerScope(ANA)) as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[rig.person("bo")])
        assert [one.may_answer for one in ana.see()] == [False]
        with pytest.raises(Forbidden):
            await rig.person("bo").join()
        with pytest.raises(Forbidden):
            await rig.person("ana", kind="guest").join()


@rule("Q-AUTH-2")
@pytest.mark.parametrize("level", ["none", None, "", "everything", True], ids=repr)
async def test_who_may_view_nothing_gets_no_viewer(autojump_clock, level):
    async with open_rig(may_view=lambda principal, scope: level) as rig:
        with pytest.raises(Forbidden):
            await rig.person("ana").join()
        assert not rig.present.value


@rule("Q-AUTH-2")
async def test_an_overseer_views_every_question_and_answers_only_its_own(autojump_clock):
    async with open_rig(may_view=lambda principal, scope: "all") as rig:
        ana, boss = await rig.people("ana", "boss")
        _, theirs = await opened(rig, audience=[ana])
        _, shared = await opened(rig, audience=[ana, boss], policy=All())
        assert [(one.id, one.may_answer) for one in boss.see()] == [(theirs, False), (shared, True)]
        assert isinstance(said(boss, True, theirs), NotInAudience)
        assert said(boss, True, shared) is None


@rule("Q-AUTH-2")
async def test_an_overseer_who_leaves_an_audience_still_views_and_no_longer_answers(autojump_clock):
    async with open_rig(may_view=lambda principal, scope: "all") as rig:
        ana, boss = await rig.people("ana", "boss")
        audience = team(ana, boss)
        _, id = await opened(rig, audience=audience)
        assert boss.see()[0].may_answer
        audience.set((ana.principal,))
        await rig.quiet()
        assert [(one.id, one.may_answer) for one in boss.see()] == [(id, False)]
        assert not boss.viewer.closed.value
        assert isinstance(said(boss, True, id), NotInAudience)


@rule("Q-AUTH-2")
async def test_may_view_is_asked_for_each_principal_and_scope(autojump_clock):
    seen = []

    def may_view(principal, scope):
        seen.append((principal, scope))
        return "own"

    async with open_rig(may_view=may_view) as rig:
        await rig.people("ana")
        await rig.person("bo").join(SessionScope("s2"))
        assert seen == [(ANA, rig.scope), (Principal.user("bo"), SessionScope("s2"))]


@rule("Q-AUTH-2")
async def test_the_audience_says_who_may_answer_whatever_may_view_says(autojump_clock):
    async with open_rig(may_view=lambda principal, scope: "own") as rig:
        ana, cy = await rig.people("ana", "cy")
        asking, id = await opened(rig, audience=[ana])
        assert isinstance(said(cy, True, id), UnknownQuestion)
        assert said(ana, True, id) is None
        assert (await asking.wait()).by.principal == ana.principal


@rule("Q-AUTH-2")
async def test_a_namesake_of_another_kind_is_somebody_else(autojump_clock):
    async with open_rig() as rig:
        ana, guest = rig.person("ana"), rig.person("ana", kind="guest")
        await ana.join()
        await guest.join()
        _, id = await opened(rig, audience=[ana])
        assert not guest.see()
        assert isinstance(said(guest, True, id), UnknownQuestion)


@rule("Q-AUTH-3")
async def test_one_function_decides_at_every_door(autojump_clock, monkeypatch):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana])
        asker, acts = await rig.asker(), []

        def refuse(principal, act, *_):
            acts.append(act)
            raise Forbidden("nobody may anything")

        monkeypatch.setattr(questions.authority, "authorize", refuse)
        assert isinstance(said(ana, True, id), Forbidden)
        for attempt in (asker.ask(DEPLOY, audience=[ANA]), rig.person("bo").join(), get(rig, Principal.server("new"))):
            with pytest.raises(Forbidden), trio.fail_after(1):
                await attempt
        assert (acts[0], len(acts)) == ("answer", 4)
        assert {"answer", "ask", "view"} <= set(acts)
        assert asking.outcome is None


# --- on behalf of a program -----------------------------------------------------------------------------------------


@rule("Q-AUTH-4")
async def test_a_program_does_not_answer_what_its_own_run_asked(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        run = rig.person("run-1", kind="program")
        await run.join()
        asking, id = await opened(rig, audience=[run, ana], policy=All(), on_behalf_of=RUN)
        assert not run.see()
        assert isinstance(said(run, True, id), UnknownQuestion)
        said(ana, True)
        collected = await asking.wait()
        assert (len(collected.answers), collected.missing) == (1, ())


@rule("Q-AUTH-4")
async def test_whose_run_asks_is_stored_and_shown(autojump_clock):
    async with open_rig(names={RUN: "Build agent"}) as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], on_behalf_of=RUN)
        await opened(rig, audience=[ana])
        first, second = ana.see()
        assert (first.on_behalf_of, second.on_behalf_of) == (Who(RUN, "Build agent"), None)
        assert str(first.on_behalf_of) == "Build agent"


@rule("Q-AUTH-4")
async def test_another_program_may_answer_if_it_is_asked(autojump_clock):
    async with open_rig() as rig:
        other = rig.person("run-2", kind="program")
        await other.join()
        asking, _ = await opened(rig, audience=[other], on_behalf_of=RUN)
        said(other, True)
        assert (await asking.wait()).by.principal == other.principal


@rule("Q-AUTH-4", "Q-POL-4")
async def test_a_program_alone_is_no_audience_for_its_own_run(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        with pytest.raises(InvalidAsk):
            await asker.ask(DEPLOY, audience=[RUN], on_behalf_of=RUN)
        with pytest.raises(InvalidPolicy):
            await asker.ask(DEPLOY, audience=[RUN, ANA], policy=Quorum(2), on_behalf_of=RUN)
        assert not rig.reports


@rule("Q-AUTH-4")
@pytest.mark.parametrize("policy", [First(), Quorum(1), All()])
async def test_a_program_that_joins_a_live_audience_is_still_not_in_it(autojump_clock, policy):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        run = rig.person("run-1", kind="program")
        await run.join()
        audience = team(ana, run)
        _, id = await opened(rig, audience=audience, policy=policy, on_behalf_of=RUN)
        assert isinstance(said(run, True, id), UnknownQuestion)
        for members in [(ana,), (ana, run)]:
            audience.set(tuple(person.principal for person in members))
            await rig.quiet()
        assert not run.see()
        assert names(ana.see()[0].waiting_for) == ["ana"]
        assert isinstance(said(run, True, id), UnknownQuestion)


@rule("Q-AUTH-4", "Q-AUTH-2")
async def test_a_program_that_views_everything_still_does_not_answer_its_own_runs_question(autojump_clock):
    async with open_rig(may_view=lambda principal, scope: "all") as rig:
        run = rig.person("run-1", kind="program")
        await run.join()
        _, id = await opened(rig, audience=[run, ANA], on_behalf_of=RUN)
        assert not run.see()[0].may_answer
        assert isinstance(said(run, True, id), NotInAudience)
