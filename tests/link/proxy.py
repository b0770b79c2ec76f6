"""A network with faults: a TCP proxy on loopback that knows where websocket frames begin and end. Reorders nothing.

    async with open_proxy(server.address) as proxy:
        proxy.down.faults[3] = "drop"       # the fourth frame from the server never arrives
        proxy.up.cut_at = 100               # the connection is cut after a hundred bytes from the client
        async with open_link(proxy.url, token) as link: ...

Each fault happens once, to the connection that is first to get there; what is dialled afterwards fares well.
"""

import socket
import struct
from contextlib import asynccontextmanager, suppress
from functools import partial

import trio

from facets.nursery import open_serving_nursery
from tests.link.frames import FrameReader

_RESET = struct.pack("ii", 1, 0)
_GONE = (trio.BrokenResourceError, trio.ClosedResourceError)


class Way:
    """One direction, and what is to happen in it."""

    def __init__(self):
        self.faults = {}
        """What is done with the frame of this number, from 0: `"drop"` or `"twice"`."""
        self.cut_at = None
        """After how many bytes of one connection it is cut, and reset."""
        self.delay = 0.0
        """Seconds by which everything is late."""
        self.frames = 0
        """Frames that have come on all connections."""
        self.carried = 0
        """Bytes that have come on all connections."""
        self._may_read = trio.Event()
        self._may_read.set()

    def stall(self):
        """Read nothing more, and leave the connections open."""
        self._may_read = trio.Event()

    def go_on(self):
        self._may_read.set()

    def disturbed(self, frame):
        """The bytes that a frame becomes."""
        number, self.frames = self.frames, self.frames + 1
        fault = self.faults.pop(number, None) if frame.is_message else None
        return {None: frame.raw, "drop": b"", "twice": frame.raw * 2}[fault]

    async def carry(self, source, sink):
        """Carry bytes from one to the other until there are none. Returns whether the connection was cut."""
        reader, seen_head, carried = FrameReader(), b"", 0
        while True:
            await self._may_read.wait()
            if not (data := await source.receive_some()):
                return False
            await trio.sleep(self.delay)
            changed = b"".join(map(self.disturbed, reader.feed(data)))
            if reader.head and not seen_head:
                seen_head = reader.head
                changed = seen_head + changed
            self.carried += len(changed)
            if self.cut_at is not None and carried + len(changed) >= self.cut_at:
                changed, self.cut_at = changed[: self.cut_at - carried], None
                await sink.send_all(changed)
                return True
            carried += len(changed)
            if changed:
                await sink.send_all(changed)


class Proxy:
    def __init__(self, address):
        self._address = address
        self.up = Way()
        self.down = Way()
        self.url = ""
        self.accepted = 0
        """Connections so far."""
        self._live = set()

    async def accept(self, client):
        self.accepted += 1
        with suppress(OSError):
            async with await trio.open_tcp_stream(*self._address) as server:
                async with trio.open_nursery() as nursery:
                    self._live.add(nursery)
                    nursery.start_soon(self._carry, self.up, client, server, nursery)
                    nursery.start_soon(self._carry, self.down, server, client, nursery)
                self._live.discard(nursery)
                _reset(server)
        _reset(client)
        await trio.aclose_forcefully(client)

    @staticmethod
    async def _carry(way, source, sink, nursery):
        try:
            if not await way.carry(source, sink):
                await sink.send_eof()
                return
        except _GONE:
            pass
        nursery.cancel_scope.cancel()

    def cut(self):
        """Cut every connection now."""
        for nursery in self._live:
            nursery.cancel_scope.cancel()


def _reset(stream):
    """Have the other end see a broken connection, and not an end."""
    with suppress(OSError):
        stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)


@asynccontextmanager
async def open_proxy(address):
    """A proxy to a server, for the length of the block."""
    proxy = Proxy(address)
    async with open_serving_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, proxy.accept, 0, host="127.0.0.1"))
        port = listeners[0].socket.getsockname()[1]
        proxy.url = f"ws://127.0.0.1:{port}"
        yield proxy
