"""Whoever wants too much is refused just that, and whoever says too much, or nothing, is sent away."""

import json
from contextlib import AsyncExitStack, suppress

import pytest
import trio

from tests.link.bystander import ALICE, BOB, open_site
from tests.link.frames import frame_of
from tests.link.raw import Closed, connected, dialled, greeted, wait_until


def pings(first, count):
    return b"".join(frame_of(f'{{"type":"ping","id":{id}}}') for id in range(first, first + count))


async def answers(peer, count):
    return [await peer.hear() for _ in range(count)]


async def test_messages_over_the_limit_are_refused_and_the_rest_answered():
    async with open_site(messages=50) as site, greeted(site.server, "user:alice") as peer:
        await peer.send(pings(1, 300))
        heard = await answers(peer, 300)
        assert [one["type"] for one in heard[:90]] == ["pong"] * 90
        assert {one["code"] for one in heard if one["type"] == "refused"} == {"link_limit_exceeded"}
        assert all(one["retryable"] for one in heard if one["type"] == "refused")


async def test_who_goes_on_over_the_limit_is_sent_away():
    async with open_site(messages=50, patience=100) as site, greeted(site.server, "user:alice") as peer:
        await peer.send(pings(1, 20_000))
        *heard, bye, closed = await peer.hear_all()
        assert (bye["type"], bye["code"], bye["retryable"]) == ("goodbye", "link_limit_exceeded", True)
        assert closed == Closed(1008)
        assert len(heard) < 300


async def test_who_sends_nothing_but_garbage_is_sent_away():
    async with open_site(patience=100) as site, greeted(site.server, "user:alice") as peer:
        await peer.send(frame_of("{") * 5_000)
        *heard, bye, closed = await peer.hear_all()
        assert (len(heard), bye["code"], closed) == (100, "invalid_message", Closed(1008))


ASK = {"question": {"kind": "confirm", "message": "Go?"}, "audience": [{"kind": "user", "id": "bob"}]}
KINDS = {
    "objects": (
        "user:alice",
        lambda id: {"type": "get", "id": id, "kind": "questions", "input": {"session": "s1"}},
        lambda id: {"type": "release", "object": id},
    ),
    "watches": (
        "user:alice",
        lambda id: {"type": "watch", "id": id, "object": 1, "readable": "open"},
        lambda id: {"type": "unwatch", "id": id},
    ),
    "calls": (
        "server:host",
        lambda id: {"type": "call", "id": id, "object": 1, "method": "ask", "args": ASK},
        lambda id: {"type": "cancel", "id": id},
    ),
}


@pytest.mark.parametrize("what", KINDS)
async def test_too_many_of_one_kind_are_refused_and_room_is_made_again(what):
    token, make, unmake = KINDS[what]
    async with open_site(**{what: 3}) as site, greeted(site.server, token) as peer:
        await peer.get()
        await peer.say(*map(make, range(2, 7)))
        refused = await peer.until("refused", 4 if what == "objects" else 5)
        assert (refused["code"], refused["data"]["limit"]) == ("link_limit_exceeded", 3)
        await peer.say(unmake(2), {"type": "ping", "id": 10})
        if what == "calls":
            await peer.until("cancelled", 2)
        await peer.until("pong", 10)
        await peer.say(make(11), make(12), {"type": "ping", "id": 13})
        heard = [one for one in await heard_before(peer, "pong") if one["type"] == "refused"]
        assert [(one["id"], one["code"]) for one in heard] == [(12, "link_limit_exceeded")]


async def heard_before(peer, kind):
    heard = [await peer.hear()]
    while heard[-1]["type"] != kind:
        heard.append(await peer.hear())
    return heard


async def test_one_principal_has_so_many_connections_and_others_have_theirs():
    async with open_site(connections=2) as site, AsyncExitStack() as stack:
        first, _ = [await stack.enter_async_context(greeted(site.server, "user:alice")) for _ in range(2)]
        async with dialled(site.server) as third:
            await third.say({"type": "hello", "token": "user:alice"})
            bye, closed = await third.hear_all()
            assert (bye["type"], bye["code"], bye["retryable"]) == ("goodbye", "link_limit_exceeded", True)
            assert closed == Closed(1008)
        await stack.enter_async_context(greeted(site.server, "user:bob"))
        await first.stream.aclose()
        await wait_until(lambda: site.server.by_principal[ALICE] == 1)
        await stack.enter_async_context(greeted(site.server, "user:alice"))
        assert site.server.by_principal[BOB] == 1


async def test_strangers_are_let_in_so_many_at_a_time():
    async with open_site(strangers=2) as site, dialled(site.server) as first, dialled(site.server):
        await wait_until(lambda: site.server.strangers == 2)
        async with connected(site.server) as third:
            assert "503" in await third.shake_hands()
        await first.greet("user:alice")
        async with dialled(site.server) as fourth:
            await fourth.greet("user:bob")


async def test_strangers_that_have_gone_are_strangers_no_more():
    async with open_site(strangers=2) as site:
        for _ in range(10):
            async with dialled(site.server), dialled(site.server):
                pass
            await wait_until(lambda: not site.server.strangers, 2)


async def test_a_crowd_that_does_not_even_shake_hands_is_cut_off_in_time():
    async with open_site(greeting=0.3) as site, AsyncExitStack() as stack:
        silent = [await stack.enter_async_context(connected(site.server)) for _ in range(100)]
        await site.check()
        assert [await peer.hear() for peer in silent] == [Closed(None)] * 100


@pytest.mark.parametrize("said", ["", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\n"], ids=["nothing", "some", "more"])
async def test_who_never_ends_the_handshake_is_cut_off(said):
    async with open_site(greeting=0.2) as site, connected(site.server) as peer:
        await peer.send(said.encode() or b"G")
        began = trio.current_time()
        assert await peer.hear() == Closed(None)
        assert trio.current_time() - began < 2


async def test_who_drips_its_handshake_is_cut_off_all_the_same():
    async with open_site(greeting=0.2) as site, connected(site.server) as peer:
        with trio.fail_after(2):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(drip, peer, b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 1_000)
                assert await peer.hear() == Closed(None)
                nursery.cancel_scope.cancel()


async def drip(peer, data):
    with suppress(trio.BrokenResourceError):
        for byte in data:
            await peer.send(bytes([byte]))
            await trio.sleep(0.01)


@pytest.mark.parametrize("said", [b"", frame_of("{")[:3], frame_of("", 9), frame_of("", is_final=False)])
async def test_who_never_says_hello_is_sent_away_in_time(said):
    async with open_site(greeting=0.2) as site, dialled(site.server) as peer:
        await peer.send(said)
        began = trio.current_time()
        assert (await peer.hear_all())[-1] == Closed(1008)
        assert 0.1 < trio.current_time() - began < 2


async def test_a_long_list_of_faults_is_cut_short():
    async with open_site() as site, greeted(site.server, "user:alice") as peer:
        await peer.get()
        args = {f"{'x' * 40}{n}": 1 for n in range(15_000)}
        call = {"type": "call", "id": 2, "object": 1, "method": "answer", "args": args}
        await peer.say(call)
        refused = await peer.until("refused", 2)
        assert refused["code"] == "invalid_call"
        assert len(json.dumps(refused)) < 10_000


async def test_who_asks_without_reading_is_not_read_any_more():
    async with (
        open_site(messages=1_000_000, unread=100_000) as site,
        greeted(site.server, "user:alice", receive_buffer=4096) as peer,
    ):
        sent = 1
        with trio.move_on_after(1.0):
            while True:
                await peer.stream.send_all(pings(sent, 1_000))
                sent += 1_000
        (connection,) = [one._connection for one in site.server.peers if one.identity.principal == ALICE]
        assert 100_000 < len(connection._unsent) < 400_000
        await site.check()
