"""A line to a server that can be cut."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import trio

_READ = 2**16


class Line:
    """Passes on what comes, in both directions."""

    def __init__(self, port: int) -> None:
        self.port = 0
        """What to dial."""
        self._server = port
        self._scopes: set[trio.CancelScope] = set()

    def cut(self) -> None:
        """Everybody who is connected now is cut off."""
        for scope in self._scopes:
            scope.cancel()

    async def pass_on(self, client: trio.SocketStream) -> None:
        """One connection."""
        async with client, await trio.open_tcp_stream("127.0.0.1", self._server) as server:
            async with trio.open_nursery() as nursery:
                scope = nursery.cancel_scope
                self._scopes.add(scope)
                nursery.start_soon(_copy, client, server, scope)
                nursery.start_soon(_copy, server, client, scope)
            self._scopes.discard(scope)


async def _copy(source: trio.SocketStream, sink: trio.SocketStream, over: trio.CancelScope) -> None:
    try:
        while data := await source.receive_some(_READ):
            await sink.send_all(data)
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        pass
    over.cancel()


@asynccontextmanager
async def open_line(port: int) -> AsyncIterator[Line]:
    """A line to a port of this machine, for the length of the block."""
    line = Line(port)
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, line.pass_on, 0, host="127.0.0.1"))
        line.port = listeners[0].socket.getsockname()[1]
        yield line
        nursery.cancel_scope.cancel()
