"""The service behind `line_channel`: a server on a real socket, with the people who look at it, and its faults."""

import json
from contextlib import asynccontextmanager
from functools import partial

import trio

from facets.nursery import open_serving_nursery

TOKEN = "line-t0ken"
LONG_POLL = 0.3  # seconds


class Service:
    """`plan`: what happens to the next calls of a kind: `refuse`, `lose` (done, and no answer), or `hold`."""

    def __init__(self):
        self.address = ""
        self.calls = []
        self.pids = []
        self.tokens = {TOKEN}
        self.messages = {}
        self.said = []
        self.pressed = []
        self.plan = {}
        self.released = trio.Event()
        self._changed = trio.Event()

    def happened(self):
        self._changed.set()
        self._changed = trio.Event()

    async def until(self, condition):
        """Wait until the condition holds; it is looked at after each thing that happens here."""
        with trio.fail_after(20):
            while not condition():
                await self._changed.wait()

    async def shows(self, count):
        await self.until(lambda: len(self.messages) >= count)

    def count(self, do):
        return sum(call["do"] == do for call in self.calls)

    def press(self, code, *, user="100", chat="-200", text=None):
        self.pressed.append({"id": len(self.pressed) + 1, "code": code, "user": user, "chat": chat, "text": text})
        self.happened()

    def codes(self):
        """By choice, of the newest message that has some."""
        return next(message["codes"] for message in reversed(self.messages.values()) if message["codes"])

    async def serve(self, stream):
        async with stream:
            call = json.loads(await line_of(stream))
            assert call.pop("token") in self.tokens
            self.pids.append(call.pop("pid"))
            self.calls.append(call)
            fault = next(iter(self.plan.get(call["do"], ())), None)
            del self.plan.get(call["do"], [])[:1]
            self.happened()
            if fault == "hold":
                await self.released.wait()
            answer = {"error": "http_400"} if fault == "refuse" else await getattr(self, call["do"])(**call)
            self.happened()
            if fault != "lose":
                await stream.send_all(json.dumps(answer).encode() + b"\n")

    async def send(self, do, chat, text, codes):
        self.messages[len(self.messages) + 1] = {"chat": chat, "text": text, "codes": codes}
        return {"message": len(self.messages)}

    async def edit(self, do, message, text):
        self.messages[message] |= {"text": text, "codes": {}}
        return {}

    async def say(self, do, chat, text):
        self.said.append(text)
        return {}

    async def updates(self, do, after):
        with trio.move_on_after(LONG_POLL):
            while len(self.pressed) <= after:
                await self._changed.wait()
        return self.pressed[after:]


async def line_of(stream):
    held = b""
    async for some in stream:
        held += some
        if held.endswith(b"\n"):
            break
    return held


@asynccontextmanager
async def open_service():
    service = Service()
    async with open_serving_nursery() as nursery:
        [listener] = await nursery.start(partial(trio.serve_tcp, service.serve, 0, host="127.0.0.1"))
        service.address = f"127.0.0.1:{listener.socket.getsockname()[1]}"
        yield service
