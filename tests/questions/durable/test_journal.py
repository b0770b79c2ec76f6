"""A journal says which live questions are open, whatever happens to the store meanwhile, and disturbs none of them."""

import logging
from contextlib import asynccontextmanager

import pytest
import trio

from facets import open_host
from questions import Confirm, Questions, Text, questions_facet
from questions.durable import BadArgument, durable_asks, open_journal
from questions.durable.journal_lines import JOURNAL
from questions.testing import Asking
from tests.questions.durable.asking import ANA, GO, HostUnderTest, result, shown, within
from tests.questions.durable.intercepting import lost
from tests.questions.durable.journalling import SCOPE, has_rows, journal_on, keys, opened, settled
from tests.rules import rule


@asynccontextmanager
async def live_host(journal):
    """A host of live questions with a journal, and a function that asks Ana there."""
    facet = questions_facet.configured(observe=journal.observe)
    async with trio.open_nursery() as nursery, open_host([facet]) as host, host.root() as ctx:
        asker = await ctx.get(Questions, SCOPE)

        def ask(question):
            asking = Asking()
            nursery.start_soon(asking.run, lambda: asker.ask(question, audience=[ANA]))
            return asking

        yield HostUnderTest(host, nursery), ask


AWAY = {"commit", "get", "scan", "now"}


async def written(journal):
    with within("it to be written"):
        while journal.figures()["waiting"] or journal._doing:
            await trio.lowlevel.checkpoint()


@pytest.mark.parametrize("is_closed", [False, True])
async def test_a_live_question_has_a_row_for_as_long_as_it_is_open_and_a_durable_one_has_none(store, is_closed):
    async with journal_on(store) as journal, trio.open_nursery() as nursery:
        facet = questions_facet.configured(durable=durable_asks(store), observe=journal.observe)
        async with open_host([facet]) as host, host.root() as ctx:
            asker = await ctx.get(Questions, SCOPE)
            nursery.start_soon(Asking().run, lambda: asker.ask(GO, audience=[ANA], key="k", durable=True))
            nursery.start_soon(Asking().run, lambda: asker.ask(Confirm("Live?"), audience=[ANA]))
            viewer = await HostUnderTest(host, nursery).viewer()
            both = await shown(viewer, "Live?", "Go?")
            assert await has_rows(store, 1) == [both[0].id]
            if not is_closed:
                await viewer.answer(both[0].id, False)
                await has_rows(store, 0)
        await has_rows(store, 0)
        nursery.cancel_scope.cancel()
    assert await store.list("leases/") == []


@rule("Q-SEC-1")
async def test_of_a_secret_question_there_is_what_views_show_and_never_its_answer(store):
    async with journal_on(store) as journal, live_host(journal) as (place, ask):
        asking = ask(Text("Code?", secret=True, details="canary-details"))
        viewer = await place.viewer()
        [question] = await shown(viewer, "Code?")
        await has_rows(store, 1)
        [row] = (await store.backend.get(JOURNAL, await keys(store))).rows
        assert ("Code?" in row.value, "canary" in row.value) == (True, False)
        await viewer.answer(question.id, "canary-answer")
        assert (await result(asking)).answer == "canary-answer"
        await has_rows(store, 0)


async def test_what_opens_together_is_written_together_and_what_ends_sooner_never(engines):
    async with engines.open_intercepted() as (store, between), journal_on(store) as journal:
        between.forget()
        for number in range(1_200):
            journal.observe(opened(number))
        for number in range(100, 1_200):
            journal.observe(settled(number))
        await written(journal)
        assert (between.calls["commit"], len(await keys(store))) == (1, 100)
        for number in range(100, 700):
            journal.observe(opened(number))
        await written(journal)
        assert (between.calls["commit"], len(await keys(store))) == (3, 700)
        between.forget()
        for number in range(700):
            journal.observe(settled(number))
        await written(journal)
        assert (between.calls["commit"], await keys(store)) == (2, [])


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_question_that_ends_while_it_is_written_is_deleted_after_that(engines, moment):
    async with engines.open_intercepted() as (store, between), journal_on(store) as journal:

        async def settle():
            journal.observe(settled(1))

        getattr(between, moment).append(settle)
        between.forget()
        journal.observe(opened(1))
        await between.called("commit", 2)
        await written(journal)
        assert await keys(store) == []


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_a_commit_of_which_nobody_knows_is_done_once(engines, moment):
    async with engines.open_intercepted() as (store, between), journal_on(store) as journal:
        getattr(between, moment).extend([lost] * 6)
        journal.observe(opened(1))
        await written(journal)
        assert await has_rows(store, 1) == ["q_1"]
        journal.observe(settled(1))
        await has_rows(store, 0)


async def test_a_store_that_is_away_holds_up_no_question_and_gets_all_that_is_open_later(engines, caplog):
    async with engines.open_intercepted() as (store, between):
        between.away |= AWAY
        begun = trio.current_time()
        async with journal_on(store) as journal, live_host(journal) as (place, ask):
            assert trio.current_time() - begun < 4
            first, second = ask(Confirm("First?")), ask(Confirm("Second?"))
            viewer = await place.viewer()
            with within("both to be shown"):
                while len(viewer.open.value) < 2:
                    await trio.lowlevel.checkpoint()
            ids = {one.message: id for id, one in viewer.open.value.items()}
            await viewer.answer(ids["First?"], False)
            assert (await result(first)).answer is False
            between.away.clear()
            assert await has_rows(store, 1) == [ids["Second?"]]
            await viewer.answer(ids["Second?"], True)
            assert (await result(second)).answer is True
        assert await keys(store) == []
    assert "has failed" not in caplog.text


async def test_what_finds_no_room_is_counted_and_said_once_and_the_rest_is_right(engines, caplog):
    async with engines.open_intercepted() as (store, between), journal_on(store, most=2) as journal:
        between.away |= AWAY
        for number in range(5):
            journal.observe(opened(number))
        assert journal.figures() == {"lost": 0, "unwritten": 3, "waiting": 2}
        for number in (0, 4):
            journal.observe(settled(number))
        between.away.clear()
        assert await has_rows(store, 1) == ["q_1"]
        journal.observe(opened(5))
        assert await has_rows(store, 2) == ["q_1", "q_5"]
    assert [one.message[:19] for one in caplog.records if "journal is full" in one.message] == ["the journal is full"]


async def test_what_must_never_happen_to_a_journal_ends_it_alone(engines, caplog):
    async with engines.open_intercepted() as (store, between), journal_on(store) as journal:

        async def fail():
            raise RuntimeError("never")

        between.before.append(fail)
        with caplog.at_level(logging.ERROR):
            journal.observe(opened(1))
            with within("it to be logged"):
                while journal._takes:
                    await trio.lowlevel.checkpoint()
        journal.observe(opened(2))
        assert journal.figures()["waiting"] == 0
    assert [one.message for one in caplog.records] == [
        "writing the journal of live questions has failed, and will not go on"
    ]


@pytest.mark.parametrize("bad", [{"lease_ms": 999}, {"batch_ms": -1}, {"most": 0}, {"batch_ms": 0.5}, {"most": True}])
async def test_settings_out_of_range_are_refused(store, bad):
    with pytest.raises(BadArgument) as refused:
        async with open_journal(store, **bad):
            pass
    assert next(iter(bad)) in str(refused.value)
