"""The HTTP port: a second one beside that for links, with the same tokens and the same rules about who may listen."""

from __future__ import annotations

import logging
import ssl
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager

import attrs
import trio
from hypercorn.app_wrappers import ASGIWrapper

from facets.errors import InsecureBind
from facets.link.identity import Authenticator
from facets.link.loopback import is_loopback
from facets.nursery import open_serving_nursery

from .application import Application
from .calls import Service
from .connections import Connections
from .limits import HttpLimits

__all__ = ["HttpServer", "open_http_server"]

_log = logging.getLogger("facets.http")
_RECHECK = 1.0  # seconds between looks at what has expired or been revoked


@attrs.define(eq=False)
class HttpServer:
    """A running HTTP port. Made by `open_http_server`, lives as long as that block."""

    address: tuple[str, int]
    """Where it listens."""
    url: str
    """Under which programs reach it, without a slash at the end."""
    _application: Application
    _connections: Connections

    @property
    def is_draining(self) -> bool:
        """Whether it takes nothing new any more."""
        return self._application.is_closed

    def close(self) -> None:
        """Refuse what comes from now on (503, `going_away`), and end long polls and streams."""
        self._application.close()

    def figures(self) -> dict[str, int]:
        """How it stands, in numbers."""
        return {"connections": len(self._connections.open), "strangers": self._connections.strangers}

    async def recheck(self) -> None:
        """End what waits on a token that is good no more. For as long as it is not cancelled."""
        while True:
            await trio.sleep(_RECHECK)
            self._application.recheck()


@asynccontextmanager
async def open_http_server(
    services: Sequence[Service],
    authenticator: Authenticator,
    *,
    now: Callable[[], float],
    bind: str = "127.0.0.1",
    port: int = 0,
    tls: ssl.SSLContext | None = None,
    insecure: bool = False,
    origins: Collection[str] = (),
    limits: HttpLimits | None = None,
    grace: float = 3.0,
) -> AsyncIterator[HttpServer]:
    """Serve `services` over HTTP/1.1 and 2 for the length of the block.

    `authenticator`: whose tokens are taken, in the `Authorization` header and nowhere else. `now`: epoch seconds, by
    which they are judged. `bind`, `port` (0: any free one), `tls`, `insecure` and `origins` are those of
    `open_link_server`: raises `InsecureBind` for an address that other machines can reach without TLS, and `OSError`
    for one that is taken. Leaving the block refuses what is new, tells those who wait to come back, waits up to
    `grace` seconds for what is under way, and closes the connections.
    """
    if tls is None and not insecure and not is_loopback(bind):
        raise InsecureBind(bind)
    limits = limits or HttpLimits()
    application = Application(services, authenticator, now, limits, origins)
    connections = Connections(ASGIWrapper(application), limits)  # type: ignore[arg-type]  # one ASGI, typed twice
    listeners = await _listeners(bind, port, tls)
    async with open_serving_nursery() as nursery:
        listening: trio.CancelScope = await nursery.start(_listen, connections, listeners, nursery)
        server = _server(listeners[0], tls, application, connections)
        nursery.start_soon(server.recheck)
        try:
            yield server
        finally:
            listening.cancel()
            server.close()
            with trio.move_on_after(grace, shield=True):
                await connections.wind_down()
            connections.cut_all()


Listener = trio.SocketListener | trio.SSLListener[trio.SocketStream]


async def _listeners(bind: str, port: int, tls: ssl.SSLContext | None) -> list[Listener]:
    found = await trio.open_tcp_listeners(port, host=bind, backlog=1_000)
    return [*found] if tls is None else [trio.SSLListener(one, tls, https_compatible=True) for one in found]


async def _listen(
    connections: Connections,
    listeners: list[Listener],
    nursery: trio.Nursery,
    task_status: trio.TaskStatus[trio.CancelScope],
) -> None:
    with trio.CancelScope() as scope:
        task_status.started(scope)
        await trio.serve_listeners(connections.serve, listeners, handler_nursery=nursery)


def _server(
    listener: Listener, tls: ssl.SSLContext | None, application: Application, connections: Connections
) -> HttpServer:
    plain = listener if isinstance(listener, trio.SocketListener) else listener.transport_listener
    assert isinstance(plain, trio.SocketListener)
    host, port = plain.socket.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    url = f"{'http' if tls is None else 'https'}://{shown}:{port}"
    return HttpServer((host, port), url, application, connections)
