"""An HTTP port with a few endpoints, and people who use it with real requests."""

import ssl
from contextlib import asynccontextmanager
from typing import Any

import attrs
import httpx
import msgspec
import trio

from facets import FacetError
from facets.errors import Busy, Forbidden
from facets.http import Call, Endpoint, Event, EventStream, Refusal, Service, json_response, open_http_server
from tests.link.stages import Tokens

NOBODY = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Trusts nobody, and is made in no time."""


class Note(msgspec.Struct):
    text: str


class SomeTokens(Tokens):
    """Tokens that are names; those that begin with `bad` are none."""

    def authenticate(self, token, now):
        return None if ":" not in token else super().authenticate(token, now)


@attrs.define
class Site:
    server: Any = None
    client: Any = None
    tokens: SomeTokens = attrs.field(factory=SomeTokens)
    handled: list = attrs.field(factory=list)
    bell: trio.Event = attrs.field(factory=trio.Event)

    async def get(self, path, token="user:ana", **options):
        return await self.request("GET", path, token, **options)

    async def post(self, path, token="user:ana", **options):
        return await self.request("POST", path, token, **options)

    async def request(self, method, path, token="user:ana", headers=(), **options):
        bearer = {} if token is None else {"Authorization": f"Bearer {token}"}
        return await self.client.request(method, path, headers={**bearer, **dict(headers)}, **options)


@attrs.define
class Endpoints:
    site: Site

    def services(self):
        api = [
            Endpoint("GET", "/me", self.me),
            Endpoint("POST", "/notes/{id}", self.note),
            Endpoint("POST", "/short/{id}", self.note, largest=30),
            Endpoint("GET", "/wait", self.wait, waits=True),
            Endpoint("GET", "/events", self.events, waits=True),
            Endpoint("GET", "/fail/{how}", self.fail),
            Endpoint("GET", "/large", self.large),
        ]
        public = [Endpoint("GET", "", self.public), Endpoint("POST", "", self.public)]
        return [
            Service("/api", api),
            Service("/open", public, access="open"),
            Service("/quaint", [], access="open", refuse=quaint),
        ]

    async def me(self, call: Call):
        self.site.handled.append(call)
        return json_response({"principal": str(call.principal)})

    async def note(self, call):
        self.site.handled.append(call)
        return json_response({"text": call.json(Note).text, "id": call.params["id"]})

    async def wait(self, call):
        self.site.handled.append(call)
        try:
            await self.site.bell.wait()
        finally:
            self.site.handled.append("left")
        return json_response({"rang": True})

    async def events(self, call):
        self.site.handled.append(call)
        return EventStream(some_events(self.site), quiet=0.05)

    async def fail(self, call):
        raise {
            "forbidden": Forbidden("not yours"),
            "busy": Busy(("q1",)),
            "facet": FacetError("wrong"),
            "own": Refusal(418, "teapot", "I am one.", {"short": True}),
        }.get(call.params["how"], RuntimeError("hunter2"))

    async def large(self, call):
        return json_response("x" * 20_000_000)

    async def public(self, call):
        self.site.handled.append(call)
        return json_response({"known": call.identity is not None, "own": call.bearer()})


def quaint(refusal, id):
    return json_response([refusal.code], refusal.status)


async def some_events(site):
    yield Event({"n": 1}, id="1", kind="count")
    await site.bell.wait()
    yield Event({"n": 2}, id="2")


@asynccontextmanager
async def open_site(verify=NOBODY, **options):
    site = Site()
    async with (
        open_http_server(Endpoints(site).services(), site.tokens, now=lambda: 0.0, **options) as site.server,
        httpx.AsyncClient(base_url=site.server.url, verify=verify, timeout=5, trust_env=False) as site.client,
    ):
        yield site


async def until(is_so):
    with trio.fail_after(5):
        while not is_so():  # noqa: ASYNC110  # what is waited for is told to nobody
            await trio.sleep(0.001)


async def heard(server, *sent):
    """All that comes back to these bytes, until the connection ends."""
    with trio.fail_after(5):
        async with await trio.open_tcp_stream(*server.address) as stream:
            for piece in sent:
                await stream.send_all(piece)
            return b"".join([piece async for piece in stream])
