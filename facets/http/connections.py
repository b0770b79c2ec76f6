"""Connections of an HTTP port: counted, cut off when they stall, and let go at the end."""

from __future__ import annotations

import logging
import math
from typing import Any

import trio
from hypercorn.config import Config
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import AppWrapper, ConnectionState

from .limits import HttpLimits

__all__ = ["CONNECTION", "Connections"]

CONNECTION = "facets.connection"
"""Under which a request finds its connection in the state of its scope."""

Stream = trio.SocketStream | trio.SSLStream[trio.SocketStream]
_log = logging.getLogger("facets.http")
_PIECE = 2**16
_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Connections:
    """All connections of one port. Each is a task; hypercorn reads and writes HTTP over it."""

    def __init__(self, app: AppWrapper, limits: HttpLimits) -> None:
        self.limits = limits
        self.open: set[Connection] = set()
        self.strangers = 0
        self._app = app
        self._config = _config(limits)
        self._none_left = trio.Event()

    async def serve(self, stream: Stream) -> None:
        """Serve one connection until it ends. Whatever goes wrong with it ends it, and no other."""
        if len(self.open) >= self.limits.connections or self.strangers >= self.limits.strangers:
            await _turn_away(stream)
            return
        connection = Connection(stream, self)
        self.open.add(connection)
        self.strangers += 1
        try:
            with connection.patience:
                state = ConnectionState({CONNECTION: connection})
                await TCPServer(self._app, self._config, connection.context, state, connection).run()  # type: ignore[arg-type]
        except* Exception as error:
            _log.error("a connection could not be served", exc_info=error)
        finally:
            connection.trust()
            connection.cut()
            self.open.discard(connection)
            if not self.open:
                self._none_left.set()

    async def wind_down(self) -> None:
        """Close what is idle, and wait until the others have been answered."""
        for connection in list(self.open):
            await connection.context.terminated.set()
        while self.open:
            self._none_left = trio.Event()
            await self._none_left.wait()

    def cut_all(self) -> None:
        """End all that are left."""
        for connection in list(self.open):
            connection.patience.cancel()
            connection.cut()


class Connection:
    """One connection, as a stream for hypercorn.

    hypercorn shields what it sends from cancellation, so a reader that takes nothing would hold it for ever; here such
    a reader is cut off. And of one that has hung up it would wait for the next request, until it is too long idle.
    """

    def __init__(self, stream: Stream, connections: Connections) -> None:
        limits = connections.limits
        self.patience = trio.CancelScope(deadline=trio.current_time() + limits.greeting)
        """For how long it may be a stranger's."""
        self.context = WorkerContext(None)
        """Its `terminated`: close it as soon as nothing is under way."""
        self._stream = stream
        self._stalled = limits.stalled
        self._connections = connections
        self._is_known = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)  # of a plain stream there is no `do_handshake`, by which it is told apart

    def trust(self) -> None:
        """It is a stranger's no more."""
        if not self._is_known:
            self._is_known = True
            self.patience.deadline = math.inf
            self._connections.strangers -= 1

    async def receive_some(self, most: int) -> bytes:
        """What has come; nothing: it is over."""
        try:
            data = bytes(await self._stream.receive_some(most))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            data = b""
        if not data:
            await self.context.terminated.set()
        return data

    async def send_all(self, data: bytes) -> None:
        """Send, as fast as the reader takes it."""
        view = memoryview(data)
        for start in range(0, len(view), _PIECE):
            with trio.move_on_after(self._stalled) as patience:
                await self._stream.send_all(view[start : start + _PIECE])
            if patience.cancelled_caught:
                self.cut()
                raise trio.BrokenResourceError("the reader takes nothing")

    def cut(self) -> None:
        """End it in this step: whoever reads or writes is woken."""
        stream = self._stream if isinstance(self._stream, trio.SocketStream) else self._stream.transport_stream
        stream.socket.close()


async def _turn_away(stream: Stream) -> None:
    with trio.move_on_after(1.0):
        if isinstance(stream, trio.SocketStream):  # over TLS it would take a handshake
            await stream.send_all(_BUSY)
    await trio.aclose_forcefully(stream)


def _config(limits: HttpLimits) -> Config:
    config = Config()
    config.errorlog = _log
    config.include_server_header = False
    config.h11_max_incomplete_size = limits.head
    config.h2_max_header_list_size = limits.head
    config.h2_max_concurrent_streams = limits.at_once
    config.keep_alive_timeout = limits.idle
    config.ssl_handshake_timeout = min(limits.greeting, 10.0)
    return config
