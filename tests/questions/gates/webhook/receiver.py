"""A real server that takes notices, or does not."""

import ssl
from contextlib import asynccontextmanager

import attrs
import msgspec
import trio
from starlette.responses import Response

from facets.http import Endpoint, HttpLimits, Service, open_http_server
from questions.gates.webhook.signing import is_genuine, key_of
from tests.http.site import SomeTokens

SECRET = "whsec_" + "a2V5" * 8
KEY = b"\x07" * 32
NOBODY = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@attrs.define(eq=False)
class Receiver:
    """`replies`: what the next notices get, a status, a status with headers, or `hang`; then 200."""

    calls: list = attrs.field(factory=list)
    replies: list = attrs.field(factory=list)
    url: str = ""
    came: trio.Event = attrs.field(factory=trio.Event)

    async def take(self, call):
        self.calls.append(call)
        self.came.set()
        self.came = trio.Event()
        reply = self.replies.pop(0) if self.replies else 200
        if reply == "hang":
            await trio.sleep_forever()
        status, headers, body = (reply, {}, b"") if isinstance(reply, int) else reply
        return Response(body, status, headers)

    @property
    def notices(self):
        return [msgspec.json.decode(call.body) for call in self.calls]

    def of(self, kind):
        return [notice["data"] for notice in self.notices if notice["type"] == kind]

    def genuine(self, call, secret=SECRET):
        now = int(call.headers["webhook-timestamp"])
        return is_genuine([key_in(secret)], call.headers, call.body, now)

    async def has(self, kind, number=1):
        with trio.fail_after(20):
            while len(self.of(kind)) < number:
                await self.came.wait()
        return self.of(kind)


def key_in(secret):
    key = key_of(secret)
    assert key is not None
    return key


@asynccontextmanager
async def open_receiver():
    receiver = Receiver()
    service = Service("/hook", [Endpoint("POST", "", receiver.take, waits=True)], access="open")
    limits = HttpLimits(stranger_requests=1_000)
    async with open_http_server([service], SomeTokens(), now=lambda: 0.0, limits=limits, grace=0.1) as server:
        receiver.url = f"{server.url}/hook?key=canary-7"
        yield receiver
