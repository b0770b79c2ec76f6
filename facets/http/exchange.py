"""A request and its reply, over hypercorn's ASGI: the body within bounds, the reply with its headers."""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection
from http import HTTPStatus
from typing import Protocol

import attrs
import trio
from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from facets.link.identity import Identity

from .calls import Call
from .connections import CONNECTION
from .origins import cross_origin
from .refusals import Refusal

__all__ = ["Exchange", "Gone", "Wait"]

_CORRELATION = re.compile(r"[\x21-\x7e]{1,128}")
_BODYLESS = ("GET", "HEAD", "OPTIONS")

_EVERYWHERE = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
"""What everything is sent with, unless an endpoint says otherwise."""

_TOO_LARGE = Refusal(
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "body_too_large", "The body is too large.", headers={"Connection": "close"}
)
_TOO_SLOW = Refusal(
    HTTPStatus.REQUEST_TIMEOUT, "body_too_slow", "The body did not arrive in time.", None, True, {"Connection": "close"}
)


class _Connection(Protocol):
    def trust(self) -> None: ...


class Gone(Exception):
    """Whoever has asked is not there any more."""


@attrs.define(eq=False)
class Wait:
    """A request that may take its time, and why it was cut short."""

    identity: Identity | None
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    why: Exception | None = None

    def end(self, why: Exception) -> None:
        """Cut it short; the first reason counts."""
        self.why = self.why or why
        self.scope.cancel()


class Exchange:
    """A request and its reply, over hypercorn's ASGI."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, origins: Collection[str]) -> None:
        self.id = secrets.token_hex(8)
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.headers = Headers(scope=scope)
        self.connection: _Connection = scope["state"][CONNECTION]
        self.address: str = (scope["client"] or ("",))[0]
        self.has_begun = False
        self._scope, self._receive, self._send, self._origins = scope, receive, send, origins

    def call(self, identity: Identity | None, params: dict[str, str], body: bytes) -> Call:
        """What the endpoint is given."""
        return Call(
            id=self.id,
            method=self.method,
            path=self.path,
            params=params,
            query=QueryParams(self._scope["query_string"]),
            headers=self.headers,
            body=body,
            address=self.address,
            identity=identity,
            trust=self.connection.trust,
        )

    async def body(self, most: int, seconds: float) -> bytes:
        """The body, of up to so many bytes, within so many seconds; none of GET, HEAD and OPTIONS."""
        if self.method in _BODYLESS:
            most = 0
        parts: list[bytes] = []
        length = 0
        with trio.move_on_after(seconds):
            while True:
                message = await self._receive()
                if message["type"] == "http.disconnect":
                    raise Gone
                parts.append(message.get("body", b""))
                length += len(parts[-1])
                if length > most:
                    raise _TOO_LARGE
                if not message.get("more_body", False):
                    return b"".join(parts)
        raise _TOO_SLOW

    async def until_gone(self, wait: Wait) -> None:
        """Cut the wait short when the connection ends; the body has been read."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
        wait.end(Gone())

    async def reply(self, response: Response) -> None:
        """Send it, with the headers that everything has."""
        await response(self._scope, self._receive, self._send_dressed)

    async def _send_dressed(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            self._dress(MutableHeaders(scope=message))
        await self._send(message)

    def _dress(self, headers: MutableHeaders) -> None:
        crossing = cross_origin(self.headers, self.method, self._origins)
        for name, value in {**_EVERYWHERE, "X-Request-Id": self.id, **crossing}.items():
            headers.setdefault(name, value)
        correlation = self.headers.get("X-Correlation-Id", "")
        if _CORRELATION.fullmatch(correlation):
            headers["X-Correlation-Id"] = correlation
