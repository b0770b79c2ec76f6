"""A server that says what the test says, and nothing that it was not told to but hello and that objects are there."""

import json
from contextlib import asynccontextmanager
from functools import partial

import trio
from websockets.exceptions import ConnectionClosed
from websockets.trio.server import serve

from facets.link.messages import SUBPROTOCOL
from facets.nursery import open_serving_nursery
from tests.link.raw import PATIENCE

NOW = 1_800_000_000.0


class Conversation:
    """One connection, seen from the server."""

    def __init__(self, script, connection):
        self._script = script
        self._connection = connection
        self._send, self._heard = trio.open_memory_channel(100)

    async def run(self):
        while True:
            message = json.loads(await self._connection.recv())
            if message["type"] == "hello":
                self._script.tokens.append(message["token"])
                await self._script.greet(self)
            elif message["type"] == "get":
                self._script.gets += 1
                await self.say({"type": "got", "id": message["id"], "face": self._script.face, **self._script.who})
            else:
                self._send.send_nowait(message)

    async def hear(self, kind):
        """The next message of a type; others are passed over."""
        with trio.fail_after(PATIENCE):
            async for message in self._heard:
                if message["type"] == kind:
                    return message
        raise AssertionError("the conversation has ended")

    async def say(self, *messages):
        for message in messages:
            await self._connection.send(message if isinstance(message, str) else json.dumps({"now": NOW, **message}))

    async def cut(self):
        """End the connection as a cable does."""
        await self._connection.close_stream()


class Script:
    def __init__(self, face):
        self.face = face
        self.url = ""
        self.tokens = []
        """Those of the hellos."""
        self.gets = 0
        self.goodbye = None
        """What strangers are told instead of a welcome."""
        principal = {"kind": "server" if face == "asker" else "user", "id": "x", "name": "X"}
        self.who = {"principal": principal, "now": NOW}
        self._met, self._meet = trio.open_memory_channel(10)

    async def next(self):
        """The next connection that is made and welcomed."""
        with trio.fail_after(PATIENCE):
            return await self._meet.receive()

    async def greet(self, conversation):
        if self.goodbye is not None:
            return await conversation.say({"type": "goodbye", "message": "no", **self.goodbye})
        await conversation.say({"type": "welcome", "epoch": "e1", **self.who})
        return self._met.send_nowait(conversation)

    async def handle(self, connection):
        try:
            await Conversation(self, connection).run()
        except ConnectionClosed:
            return


@asynccontextmanager
async def open_script(face):
    script = Script(face)
    async with open_serving_nursery() as nursery:
        options: dict = {"host": "127.0.0.1", "subprotocols": [SUBPROTOCOL], "compression": None, "close_timeout": 1}
        server = await nursery.start(partial(serve, script.handle, 0, **options))
        script.url = f"ws://127.0.0.1:{server.listeners[0].socket.getsockname()[1]}"
        yield script
