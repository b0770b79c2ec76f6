"""The Bot API over HTTP: the address that holds the token is made at the last moment, where nothing logs it."""

from __future__ import annotations

import json
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from .errors import CallFailed

__all__ = ["Wire", "open_wire"]

_CONNECT_SECONDS = 5.0
# Nothing has been sent then, so that it may be tried again.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError, httpx.UnsupportedProtocol)


class _TokenInPath(httpx.AsyncHTTPTransport):
    """Puts the token into the path. The client above, which logs addresses and has them in its errors, has none."""

    def __init__(self, token: str, verify: ssl.SSLContext | bool) -> None:
        super().__init__(verify=verify)
        self._token = token

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        folder, _, method = request.url.path.rpartition("/")
        url = request.url.copy_with(path=f"{folder}/bot{self._token}/{method}")
        inner = httpx.Request(
            request.method, url, headers=request.headers, stream=request.stream, extensions=request.extensions
        )
        return await super().handle_async_request(inner)


class Wire:
    """Sends calls and returns what came back. Lives as long as the block of `open_wire`."""

    def __init__(self, client: httpx.AsyncClient, patience: float) -> None:
        self._client = client
        self._patience = patience

    async def post(self, method: str, parameters: Mapping[str, Any], seconds: float) -> tuple[int, bytes]:
        """The status and the body of the reply. `seconds`: how much longer than usual it may take.

        Raises `CallFailed`: failed if nothing was sent, else unknown. Cancelled on its way, it is unknown too.
        """
        limits = httpx.Timeout(self._patience + seconds, connect=_CONNECT_SECONDS, pool=_CONNECT_SECONDS)
        content, headers = json.dumps(parameters), {"Content-Type": "application/json"}
        try:
            response = await self._client.post(method, content=content, headers=headers, timeout=limits)
        except _NOT_SENT:
            failed = CallFailed(method, "failed", "no_connection")
        except httpx.RequestError:
            failed = CallFailed(method, "unknown", "no_response")
        else:
            return response.status_code, response.content
        raise failed  # out here, so that the error that knows the request is not even its context


@asynccontextmanager
async def open_wire(token: str, base_url: str, patience: float) -> AsyncIterator[Wire]:
    """Connections to the Bot API for the length of the block, by way of no proxy. `patience`: seconds for a reply."""
    # Without TLS there is no need to read all certificates; this context trusts none.
    verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if base_url.startswith("http:") else True
    async with httpx.AsyncClient(base_url=base_url, transport=_TokenInPath(token, verify)) as client:
        yield Wire(client, patience)
