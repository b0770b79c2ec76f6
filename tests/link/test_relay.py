"""What passes through a server to the worker that owns a session, and on whose behalf."""

import pytest
import trio

from facets import Forbidden, Unavailable
from facets.link.client import open_link
from questions import (
    All,
    Answered,
    Collected,
    Confirm,
    OwnerScope,
    Present,
    Questions,
    SessionScope,
    UnknownQuestion,
)
from questions.testing.stage import ANA, BO
from tests.link.raw import greeted, wait_until
from tests.link.relays import open_relayed, sees, until
from tests.link.stages import SCOPE
from tests.rules import rule


async def ask(relayed, nursery, question, results=None, **options):
    """Ask on the worker itself; returns once it is open there."""

    async def run():
        async with relayed.host.root() as ctx:
            asker = await ctx.get(Questions, SCOPE)
            result = await asker.ask(question, **options)
            if results is not None:
                results.append(result)

    nursery.start_soon(run)
    await until(relayed.host.waiting)


@rule("Q-AUTH-1")
async def test_the_worker_holds_objects_on_behalf_of_the_users_themselves():
    async with open_relayed() as relayed:
        viewer = await relayed.viewer(ANA)
        assert viewer.principal == ANA
        held = relayed.host.references(Questions, SCOPE).value
        assert [reference.principal for reference in held.values()] == [ANA]


async def test_an_answer_through_the_server_is_the_users_own():
    async with open_relayed() as relayed, trio.open_nursery() as nursery:
        results: list[Answered[bool]] = []
        ana, bo = await relayed.viewer(ANA), await relayed.viewer(BO)
        await ask(relayed, nursery, Confirm("Go?"), results, audience=[ANA])
        (question,) = await sees(ana, "Go?")
        with pytest.raises(UnknownQuestion):
            await bo.answer(question.id, False)
        await ana.answer(question.id, True)
        await sees(ana)
    assert [(result.by.principal, result.answer) for result in results] == [(ANA, True)]


async def test_a_name_that_the_server_knows_is_shown_by_the_worker():
    async with open_relayed() as relayed:
        relayed.server.host.introduce(ANA, "Ana Lima")
        viewer = await relayed.viewer(ANA)
        assert viewer.who.name == relayed.host.who(ANA).name == "Ana Lima"


async def test_login_questions_live_on_the_server():
    async with open_relayed() as relayed, relayed.server.host.root() as ctx, trio.open_nursery() as nursery:
        scope = OwnerScope(ANA)
        asker = await ctx.get(Questions, scope)
        viewer = await (await relayed.link("user:ana")).get(Questions, scope)
        nursery.start_soon(lambda: asker.ask(Confirm("Log in?"), audience=[ANA]))
        (question,) = await sees(viewer, "Log in?")
        assert not relayed.host.waiting.value
        await viewer.answer(question.id, True)


async def test_a_session_without_a_worker_is_unavailable_where_all_sessions_have_one():
    async with open_relayed() as relayed:
        link = await relayed.link("user:ana")
        with pytest.raises(Unavailable, match="the worker of session s2"):
            await link.get(Questions, SessionScope("s2"))


async def test_a_viewer_has_no_ask_through_a_relay_either():
    async with open_relayed() as relayed, greeted(relayed.server, "user:ana") as peer:
        await peer.say({"type": "call", "object": await peer.get(), "id": 9, "method": "ask"})
        assert (await peer.until("refused", 9))["message"] == "forbidden: user:ana may not call ask"


async def test_everyone_present_at_the_server_is_asked_and_nobody_who_has_gone():
    async with open_relayed() as relayed, trio.open_nursery() as nursery:
        results: list[Collected[bool]] = []
        asker, ana, bo = await relayed.remote_asker(), await relayed.viewer(ANA), await relayed.viewer(BO)

        async def run():
            results.append(await asker.ask(Confirm("All?"), audience=Present(), policy=All()))

        nursery.start_soon(run)
        await sees(bo, "All?")
        (question,) = await sees(ana, "All?")
        await ana.answer(question.id, True)
        bo.release()
        await wait_until(lambda: results)
    assert [given.by.principal for given in results[0].answers] == [ANA]


async def test_a_cancelled_ask_is_withdrawn_at_the_worker():
    async with open_relayed() as relayed:
        asker, viewer = await relayed.remote_asker(), await relayed.viewer(ANA)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lambda: asker.ask(Confirm("Go?"), audience=[ANA]))
            await sees(viewer, "Go?")
            nursery.cancel_scope.cancel()
        assert not relayed.host.waiting.value
        assert [one.how for one in await until(viewer.closed)] == ["withdrawn"]


@rule("Q-SET-2")
async def test_an_answer_that_came_first_wins_over_a_cancellation_on_its_way():
    async with open_relayed() as relayed, relayed.host.root(principal=ANA) as ctx:
        asker, results = await relayed.remote_asker(), []

        async def run():
            results.append(await asker.ask(Confirm("Go?"), audience=[ANA]))

        local = await ctx.get(Questions, SCOPE)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run)
            (id,) = await until(local.open)
            await local.answer(id, True)  # at the worker, before the word of it can have come to the asker
            nursery.cancel_scope.cancel()
        assert [result.answer for result in results] == [True]


async def test_what_is_released_at_the_server_is_released_at_the_worker():
    async with open_relayed() as relayed:
        viewer = await relayed.viewer(ANA)
        viewer.release()
        await wait_until(lambda: not relayed.host.references(Questions, SCOPE).value)


async def test_a_worker_leaves_the_others_session_alone():
    async with open_relayed() as relayed, open_link(relayed.server.url, "worker:s2") as link:
        with pytest.raises(Forbidden):
            await link.get(Questions, SCOPE)
