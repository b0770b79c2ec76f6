"""A network that swallows everything holds up nobody for longer than they want to wait."""

from functools import partial

import pytest
import trio

from facets import Principal, open_host
from facets.errors import LinkLost
from facets.link import LinkLimits, open_link_server
from facets.link.client import open_link
from facets.nursery import open_serving_nursery
from questions import Confirm, Questions, SessionScope, questions_facet
from tests.link.proxy import open_proxy
from tests.link.raw import wait_until
from tests.link.stages import Tokens

SCOPE = SessionScope("s1")
ALICE = Principal.user("alice")


@pytest.mark.parametrize("stalled", [False, True], ids=["a good network", "a stalled one"])
async def test_a_link_that_is_cancelled_with_a_call_under_way_ends_at_once(stalled):
    async with (
        open_host([questions_facet]) as host,
        open_link_server(host, Tokens()) as server,
        open_proxy(server.address) as proxy,
    ):
        with trio.fail_after(3):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(ask_for_ever, proxy.url)
                await wait_until(lambda: host.waiting.value)
                if stalled:
                    proxy.up.stall()
                    proxy.down.stall()
                nursery.cancel_scope.cancel()
        proxy.up.go_on()
        await wait_until(lambda: not host.waiting.value)


async def ask_for_ever(url):
    async with open_link(url, "server:host") as link:
        await (await link.get(Questions, SCOPE)).ask(Confirm("Go?"), audience=[ALICE])


async def test_a_server_that_does_not_greet_is_dialled_again(monkeypatch):
    monkeypatch.setattr("facets.link.calling._PING_EVERY", 0.2)
    async with (
        open_host([questions_facet]) as host,
        open_link_server(host, Tokens()) as server,
        open_proxy(server.address) as proxy,
    ):
        proxy.down.faults[0] = "drop"
        with trio.fail_after(5):
            async with open_link(proxy.url, "server:host"):
                assert proxy.accepted == 2


async def test_a_server_whose_greeting_is_slow_to_come_is_tried_again_and_not_given_up(monkeypatch):
    monkeypatch.setattr("facets.link.calling._PING_EVERY", 30.0)
    async with (
        open_host([questions_facet]) as host,
        open_link_server(host, Tokens(), limits=LinkLimits(greeting=0.2)) as server,
        open_proxy(server.address) as proxy,
    ):
        proxy.up.faults[0] = "drop"  # the server hears no hello, and closes; that is no refusal
        with trio.fail_after(5):
            async with open_link(proxy.url, "server:host") as link:
                assert (proxy.accepted, link.state.value) == (2, "connected")


async def test_a_get_whose_answer_is_lost_is_lost_and_not_waited_for(monkeypatch):
    monkeypatch.setattr("facets.link.calling._PING_EVERY", 0.2)
    async with (
        open_host([questions_facet]) as host,
        open_link_server(host, Tokens()) as server,
        open_proxy(server.address) as proxy,
        open_link(proxy.url, "server:host") as link,
    ):
        proxy.down.faults[1] = "drop"
        with trio.fail_after(5):
            with pytest.raises(LinkLost):
                await link.get(Questions, SCOPE)
            await wait_until(lambda: link.state.value == "connected")
            await link.get(Questions, SCOPE)


async def test_who_comes_back_with_more_than_may_be_said_at_once_has_it_all_again():
    async with (
        open_host([questions_facet]) as host,
        open_link_server(host, Tokens(), limits=LinkLimits(messages=50)) as server,
        open_proxy(server.address) as proxy,
        open_link(proxy.url, str(ALICE)) as link,
        host.root() as ctx,
        open_serving_nursery() as nursery,
    ):
        viewers: list = []
        for number in range(60):
            viewers.append(await link.get(Questions, SessionScope(f"s{number}")))
            await wait_until(lambda: viewers[-1].open.unavailable is None)
            await trio.sleep(0.02)  # so that it is not too much at once the first time
        proxy.cut()
        await wait_until(lambda: all(viewer.open.unavailable for viewer in viewers))
        await wait_until(lambda: all(viewer.open.unavailable is None for viewer in viewers))
        for number in range(60):
            asker = await ctx.get(Questions, SessionScope(f"s{number}"))
            nursery.start_soon(partial(asker.ask, Confirm("Go?"), audience=[ALICE]))
        await wait_until(lambda: all(len(viewer.open.value) == 1 for viewer in viewers))
