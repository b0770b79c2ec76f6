"""Websocket connections that hand frames over as they arrive and write without waiting.

The library frames, shakes hands and keeps alive. What goes out is written straight to the socket: that costs no task
and no lock for each viewer, so one change reaches a thousand of them several times sooner. When the socket is full, one
task writes what is left, `is_ready` says so meanwhile, and nothing is queued but answers to what the peer itself asks.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import Any

import trio
from websockets.frames import BINARY, CONT, TEXT, Frame
from websockets.protocol import OPEN
from websockets.trio.client import ClientConnection
from websockets.trio.connection import Connection
from websockets.trio.server import ServerConnection

__all__ = ["ClientSocket", "ServerSocket", "Socket", "wire_log"]

wire_log = logging.getLogger("facets.link.wire")
"""What the websocket library logs to. At DEBUG it would log frames, and with them tokens and answers."""
wire_log.setLevel(logging.WARNING)

_UNSUPPORTED_DATA = 1003


class Socket(Connection):
    """What server and client connections have in common. Give it a receiver with `attach`."""

    # Set here rather than in an __init__ that would have to repeat the library's parameters.
    _receive: Callable[[bytes], None] | None = None
    _drained: Callable[[], None] | None = None
    _early: list[bytes]
    _fragments: list[bytes]
    _unsent: bytearray
    _is_writing = False
    _is_ending = False
    most_unread = 2**20
    """Bytes that may wait to be written; above it, nothing more is read."""
    stalled_after = 60.0
    """Seconds for which a peer may take nothing while something waits for it."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._early, self._fragments, self._unsent = [], [], bytearray()
        plain = isinstance(self.stream, trio.SocketStream) and os.name == "posix"
        self._descriptor = self.stream.socket.fileno() if plain else None  # type: ignore[attr-defined]

    def attach(self, receive: Callable[[bytes], None], drained: Callable[[], None]) -> None:
        """Have every text message given to `receive`; `drained` is called when the peer has caught up."""
        self._receive, self._drained = receive, drained
        early, self._early = self._early, []
        for message in early:
            receive(message)

    @property
    def is_ready(self) -> bool:
        """Whether everything that was written has left."""
        return not self._is_writing

    def send_frames(self, frames: list[bytes]) -> None:
        """Write text messages, now or as soon as the peer reads. Does nothing on a connection that is closing."""
        if self.protocol.state is not OPEN:
            return
        for frame in frames:
            self.protocol.send_text(frame)
        self._pump()

    def send_goodbye(self, code: int, reason: str = "") -> None:
        """Begin to close, after what was written before."""
        if self.protocol.state is OPEN:
            self.nursery.start_soon(self.aclose, code, reason)

    def process_event(self, event: Any) -> None:
        """The library's hook: a frame has arrived. Data goes to the receiver in this very step."""
        opcode = getattr(event, "opcode", None)
        if opcode is TEXT or opcode is CONT:
            self._data(event)
        elif opcode is BINARY:
            self.send_goodbye(_UNSUPPORTED_DATA, "text frames only")
        else:
            super().process_event(event)

    def _data(self, frame: Frame) -> None:
        data = bytes(frame.data)
        if not frame.fin or self._fragments:
            self._fragments.append(data)
            if not frame.fin:
                return
            data = b"".join(self._fragments)
            self._fragments = []
        if self._receive is None:
            self._early.append(data)
        else:
            self._receive(data)

    async def send_data(self) -> None:
        """The library's hook: write what it has framed. Does not wait; see `_write_on`."""
        self._pump()

    def _pump(self) -> None:
        for data in self.protocol.data_to_send():
            if data:
                self._unsent += data
            else:
                self._is_ending = True
        if self._is_writing or not (self._unsent or self._is_ending):
            return
        self._write_now()
        if self._unsent or self._is_ending:
            self._is_writing = True
            self.nursery.start_soon(self._write_on)

    def _write_now(self) -> None:
        if self._descriptor is None or not self._unsent:
            return
        try:
            written = os.write(self._descriptor, self._unsent)
        except BlockingIOError:
            return
        except OSError:
            self._unsent.clear()  # the reader finds out why, and ends the connection
            return
        del self._unsent[:written]

    async def _write_on(self) -> None:
        """Write what the socket would not take at once."""
        if len(self._unsent) > self.most_unread:
            self.pause_reading()
        try:
            while self._unsent:
                with trio.move_on_after(self.stalled_after) as patience:
                    await self._write_more()
                if patience.cancelled_caught:
                    await self.close_stream()
                    return
            if self._is_ending:
                await self._end()
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            self._unsent.clear()
        finally:
            self._is_writing = False
            if self.recv_flow_control is not None:
                self.resume_reading()
        if self._drained is not None:
            self._drained()

    async def _write_more(self) -> None:
        if self._descriptor is not None:
            await trio.lowlevel.wait_writable(self._descriptor)
            self._write_now()
            return
        data, self._unsent = self._unsent, bytearray()
        await self.stream.send_all(data)

    async def _end(self) -> None:
        self._is_ending = False
        if isinstance(self.stream, trio.abc.HalfCloseableStream):
            await self.stream.send_eof()
        else:
            await self.stream.aclose()


class ServerSocket(Socket, ServerConnection):
    """A connection that was accepted."""


class ClientSocket(Socket, ClientConnection):
    """A connection that was dialled."""
