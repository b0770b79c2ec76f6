"""A server that says whatever it likes to a worker that has dialled it."""

import json
from contextlib import asynccontextmanager
from functools import partial

import trio
from websockets.exceptions import ConnectionClosed
from websockets.trio.server import serve
from websockets.typing import Subprotocol

from facets.nursery import open_serving_nursery
from tests.link.raw import PATIENCE, Closed

_OURS = Subprotocol("facets.v1")


class FakeServer:
    """`url`: what to dial. `accept` returns the next connection."""

    def __init__(self):
        self.url = ""
        self._put, self._got = trio.open_memory_channel(10)

    async def handle(self, connection):
        await self._put.send(connection)
        await trio.sleep_forever()

    async def accept(self):
        with trio.fail_after(PATIENCE):
            return Accepted(await self._got.receive())


class Accepted:
    """A connection of a worker's."""

    def __init__(self, connection):
        self._connection = connection

    async def say(self, *messages):
        for message in messages:
            await self._connection.send(message if isinstance(message, str) else json.dumps(message))

    async def hear(self):
        with trio.fail_after(PATIENCE):
            try:
                return json.loads(await self._connection.recv())
            except ConnectionClosed as error:
                return Closed(error.rcvd.code if error.rcvd else None)

    async def welcome(self, principal="worker:s1", proof=""):
        """Take the worker's hello, and welcome it; returns the hello."""
        hello = await self.hear()
        kind, _, id = principal.partition(":")
        named = {"kind": kind, "id": id, "name": id}
        await self.say({"type": "welcome", "epoch": "e", "principal": named, "now": 0.0, "proof": proof})
        return hello

    async def leave(self):
        await self._connection.aclose()


@asynccontextmanager
async def open_fake_server():
    server = FakeServer()
    async with open_serving_nursery() as nursery:
        start = partial(serve, server.handle, 0, host="127.0.0.1", subprotocols=[_OURS], compression=None)
        running = await nursery.start(start)
        server.url = f"ws://127.0.0.1:{running.listeners[0].socket.getsockname()[1]}"
        yield server
