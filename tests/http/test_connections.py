"""Connections: how many, for how long, what hostile ones do to others, and how all of it ends."""

import ssl
import threading
import tracemalloc
from typing import Any

import pytest
import trio
import trustme

from facets.http import HttpLimits
from tests.http.site import heard, open_site, until

GET = b"GET /api/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer user:ana\r\n\r\n"
ODD = {
    "no HTTP": b"hello\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64 + b"\r\n\r\n",
    "an endless line": b"GET /" + b"x" * 20_000,
    "endless headers": b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 4_000 + b"\r\n",
    "two lengths": b"POST /open HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    "a length and chunks": b"POST /open HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
    b"Transfer-Encoding: chunked\r\n\r\nx",
    "no host": b"GET /open HTTP/1.1\r\nConnection: close\r\n\r\n",
    "a chunk that is none": b"POST /open HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "a line feed in a header": b"GET /open HTTP/1.1\r\nHost: x\r\nX: a\nb\r\n\r\n",
    "a websocket": b"GET /api/me HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    "bytes beyond ASCII": "GET /ü HTTP/1.1\r\nHost: x\r\n\r\n".encode(),
    "half a preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 100,
}


@pytest.mark.parametrize("name", ODD)
async def test_what_is_no_request_ends_its_connection_and_others_notice_nothing(name, caplog):
    async with open_site(limits=HttpLimits(greeting=1.0)) as site:
        told = await heard(site.server, ODD[name])
        assert not told.startswith((b"HTTP/1.1 101", b"HTTP/1.1 200")), told
        for secret in (b"Traceback", b"hypercorn", b"Python", b"facets"):
            assert secret not in told
        assert (await site.get("/api/me")).status_code == 200
        assert site.server.figures()["strangers"] <= 1
    assert "Traceback" not in caplog.text


async def test_a_stranger_who_says_nothing_or_little_is_sent_away():
    async with open_site(limits=HttpLimits(greeting=0.2)) as site:
        assert await heard(site.server) == b""
        assert await heard(site.server, b"GET / HT") == b""
        assert site.server.figures()["connections"] == 0


async def test_who_is_known_may_stay():
    async with (
        open_site(limits=HttpLimits(greeting=0.2)) as site,
        await trio.open_tcp_stream(*site.server.address) as stream,
    ):
        await stream.send_all(GET)
        while not (await stream.receive_some()).endswith(b"}"):
            pass
        with trio.move_on_after(0.4) as patience:
            await stream.receive_some()
        assert patience.cancelled_caught
        assert site.server.figures() == {"connections": 1, "strangers": 0}


async def test_more_strangers_than_that_are_asked_to_come_back():
    async with open_site(limits=HttpLimits(strangers=2)) as site:
        async with await trio.open_tcp_stream(*site.server.address), await trio.open_tcp_stream(*site.server.address):
            await until(lambda: site.server.figures()["strangers"] == 2)
            assert (await heard(site.server)).startswith(b"HTTP/1.1 503")
        await until(lambda: site.server.figures()["strangers"] == 0)
        assert (await site.get("/api/me")).status_code == 200


async def test_no_more_connections_than_that():
    async with open_site(limits=HttpLimits(connections=1)) as site:
        assert (await site.get("/api/me")).status_code == 200
        assert (await heard(site.server)).startswith(b"HTTP/1.1 503")


async def test_a_reader_that_takes_nothing_is_cut_off():
    async with (
        open_site(limits=HttpLimits(stalled=0.2)) as site,
        await trio.open_tcp_stream(*site.server.address) as stream,
    ):
        await stream.send_all(GET.replace(b"/me", b"/large"))
        await until(lambda: site.server.figures()["connections"] == 1)
        await until(lambda: site.server.figures()["connections"] == 0)


@pytest.mark.parametrize("is_tls", [False, True])
async def test_leaving_does_not_wait_for_a_reader_that_takes_nothing(is_tls):
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    stream: Any = None
    with trio.fail_after(5):
        async with open_site(grace=0.1, tls=context if is_tls else None) as site:
            stream = await trio.open_tcp_stream(*site.server.address)
            if is_tls:
                stream = trio.SSLStream(stream, trusting, server_hostname="127.0.0.1")
            await stream.send_all(GET.replace(b"/me", b"/large"))
            await until(lambda: site.server.figures()["strangers"] == 0 and site.server.figures()["connections"])
    await trio.aclose_forcefully(stream)


async def test_leaving_answers_those_who_wait_and_waits_for_what_is_under_way():
    answers = []

    async def ask(site, *request, **options):
        answers.append(await site.request(*request, **options))

    async with trio.open_nursery() as nursery, open_site() as site:
        nursery.start_soon(ask, site, "GET", "/api/wait")
        await until(lambda: site.handled)
        site.server.close()
        assert site.server.is_draining
        refused = await site.get("/api/me")
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "going_away")
        await until(lambda: answers)
    assert (answers[0].status_code, answers[0].json()["error"]["code"]) == (503, "going_away")
    assert answers[0].headers["Retry-After"] == "1"


async def test_a_cancellation_from_outside_ends_it_at_once():
    with trio.fail_after(5), trio.move_on_after(0.1) as outside:
        async with open_site(grace=1.0) as site:
            await site.get("/api/wait")
    assert outside.cancelled_caught


async def test_what_it_raises_inside_comes_out_bare():
    with pytest.raises(KeyError):  # noqa: PT012  # the block is what is tested
        async with open_site() as site:
            await site.get("/api/me")
            raise KeyError


async def test_a_waiting_request_costs_little_and_no_thread():
    many = 50
    async with open_site(limits=HttpLimits(at_once=many)) as site:
        request = GET.replace(b"/me", b"/wait")
        threads = threading.active_count()
        streams = [await trio.open_tcp_stream(*site.server.address) for _ in range(many)]
        tracemalloc.start()
        before, _ = tracemalloc.get_traced_memory()
        for stream in streams:
            await stream.send_all(request)
        await until(lambda: len(site.handled) == many)
        after, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert (after - before) / many < 40_000
        assert threading.active_count() == threads
        for stream in streams:
            await stream.aclose()
        await until(lambda: site.handled.count("left") == many)
