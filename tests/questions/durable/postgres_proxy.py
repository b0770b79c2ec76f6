"""A proxy on loopback before a PostgreSQL server, which cuts connections around their commits."""

import re
from contextlib import asynccontextmanager, suppress
from functools import partial

import psycopg
import trio

from facets.nursery import open_serving_nursery

WRITE, COMMIT = re.compile(rb'"rows":{"'), re.compile(rb"commit\0")
MARKS = {"half": COMMIT, "stalled half": COMMIT, "after": COMMIT, "later": COMMIT}
_GONE = (trio.BrokenResourceError, trio.ClosedResourceError)


class Proxy:
    """Faults happen one after the other, each to the first connection that is about to commit after the one before.

    "before": nothing that is written arrives. "half": all of it arrives but the commit itself. "after": it is
    committed, and the answer is lost. "later": the connection is lost first, and the server is still about to commit.
    "stalled", "stalled half": as "before" and "half", and the connection stays. "after at once" and "later at once":
    of what is written and committed in one statement.
    """

    def __init__(self, address):
        with psycopg.connect(address) as connection:
            self._host, self._port = connection.info.host, connection.info.port
        self.address = ""
        self.faults = []
        self.struck = trio.Event()
        """Once a fault has happened."""
        self.late = trio.Event()
        """When set, what is late arrives."""
        self.arrived = trio.Event()
        """Once that was answered, which nobody hears."""

    async def _dial(self):
        if self._host.startswith("/"):
            return await trio.open_unix_socket(f"{self._host}/.s.PGSQL.{self._port}")
        return await trio.open_tcp_stream(self._host, self._port)

    async def carry(self, client):
        server = await self._dial()
        async with client, server, open_serving_nursery() as nursery:
            down = trio.CancelScope()
            nursery.start_soon(self._down, server, client, down)
            with suppress(*_GONE):
                while data := await client.receive_some():
                    if self.faults and MARKS.get(self.faults[0], WRITE).search(data):
                        await self._strike(self.faults.pop(0), data, client, server, down)
                    else:
                        await server.send_all(data)
            nursery.cancel_scope.cancel()

    async def _down(self, server, client, scope):
        with scope, suppress(*_GONE):
            while data := await server.receive_some():
                await client.send_all(data)
        await client.aclose()

    async def _strike(self, fault, data, client, server, down):
        if fault.startswith(("after", "later")):
            down.cancel()
        self.struck.set()
        if fault.startswith("stalled"):
            await trio.sleep_forever()
        if fault.startswith("later"):
            await client.aclose()
            await self.late.wait()
        if fault.startswith(("after", "later")):
            await server.send_all(data)
            with suppress(*_GONE):
                while (answer := await server.receive_some()) and not re.search(rb"(COMMIT|SELECT 1)\0", answer):
                    pass
            self.arrived.set()
        await client.aclose()


@asynccontextmanager
async def open_proxy(stage):
    """A proxy, and in `proxy.address` the way to the stage's schema through it."""
    proxy = Proxy(stage.server)
    async with open_serving_nursery() as nursery:
        [listener] = await nursery.start(partial(trio.serve_tcp, proxy.carry, 0, host="127.0.0.1"))
        proxy.address = stage.through(*listener.socket.getsockname())
        yield proxy
