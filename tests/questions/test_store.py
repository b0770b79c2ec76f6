"""The store as an actor: one message at a time, whoever sends it."""

import logging
import re

import pytest
import trio

from facets import ActorBusy, Principal, derive
from questions import All, Confirm, Expired, First, QuestionsConfig, Secret, StoreClosed, questions_facet
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, assert_nothing_is_left, endings, names, opened, said, state, store_of, team
from tests.rules import rule

ANA = Principal.user("ana")


@rule("Q-TYPE-1", "Q-POL-1")
async def test_tasks_that_ask_at_once_each_get_their_own_answer(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        askings = {f"{number}?": rig.ask(Confirm(f"{number}?"), audience=[ana]) for number in range(100)}
        await rig.quiet()
        for one in reversed(ana.see()):
            said(ana, int(one.question.message[:-1]) % 2 == 0, one.id)
        for message, asking in askings.items():
            assert (await asking.wait()).answer == (int(message[:-1]) % 2 == 0)


async def test_one_tick_applies_every_audience_that_has_changed(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audiences = [team(ana) for _ in range(5)]
        for audience in audiences:
            await opened(rig, audience=audience)
        for audience in audiences:
            audience.set((bo.principal,))
        await rig.quiet()
        assert (len(ana.see()), len(bo.see())) == (0, 5)


async def test_an_audience_that_changes_and_changes_back_within_a_step_changes_nothing(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana, bo)
        asking, id = await opened(rig, audience=audience, policy=All())
        said(ana, True, id)
        audience.set((ana.principal,))
        audience.set((ana.principal, bo.principal))
        await rig.quiet()
        assert (asking.outcome, len(bo.see())) == (None, 1)


async def test_the_order_of_an_audience_is_no_change(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        audience = team(ana, bo)
        await opened(rig, audience=audience)
        version = ana.viewer.open.version
        audience.set((bo.principal, ana.principal))
        await rig.quiet()
        assert ana.viewer.open.version == version


async def test_the_store_cannot_be_called_from_inside_its_own_handler(autojump_clock):
    async with open_rig() as rig:
        store = store_of(rig)
        with pytest.raises(ActorBusy):
            store.call(store.call, store.describe)
        assert store.call(store.describe)["open"] == []


async def test_an_audience_that_answers_while_it_is_read_is_refused_and_hurts_nobody(autojump_clock):
    """A computation is to read nothing but its arguments; one that calls the store finds it busy."""
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        cell, refusals = team(ana), []

        def answer(members):
            refusals.append(said(ana, True, "q"))
            return members

        asking, id = await opened(rig, audience=derive([cell], answer))
        refusals.clear()
        cell.set((ana.principal, bo.principal))
        await rig.quiet()
        assert [type(refusal) for refusal in refusals] == [ActorBusy]
        assert said(bo, True, id) is None
        assert (await asking.wait()).by.principal == bo.principal


@rule("Q-TYPE-3", "Q-SEC-1")
async def test_an_answer_comes_in_wrapped_and_leaves_unwrapped(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, audience=[ana])
        store = store_of(rig)
        store.call(store.answer, store.publishing.board(ANA, rig.scope), id, Secret(True))
        assert (await asking.wait()).answer is True


@rule("Q-SET-4")
async def test_an_id_is_short_and_safe_in_an_url(autojump_clock):
    async with open_rig() as rig:
        _, id = await opened(rig, audience=[ANA])
        assert re.fullmatch(r"[A-Za-z0-9_]{8,40}", id)


@rule("Q-ASK-1")
def test_the_settings_are_those_of_the_design():
    assert (questions_facet.config.linger, questions_facet.config.retain) == (30, 600)
    assert questions_facet.configured(linger=5, retain=60).config == QuestionsConfig(linger=5, retain=60)


async def test_a_closed_store_can_be_closed_again(autojump_clock):
    async with open_rig() as rig:
        store, asker = store_of(rig), await rig.asker()
        await opened(rig, audience=[ANA])
        for _ in range(2):
            store.call(store.close)
        assert endings(rig) == ["closed"]
        with pytest.raises(StoreClosed):
            await asker.ask(DEPLOY, audience=[ANA])
        assert_nothing_is_left(rig)


@rule("Q-SET-6")
async def test_a_question_whose_last_events_are_lost_is_closed_all_the_same(autojump_clock, monkeypatch, caplog):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        first, id = await opened(rig, audience=team(ana))
        second, _ = await opened(rig, audience=[ana])
        store = store_of(rig)
        monkeypatch.setattr(store, "_refresh", lambda audience: 1 / 0)
        store.call(store.close)
        for asking in (first, second):
            with pytest.raises(StoreClosed):
                await asking.wait()
        assert (endings(rig), f"question {id}: its last events are lost" in caplog.messages) == (["closed"] * 2, True)


@rule("Q-SET-2")
async def test_what_fails_after_a_settlement_does_not_settle_it_again(autojump_clock, monkeypatch, caplog):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, _ = await opened(rig, audience=[ana], timeout=5)
        monkeypatch.setattr(type(store_of(rig).publishing), "settled", lambda *_: 1 / 0)
        with pytest.raises(Expired):
            await asking.wait()
        await rig.quiet()
        assert (state(rig)["open"], len(caplog.records)) == ([], 1)


@pytest.mark.parametrize("policy", [First(), All()])
async def test_the_store_counts_who_waits(autojump_clock, policy):
    async with open_rig() as rig:
        askings = [(await opened(rig, audience=[ANA], key="k", policy=policy))[0] for _ in range(3)]
        assert [one["waiters"] for one in state(rig)["open"]] == [3]
        askings[1].cancel()
        await rig.quiet()
        assert [one["waiters"] for one in state(rig)["open"]] == [2]


@rule("Q-KEY-3")
async def test_a_reload_touches_no_waiter_no_viewer_and_no_watcher(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, id = await opened(rig, audience=[ana, bo], policy=All(), key="k", timeout=60)
        watcher = ana.viewer.open.changes()
        await anext(watcher)
        said(ana, True, id)
        await rig.host.reload(questions_facet)
        assert asking.outcome is None
        assert names((await anext(watcher))[id].answered) == ["ana"]
        said(bo, True, id)
        assert (await asking.wait()).unanimous(True)


async def test_a_reload_can_change_what_may_be_viewed(autojump_clock):
    async with open_rig() as rig:
        ana, cy = await rig.people("ana", "cy")
        _, id = await opened(rig, audience=[ana])
        assert not cy.see()
        await rig.host.reload(questions_facet.configured(may_view=lambda principal, scope: "all"))
        assert [(one.id, one.may_answer) for one in cy.see()] == [(id, False)]
        await rig.host.reload(questions_facet.configured(may_view=lambda principal, scope: "none"))
        assert (cy.see(), ana.see()) == ([], [])


async def test_no_answer_is_logged_at_any_level(autojump_clock, caplog):
    caplog.set_level(logging.DEBUG)
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, id = await opened(rig, audience=[ana, bo])
        said(ana, "canary", id)
        said(ana, True, id)
        await asking.wait()
        assert "canary" not in caplog.text


async def test_people_who_race_for_a_hundred_questions_each_settle_every_one_once(autojump_clock):
    """Tasks in whatever order the scheduler takes them: each answer is either the one that counts or refused."""
    async with open_rig() as rig:
        people = await rig.people("ana", "bo", "cy")
        askings = [rig.ask(Confirm(f"{number}?"), audience=people) for number in range(100)]
        await rig.quiet()
        taken = []

        async def answer_all(person):
            for id in list(person.viewer.open.value):
                if said(person, True, id) is None:
                    taken.append((id, person.principal))
                await trio.lowlevel.checkpoint()

        async with trio.open_nursery() as nursery:
            for person in people:
                nursery.start_soon(answer_all, person)
        assert len(taken) == len(dict(taken)) == 100
        ids = {report.message: report.id for report in rig.reports[:100]}
        for number, asking in enumerate(askings):
            assert (await asking.wait()).by.principal == dict(taken)[ids[f"{number}?"]]
