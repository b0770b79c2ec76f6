"""A peer that sends whatever it likes, byte by byte, and hears what comes of it."""

import json
import socket
from contextlib import asynccontextmanager

import attrs
import trio

from tests.link.frames import CLOSE, PING, PONG, TEXT, FrameReader, frame_of

PATIENCE = 10.0
"""Seconds after which a test gives up waiting."""

HANDSHAKE = (
    "GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Protocol: facets.v1\r\n{more}\r\n"
)


async def wait_until(condition, patience=PATIENCE):
    """Return once a condition of the other side holds, which nobody tells of; fails after so many seconds."""
    with trio.fail_after(patience):
        while not condition():  # noqa: ASYNC110
            await trio.sleep(0.005)


@attrs.frozen
class Closed:
    """How a connection ended: by a close frame with this code, or (None) without one."""

    code: int | None


class RawPeer:
    def __init__(self, stream):
        self.stream = stream
        self._reader = FrameReader()
        self._frames = []
        self.last_id = 0

    async def send(self, data):
        """Bytes as they are."""
        with trio.fail_after(PATIENCE):
            await self.stream.send_all(data)

    async def say(self, *messages):
        """Each a dict, or the text of a frame."""
        texts = [json.dumps(one) if isinstance(one, dict) else one for one in messages]
        await self.send(b"".join(map(frame_of, texts)))

    async def shake_hands(self, path="/", host="127.0.0.1", more=""):
        """Returns the status line."""
        await self.send(HANDSHAKE.format(path=path, host=host, more=more).encode())
        with trio.fail_after(PATIENCE):
            while not self._reader.head:
                data = await self.stream.receive_some()
                self._frames += self._reader.feed(data)
                if not data:
                    break
        return self._reader.head.split(b"\r\n")[0].decode()

    async def next_frame(self):
        """The next frame, or None at the end."""
        with trio.fail_after(PATIENCE):
            while not self._frames:
                try:
                    data = await self.stream.receive_some()
                except trio.BrokenResourceError:
                    return None
                if not data:
                    return None
                self._frames += self._reader.feed(data)
        return self._frames.pop(0)

    async def hear(self):
        """The next message, as a dict; or how the connection ended."""
        while (frame := await self.next_frame()) is not None:
            if frame.opcode == TEXT:
                return json.loads(frame.payload)
            if frame.opcode == CLOSE:
                return Closed(frame.code)
            if frame.opcode == PING:
                await self.send(frame_of(frame.payload, PONG))
        return Closed(None)

    async def hear_all(self):
        """Every message up to the end of the connection, and how that was."""
        heard = [await self.hear()]
        while not isinstance(heard[-1], Closed):
            heard.append(await self.hear())
        return heard

    async def until(self, kind, id=None):
        """The next message of a type (and id)."""
        while True:
            heard = await self.hear()
            if isinstance(heard, Closed):
                raise AssertionError(f"{heard} instead of {kind}")
            if heard["type"] == kind and id in (None, heard.get("id")):
                return heard

    def new_id(self):
        self.last_id += 1
        return self.last_id

    async def greet(self, token):
        await self.say({"type": "hello", "token": token})
        return await self.until("welcome")

    async def get(self, session="s1"):
        """Hold the questions of a session; returns the object's id."""
        id = self.new_id()
        await self.say({"type": "get", "id": id, "kind": "questions", "input": {"session": session}})
        await self.until("got", id)
        return id

    async def watch(self, object, readable="open"):
        id = self.new_id()
        await self.say({"type": "watch", "id": id, "object": object, "readable": readable})
        return id


@asynccontextmanager
async def connected(server, *, receive_buffer=None):
    """A raw TCP connection to a server."""
    with socket.socket() as plain:
        if receive_buffer is not None:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        plain.setblocking(False)
        with trio.socket.from_stdlib_socket(plain) as dialled:
            await dialled.connect(server.address)
            yield RawPeer(trio.SocketStream(dialled))


@asynccontextmanager
async def dialled(server, *, receive_buffer=None, **handshake):
    """A websocket connection whose peer has said nothing yet."""
    async with connected(server, receive_buffer=receive_buffer) as peer:
        assert "101" in await peer.shake_hands(**handshake)
        yield peer


@asynccontextmanager
async def greeted(server, token, *, receive_buffer=None):
    """A connection that has been welcomed."""
    async with dialled(server, receive_buffer=receive_buffer) as peer:
        await peer.greet(token)
        yield peer
