"""A worker serves its own sessions, to the server that was meant, on behalf of whom that says."""

from contextlib import asynccontextmanager

import pytest
import trio

from facets import Forbidden, InvalidPrincipal, Unauthenticated, open_host
from facets.link import open_link_server
from facets.link.worker import open_worker
from questions import Confirm, Questions, SessionScope, questions_facet
from questions.testing.stage import ANA
from tests.link.fake_server import open_fake_server
from tests.link.raw import Closed
from tests.link.relays import until
from tests.link.stages import OverLinks, Tokens

GET = {"type": "get", "kind": "questions", "input": {"session": "s1"}}
AS_ANA = {"as": {"kind": "user", "id": "ana"}}


@asynccontextmanager
async def dialling_a_fake():
    """A worker of session s1, and a server that says whatever the test likes."""
    async with (
        open_host([questions_facet]) as host,
        open_fake_server() as server,
        open_worker(host, server.url, "token", "s1") as worker,
    ):
        yield worker, server


@asynccontextmanager
async def served_to_a_fake():
    """The same, once the worker has been welcomed."""
    async with dialling_a_fake() as (worker, server):
        connection = await server.accept()
        assert await connection.welcome() == {"type": "hello", "token": "token", "serves": ["s1"]}
        await worker.connected()
        yield worker, connection


async def test_a_get_without_a_principal_is_refused():
    async with served_to_a_fake() as (worker, server):
        await server.say({**GET, "id": 1})
        assert (await server.hear())["code"] == "forbidden"
        assert not worker.host.references(Questions).value


@pytest.mark.parametrize("input", [{"session": "s2"}, {"owner": {"kind": "user", "id": "ana"}}], ids=str)
async def test_what_is_not_of_its_session_is_refused(input):
    async with served_to_a_fake() as (worker, server):
        await server.say({**GET, **AS_ANA, "id": 1, "input": input})
        assert (await server.hear())["code"] == "forbidden"
        assert not worker.host.references(Questions).value


async def test_an_object_is_held_on_behalf_of_whom_the_server_says_and_under_the_name_it_says():
    async with served_to_a_fake() as (worker, server):
        await server.say({**GET, **AS_ANA, "id": 1, "name": "Ana Lima"})
        assert (await server.hear())["principal"] == {"kind": "user", "id": "ana", "name": "Ana Lima"}
        assert [one.principal for one in worker.host.references(Questions).value.values()] == [ANA]


@pytest.mark.parametrize(
    "said",
    [
        "no JSON",
        {"type": "call", "id": 0, "object": 1, "method": "answer"},
        {"type": "hello", "token": "t"},
        {"type": "refused", "id": 1, "code": "forbidden", "message": "no"},
    ],
    ids=lambda said: str(said)[:30],
)
async def test_a_server_that_says_what_it_should_not_is_left_and_dialled_again(said):
    async with served_to_a_fake() as (worker, server):
        await server.say({**GET, **AS_ANA, "id": 1})
        await server.hear()
        await server.say(said)
        while not isinstance(await server.hear(), Closed):
            pass
        await until(worker.host.references(Questions), lambda held: all(one.lingering for one in held.values()))


async def test_it_comes_back_for_as_long_as_its_block_runs():
    async with dialling_a_fake() as (worker, server):
        for _ in range(3):
            connection = await server.accept()
            await connection.welcome()
            await until(worker.state, lambda state: state == "connected")
            await connection.leave()
            await until(worker.state, lambda state: state == "lost")


async def test_after_a_lost_link_the_server_is_told_what_is_different():
    async with dialling_a_fake() as (worker, server), worker.host.root() as ctx, trio.open_nursery() as nursery:
        asker = await ctx.get(Questions, SessionScope("s1"))
        before = await server.accept()
        told = await watch_as_ana(before)
        await before.leave()
        nursery.start_soon(lambda: asker.ask(Confirm("Meanwhile?"), audience=[ANA]))
        again = await watch_as_ana(await server.accept(), epoch=told["epoch"], revision=told["revision"])
        assert (again["type"], again["base"]) == ("difference", told["revision"])
        assert [one["question"]["message"] for one in again["put"].values()] == ["Meanwhile?"]
        nursery.cancel_scope.cancel()


async def watch_as_ana(server, **reached):
    await server.welcome()
    await server.say({**GET, **AS_ANA, "id": 1}, {"type": "watch", "id": 2, "object": 1, "readable": "open", **reached})
    assert (await server.hear())["type"] == "got"
    return await server.hear()


async def test_who_is_refused_hears_why_and_may_be_taken_later():
    async with dialling_a_fake() as (worker, server):
        connection = await server.accept()
        await connection.hear()
        await connection.say({"type": "goodbye", "code": "unauthenticated", "message": "no"})
        with pytest.raises(Unauthenticated):
            await worker.connected()
        assert worker.state.value == "refused"
        await (await server.accept()).welcome()
        await until(worker.state, lambda state: state == "connected")


async def test_a_token_of_somebody_else_serves_nothing():
    async with dialling_a_fake() as (worker, server):
        await (await server.accept()).welcome("user:ana")
        with pytest.raises(Forbidden, match="session s1 is served with a token of worker:s1"):
            await worker.connected()


async def test_several_sessions_have_a_link_and_a_token_each():
    async with (
        open_host([questions_facet]) as front,
        open_host([questions_facet]) as host,
        open_link_server(front, Tokens()) as server,
        open_worker(host, server.url, lambda session: f"worker:{session}", ["s1", "s2"]) as worker,
        host.root() as ctx,
    ):
        await worker.connected()
        assert {one["session"] for one in server.relay.describe()} == {"s1", "s2"}
        await see_a_question_in("s2", server, await ctx.get(Questions, SessionScope("s2")))


async def see_a_question_in(session, server, asker):
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lambda: asker.ask(Confirm("Go?"), audience=[ANA]))
        link = await OverLinks(server, nursery)._link("user:ana")
        viewer = await link.get(Questions, SessionScope(session))
        await until(viewer.open)
        nursery.cancel_scope.cancel()


async def test_a_session_that_cannot_be_one_is_refused_at_once():
    async with open_host([questions_facet]) as host:
        with pytest.raises(InvalidPrincipal):
            await open_worker(host, "ws://127.0.0.1:1", "token", "\u202e").__aenter__()


@pytest.mark.parametrize("sessions", [[], ["s1", "s2"]], ids=str)
async def test_one_token_is_for_one_session(sessions):
    async with open_host([questions_facet]) as host:
        with pytest.raises(ValueError, match="one session or more"):
            await open_worker(host, "ws://127.0.0.1:1", "worker:s1", sessions).__aenter__()
