"""Connections that hand frames over at once and write without waiting, over real sockets."""

from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
import trio
from websockets.exceptions import ConnectionClosed
from websockets.trio.client import connect
from websockets.trio.server import serve
from websockets.typing import Subprotocol

from facets.link.dialling import Dial
from facets.link.messages import SUBPROTOCOL
from facets.link.socket import ServerSocket

LONGEST = 2**22


class Accepting:
    """A server with one connection, and what it has been told."""

    def __init__(self):
        self.url = ""
        self.heard: list[bytes] = []
        self.drained = 0
        self.attached = trio.Event()
        self.may_attach = trio.Event()
        self.may_attach.set()
        self.socket: Any = None

    async def handle(self, socket):
        self.socket = socket
        await self.may_attach.wait()
        socket.attach(self.heard.append, self._drained)
        self.attached.set()
        await socket.stream_closed.wait()

    def _drained(self):
        self.drained += 1

    async def until(self, condition):
        """Wait, for a few seconds at most, until something is so."""
        with trio.fail_after(10):
            while not condition():  # noqa: ASYNC110  # of things that tell nobody
                await trio.sleep(0.005)


@asynccontextmanager
async def accepting():
    async with trio.open_nursery() as nursery:
        server = Accepting()
        start = partial(
            serve, server.handle, 0, host="127.0.0.1", compression=None, max_size=LONGEST,
            subprotocols=[Subprotocol(SUBPROTOCOL)], create_connection=ServerSocket, close_timeout=1.0,
        )  # fmt: skip
        running: Any = await nursery.start(start)
        server.url = f"ws://127.0.0.1:{running.listeners[0].socket.getsockname()[1]}"
        yield server
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def dialled(server):
    """The two ends of one connection: what the client hears is in `heard`."""
    heard: list[bytes] = []
    async with Dial(server.url, frame=LONGEST) as client:
        client.attach(heard.append, lambda: None)
        with trio.fail_after(5):
            await server.attached.wait()
        yield client, heard
        if client.recv_flow_control is not None:
            client.resume_reading()
        await client.close_stream()


SIZES = [0, 1, 125, 126, 127, 65_535, 65_536, 300_000]


async def test_messages_of_every_size_arrive_whole_and_in_order_both_ways():
    messages = [b"x" * size for size in SIZES]
    async with accepting() as server, dialled(server) as (client, heard):
        server.socket.send_frames(messages)
        client.send_frames(messages)
        await server.until(lambda: len(heard) == len(server.heard) == len(SIZES))
        assert heard == server.heard == messages


async def test_messages_that_come_before_anybody_listens_are_kept():
    async with accepting() as server:
        server.may_attach = trio.Event()
        async with Dial(server.url) as client:
            client.send_frames([b"one", b"two"])
            await server.until(lambda: server.socket is not None and len(server.socket._early) == 2)
            server.may_attach.set()
            await server.until(lambda: server.heard == [b"one", b"two"])
            await client.close_stream()


@asynccontextmanager
async def plain_client(server):
    """A client of the library's own, which may send what ours would not."""
    async with connect(server.url, subprotocols=[Subprotocol(SUBPROTOCOL)], compression=None, max_size=None) as client:
        with trio.fail_after(5):
            await server.attached.wait()
        yield client


def close_of(caught):
    """The code and the reason with which the server has closed."""
    received = caught.value.rcvd
    return None if received is None else (received.code, received.reason)


async def test_a_message_in_fragments_is_joined():
    async with accepting() as server, plain_client(server) as client:
        await client.send(["a", "", "b", "c" * 70_000, ""])
        await client.send("whole")
        await server.until(lambda: len(server.heard) == 2)
        assert server.heard == [b"ab" + b"c" * 70_000, b"whole"]


@pytest.mark.parametrize(("message", "text", "code"), [(b"bytes", None, 1003), (b"\xff\xfe", True, 1007)])
async def test_what_is_no_text_closes_the_connection(message, text, code):
    async with accepting() as server, plain_client(server) as client:
        await client.send(message, text=text)
        with trio.fail_after(5), pytest.raises(ConnectionClosed) as caught:
            await client.recv()
        assert (close_of(caught)[0], server.heard) == (code, [])


async def _send_and_hear(client, message):
    await client.send(message)
    await client.recv()


async def test_a_message_that_is_too_long_closes_the_connection():
    async with accepting() as server, plain_client(server) as client:
        with trio.fail_after(10), pytest.raises(ConnectionClosed) as caught:
            await _send_and_hear(client, "x" * (LONGEST + 1))
        assert (close_of(caught)[0], server.heard) == (1009, [])


def fill(server):
    """Write until the peer's socket takes no more. How many messages that took."""
    count = 0
    while server.socket.is_ready:
        server.socket.send_frames([b"y" * 100_000])
        count += 1
        assert count < 1_000
    return count


async def test_a_peer_that_does_not_read_holds_nobody_up_and_is_caught_up_with_later():
    async with accepting() as server, dialled(server) as (client, heard):
        client.pause_reading()
        count = fill(server)
        assert server.socket.unwritten > 0
        assert server.drained == 0
        client.resume_reading()
        await server.until(lambda: server.drained == 1 and len(heard) == count)
        assert (server.socket.is_ready, server.socket.unwritten) == (True, 0)


async def test_from_a_peer_that_asks_and_does_not_read_nothing_more_is_read():
    async with accepting() as server, dialled(server) as (client, _):
        server.socket.most_unread = 200_000
        client.pause_reading()
        fill(server)
        server.socket.send_frames([b"y" * 300_000])
        assert server.socket.recv_flow_control is not None
        client.send_frames([b"more"])
        client.resume_reading()
        await server.until(lambda: server.heard == [b"more"] and server.socket.recv_flow_control is None)


async def test_a_peer_that_takes_nothing_for_too_long_is_cut_off():
    async with accepting() as server, dialled(server) as (client, _):
        server.socket.stalled_after = 0.05
        client.pause_reading()
        fill(server)
        with trio.fail_after(10):
            await server.socket.stream_closed.wait()


async def test_a_goodbye_comes_after_what_was_written_and_only_once():
    async with accepting() as server, plain_client(server) as client:
        server.socket.send_frames([b"last words"])
        server.socket.send_goodbye(1008, "first")
        server.socket.send_goodbye(1001, "second")
        with trio.fail_after(5):
            assert await client.recv() == "last words"
            with pytest.raises(ConnectionClosed) as caught:
                await client.recv()
        assert close_of(caught) == (1008, "first")


async def test_nothing_is_written_to_a_connection_that_has_closed():
    async with accepting() as server, dialled(server) as (client, heard):
        await client.close_stream()
        with trio.fail_after(5):
            await server.socket.stream_closed.wait()
        server.socket.send_frames([b"too late"])
        server.socket.send_goodbye(1000)
        client.send_frames([b"too late"])
        assert (heard, server.heard, server.socket.unwritten) == ([], [], 0)
