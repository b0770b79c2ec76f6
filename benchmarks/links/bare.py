"""What a program does with websockets.trio alone: the same message to many connections, and an echo."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

import trio
from websockets.trio.connection import broadcast
from websockets.trio.server import Server, ServerConnection, serve

from benchmarks.links.frames import framed

_TEXT = 1

Send = Callable[[bytes], Awaitable[None]]
"""Sends one message to everybody."""


class Bare:
    """A websockets.trio server, with the same settings as a link server's."""

    def __init__(self) -> None:
        self.connections: list[ServerConnection] = []
        self.port = 0
        self._outboxes: list[trio.MemorySendChannel[bytes]] = []
        self._came = trio.Condition()

    @property
    def ways(self) -> dict[str, Send]:
        """The ways to send a message to everybody."""
        return {
            "send": self.send,
            "broadcast": self.broadcast,
            "writers": self.write,
            "direct": self.direct,
            "kernel": self.kernel,
        }

    async def send(self, message: bytes) -> None:
        """One `send` after the other."""
        for connection in self.connections:
            await connection.send(message, text=True)

    async def broadcast(self, message: bytes) -> None:
        """The library's own."""
        await broadcast(self.connections, message, text=True)

    async def write(self, message: bytes) -> None:
        """A task for each connection, which sends what it is handed."""
        for outbox in self._outboxes:
            outbox.send_nowait(message)

    async def direct(self, message: bytes) -> None:
        """Framed by the library's sans-IO protocol, written without waiting; right only for who reads."""
        for connection in self.connections:
            connection.protocol.send_text(message)
            for data in connection.protocol.data_to_send():
                os.write(_descriptor(connection), data)

    async def kernel(self, message: bytes) -> None:
        """Framed once; a loop of system calls and nothing else."""
        frame = framed(_TEXT, message)
        for descriptor in [_descriptor(connection) for connection in self.connections]:
            os.write(descriptor, frame)

    async def reached(self, count: int) -> None:
        """Wait until there are so many connections."""
        with trio.fail_after(60):
            async with self._came:
                while len(self.connections) < count:
                    await self._came.wait()

    async def handle(self, connection: ServerConnection) -> None:
        """Keep a connection."""
        outbox, inbox = trio.open_memory_channel[bytes](1_000)
        self.connections.append(connection)
        self._outboxes.append(outbox)
        connection.nursery.start_soon(_pass_on, inbox, connection)
        async with self._came:
            self._came.notify_all()
        await connection.stream_closed.wait()
        self.connections.remove(connection)
        self._outboxes.remove(outbox)
        outbox.close()


async def hold(connection: ServerConnection) -> None:
    """Keep a connection and nothing else."""
    await connection.stream_closed.wait()


async def echo(connection: ServerConnection) -> None:
    """Send back what comes."""
    async for message in connection:
        await connection.send(message)


def _descriptor(connection: ServerConnection) -> int:
    assert isinstance(connection.stream, trio.SocketStream)
    return connection.stream.socket.fileno()


async def _pass_on(inbox: trio.MemoryReceiveChannel[bytes], connection: ServerConnection) -> None:
    async for message in inbox:
        await connection.send(message, text=True)


@asynccontextmanager
async def open_bare(handler: Callable[[ServerConnection], Awaitable[None]]) -> AsyncIterator[int]:
    """A websockets.trio server for the length of the block: the port."""
    async with trio.open_nursery() as nursery:
        start = partial(serve, handler, 0, host="127.0.0.1", compression=None)
        running: Server = await nursery.start(start)
        yield running.listeners[0].socket.getsockname()[1]
        nursery.cancel_scope.cancel()
