"""A server that stops: what it still does, what it refuses, and that everybody comes back to the next one."""

from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio

from facets import GoingAway, LinkLost, Principal, Unavailable, open_host
from facets.link.server import open_link_server
from facets.link.worker import open_worker
from facets.nursery import open_serving_nursery
from questions import Confirm, Questions, SessionScope, questions_facet
from questions.operations import answer_health
from tests.link.clients import every_client
from tests.link.raw import PATIENCE, Closed, connected, greeted, wait_until
from tests.link.relays import until
from tests.link.stages import SCOPE, OverLinks, Tokens
from tests.questions.operations.scraping import exchanged, fetched

ANA = Principal.user("ana")
GO = Confirm("Go?")
KEY = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
GOODBYE = {
    "type": "goodbye",
    "code": "going_away",
    "message": "the server is going away; come back",
    "retryable": True,
}


@asynccontextmanager
async def opened():
    """A host, its server, links to it, and a nursery."""
    async with (
        open_host([questions_facet]) as host,
        open_link_server(host, Tokens()) as server,
        open_serving_nursery() as nursery,
    ):
        yield server, OverLinks(server, nursery), nursery


async def ask(asker, results, **options):
    try:
        results.append((await asker.ask(GO, audience=[ANA], **options)).answer)
    except (LinkLost, Unavailable) as error:
        results.append(type(error))


async def answer_first(viewer):
    opened = await until(viewer.open)
    await viewer.answer(next(iter(opened)), True)


async def test_who_is_connected_answers_and_then_nothing_is_waited_for():
    async with opened() as (server, links, nursery):
        results: list = []
        left: list = []
        asker, viewer = await links.asker(), await links.viewer(ANA)
        nursery.start_soon(ask, asker, results)
        await until(viewer.open)

        async def drain():
            left.append(await server.drain(60))

        async with trio.open_nursery() as draining:
            draining.start_soon(drain)
            await wait_until(lambda: server.is_draining)
            await answer_first(viewer)
        assert left == [()]
        await wait_until(lambda: results == [True])


async def test_when_the_time_is_over_it_says_what_is_still_open():
    async with opened() as (server, links, nursery):
        asker, viewer = await links.asker(), await links.viewer(ANA)
        nursery.start_soon(ask, asker, [])
        (id,) = await until(viewer.open)
        assert [(waiting.id, waiting.what) for waiting in await server.drain(0)] == [(id, "Go?")]
        nursery.cancel_scope.cancel()


async def test_new_objects_and_asks_are_refused_as_what_may_be_tried_again():
    async with opened() as (server, links, _):
        link = await links._link("server:host")
        asker = await link.get(Questions, SCOPE)
        await server.drain(0)
        with pytest.raises(GoingAway):
            await link.get(Questions, SessionScope("s2"))
        with pytest.raises(Unavailable):
            await asker.ask(GO, audience=[ANA])
        assert link.state.value == "connected"
        assert server.traffic.refused == {"going_away": 1, "unavailable": 1}


async def test_nobody_new_is_let_in_and_plain_requests_are_answered():
    async with opened() as (server, _, _):
        server.door.answer = answer_health(server)
        assert await fetched(server, "/healthz") == (200, "ok\n")
        await server.drain(0)
        handshake = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", KEY]
        status, headers, body = await exchanged(server, "/", headers=handshake)
        assert (status, headers["retry-after"]) == (503, "1")
        assert body == "This server is going away; come back.\n"
        assert await fetched(server, "/healthz") == (503, "draining\n")


async def test_everybody_is_told_to_come_back_and_the_connection_is_closed_as_going_away():
    async with opened() as (server, _, _), greeted(server, "user:ana") as peer:
        server.close()
        server.close()  # again does nothing
        assert await peer.hear_all() == [GOODBYE, Closed(1001)]
        async with connected(server) as stranger:
            assert "503" in await stranger.shake_hands()


async def test_the_end_of_a_servers_block_tells_everybody():
    async with open_host([questions_facet]) as host, trio.open_nursery() as nursery:
        heard = []
        async with open_link_server(host, Tokens()) as server:

            async def stay(task_status):
                async with greeted(server, "user:ana") as peer:
                    task_status.started()
                    heard.extend(await peer.hear_all())

            await nursery.start(stay)
    assert heard == [GOODBYE, Closed(1001)]


@every_client
async def test_a_client_comes_back_to_the_next_server_and_its_keyed_ask_goes_on(open_link):
    results: list = []
    async with open_host([questions_facet]) as host, open_serving_nursery() as nursery:
        async with open_link_server(host, Tokens()) as first:
            link = await nursery.start(_keep, open_link, first.url)
            asker = await link.get(Questions, SCOPE)
            nursery.start_soon(partial(ask, asker, results))
            nursery.start_soon(partial(ask, asker, results, key="k"))
            await until(host.waiting, lambda waiting: len(waiting) == 2)
            states = link.state.changes()
            assert await anext(states) == "connected"
        async with open_link_server(host, Tokens(), port=first.address[1]):
            heard = []
            with trio.fail_after(PATIENCE):
                while "connected" not in heard:
                    heard.append(await anext(states))
            assert "refused" not in heard
            await wait_until(lambda: results == [LinkLost])
            async with host.root(principal=ANA) as ctx:
                await answer_first(await ctx.get(Questions, SCOPE))
            await wait_until(lambda: results == [LinkLost, True])
            nursery.cancel_scope.cancel()


async def _keep(open_link, url, task_status):
    async with open_link(url, "server:host") as link:
        task_status.started(link)
        await trio.sleep_forever()


async def test_a_worker_comes_back_to_the_next_server_and_its_questions_are_still_there():
    results: list = []
    async with (
        open_host([questions_facet]) as front,
        open_host([questions_facet]) as host,
        host.root() as ctx,
        open_serving_nursery() as nursery,
    ):
        async with open_link_server(front, Tokens(), sessions="workers") as first:
            worker = await nursery.start(_work, host, first.url)
            nursery.start_soon(ask, await ctx.get(Questions, SCOPE), results)
            await until(host.waiting)
        async with open_link_server(front, Tokens(), sessions="workers", port=first.address[1]) as second:
            await until(worker.state, lambda state: state == "connected")
            await answer_first(await OverLinks(second, nursery).viewer(ANA))
            await wait_until(lambda: results == [True])
            nursery.cancel_scope.cancel()


async def test_an_ask_of_a_worker_is_refused_and_what_is_open_there_is_answered():
    results: list = []
    async with (
        open_host([questions_facet]) as front,
        open_host([questions_facet]) as host,
        open_serving_nursery() as nursery,
        open_link_server(front, Tokens(), sessions="workers") as server,
    ):
        await nursery.start(_work, host, server.url)
        links = OverLinks(server, nursery)
        asker, viewer = await links.asker(), await links.viewer(ANA)
        nursery.start_soon(ask, asker, results)
        await until(viewer.open)
        await server.drain(0)
        for key in (None, "k"):
            with pytest.raises(GoingAway):
                await asker.ask(GO, audience=[ANA], key=key)
        await answer_first(viewer)
        await wait_until(lambda: results == [True])
        assert not host.waiting.value
        nursery.cancel_scope.cancel()


async def _work(host, url, task_status):
    async with open_worker(host, url, "worker:s1", "s1") as worker:
        await worker.connected()
        task_status.started(worker)
        await trio.sleep_forever()
