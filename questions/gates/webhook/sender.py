"""Posting a notice: it was taken, or it surely was not, or nobody knows. Only the second is tried again."""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
import trio

from .errors import NoticeFailed
from .profile import Profile
from .signing import signed_headers

__all__ = ["PATIENCE", "Sender", "open_sender"]

PATIENCE = 10.0
_CONNECT_SECONDS = 5.0
_PAUSES = (0.5, 2.0)
"""Seconds between tries of what was surely not sent."""
_LONGEST_PAUSE = 60.0
"""Seconds that one notice waits in all when the receiver asks for it."""
# Nothing has been sent then, so that it may be tried again.
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)
# From a gateway in between: the receiver itself may have taken it.
_GATEWAYS = (502, 504)


class _AddressInTransport(httpx.AsyncHTTPTransport):
    """Puts the address in. The client above, which logs addresses and has them in its errors, knows the host alone."""

    def __init__(self, url: str, verify: ssl.SSLContext | bool) -> None:
        super().__init__(verify=verify)
        self._url = httpx.URL(url)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        inner = httpx.Request(
            request.method, self._url, headers=request.headers, stream=request.stream, extensions=request.extensions
        )
        return await super().handle_async_request(inner)


class Sender:
    """Posts to one address. Lives as long as the block of `open_sender`."""

    def __init__(
        self, client: httpx.AsyncClient, profile: Profile, pause: Callable[[float], Awaitable[object]]
    ) -> None:
        self._client = client
        self._profile = profile
        self._pause = pause

    async def send(self, id: str, notice: Mapping[str, Any]) -> None:
        """Post a notice. Raises `NoticeFailed`. Cancelled on its way, it may have arrived."""
        body = json.dumps(notice, ensure_ascii=False).encode()
        waited, pauses = 0.0, list(_PAUSES)
        while True:
            status, later = await self._post(id, body)
            if 200 <= status < 300:
                return
            pause = _pause_of(status, later, pauses)
            if pause is None or waited + pause > _LONGEST_PAUSE:
                raise _failure(status)
            waited += pause
            await self._pause(pause)

    async def _post(self, id: str, body: bytes) -> tuple[int, str | None]:
        """The status of the reply, 0 if nothing was sent, and its Retry-After. Of its body nothing is read."""
        headers = {"Content-Type": "application/json"} | signed_headers(
            self._profile.secret, id, int(time.time()), body
        )
        try:
            request = self._client.build_request("POST", "/", content=body, headers=headers)
            response = await self._client.send(request, stream=True)
        except _NOT_SENT:
            return 0, None
        except httpx.RequestError:
            failed = NoticeFailed("unknown", "no_response")
        else:
            await response.aclose()
            return response.status_code, response.headers.get("Retry-After")
        raise failed  # out here, so that the error that knows the address is not even its context


def _pause_of(status: int, later: str | None, pauses: list[float]) -> float | None:
    """After how many seconds it is tried again; None: not at all."""
    if status == 429 and later is not None and later.isascii() and later.isdecimal() and len(later) < 6:
        return max(1.0, float(later))
    return pauses.pop(0) if status in (0, 429) and pauses else None


def _failure(status: int) -> NoticeFailed:
    if status == 0:
        return NoticeFailed("failed", "no_connection")
    return NoticeFailed("unknown" if status in _GATEWAYS else "failed", f"http_{status}")


@asynccontextmanager
async def open_sender(
    profile: Profile, *, patience: float = PATIENCE, pause: Callable[[float], Awaitable[object]] = trio.sleep
) -> AsyncIterator[Sender]:
    """Connections to the receiver for the length of the block, by way of no proxy; redirects are not followed.

    `patience`: seconds for a reply. `pause`: how it waits, in seconds.
    """
    limits = httpx.Timeout(patience, connect=_CONNECT_SECONDS, pool=_CONNECT_SECONDS)
    # Without TLS there is no need to read all certificates; this context trusts none.
    verify = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if profile.url.startswith("http:") else True
    transport, host = _AddressInTransport(profile.url, verify), httpx.URL(profile.url).copy_with(raw_path=b"/")
    async with httpx.AsyncClient(base_url=host, transport=transport, timeout=limits, follow_redirects=False) as client:
        yield Sender(client, profile, pause)
