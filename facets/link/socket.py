"""Websocket connections that hand frames over as they arrive and write without waiting.

The library frames, shakes hands and keeps alive. What goes out is written straight to the socket: that costs no task
and no lock for each viewer, so one change reaches a thousand of them several times sooner. When the socket is full, one
task writes what is left, `is_ready` says so meanwhile, and nothing is queued but answers to what the peer itself asks.
"""

from __future__ import annotations

import logging
import os
import sys
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
_INVALID_DATA = 1007
_AT_ONCE = 65_536
_WHOLE_TEXT, _TWO_BYTES, _EIGHT_BYTES = 0x81, 126, 127


class PromptStream(trio.abc.HalfCloseableStream):
    """A socket's stream that is read as soon as there is something to read, and not a turn of the scheduler later.

    A trio socket tries to read first, which nearly always fails here, and yields once more when it has succeeded.
    `idle()` is called when all that was read has been worked on.
    """

    def __init__(self, stream: trio.SocketStream, idle: Callable[[], None]) -> None:
        self._stream = stream
        self._idle = idle
        self.socket = stream.socket
        """As of a `trio.SocketStream`."""

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """As of any stream; waits first. Raises `trio.BrokenResourceError` and `trio.ClosedResourceError`."""
        self._idle()
        while True:
            await trio.lowlevel.wait_readable(self.socket)
            try:
                return os.read(self.socket.fileno(), max_bytes or _AT_ONCE)
            except BlockingIOError:
                continue
            except OSError as error:
                raise trio.BrokenResourceError from error

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """As of the stream."""
        await self._stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        """As of the stream."""
        await self._stream.wait_send_all_might_not_block()

    async def send_eof(self) -> None:
        """As of the stream."""
        await self._stream.send_eof()

    async def aclose(self) -> None:
        """As of the stream."""
        await self._stream.aclose()


class Socket(Connection):
    """What server and client connections have in common. Give it a receiver with `attach`."""

    # Slots, although there is a __dict__ as well: a few more names in that take a kilobyte of every connection.
    __slots__ = (
        "_drained",
        "_early",
        "_finished",
        "_fragments",
        "_is_ending",
        "_is_leaving",
        "_is_writing",
        "_receive",
        "_socket",
        "_unsent",
        "most_unread",
        "stalled_after",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        self._receive: Callable[[bytes], None] | None = None
        self._drained: Callable[[], None] | None = None
        self._finished: Callable[[], None] | None = None
        self._early: list[bytes] = []
        self._fragments: bytearray | None = None
        self._unsent = bytearray()
        self._is_leaving = self._is_writing = self._is_ending = False
        self.most_unread = 2**20
        """Bytes that may wait to be written; above it, nothing more is read."""
        self.stalled_after = 60.0
        """Seconds for which a peer may take nothing while something waits for it."""
        super().__init__(*args, **options)
        self._socket: trio.socket.SocketType | None = None
        if isinstance(self.stream, trio.SocketStream) and os.name == "posix":
            self._socket = self.stream.socket
            self.stream = PromptStream(self.stream, self._idle)

    def attach(
        self, receive: Callable[[bytes], None], drained: Callable[[], None], finished: Callable[[], None] | None = None
    ) -> bool:
        """Have every text message given to `receive`; `drained` is called when the peer has caught up.

        `finished` is called after the last of the messages that have come in one go. Returns whether it will be.
        """
        self._receive, self._drained, self._finished = receive, drained, finished
        early, self._early = self._early, []
        for message in early:
            receive(message)
        self._idle()
        return self._socket is not None

    def _idle(self) -> None:
        if self._finished is not None:
            self._finished()

    @property
    def is_ready(self) -> bool:
        """Whether everything that was written has left."""
        return not self._is_writing

    @property
    def unwritten(self) -> int:
        """Bytes that wait until the peer reads."""
        return len(self._unsent)

    def send_frames(self, frames: list[bytes]) -> None:
        """Write text messages, now or as soon as the peer reads. Does nothing on a connection that is closing."""
        if self.protocol.state is not OPEN:
            return
        for frame in frames:
            self.protocol.send_text(frame)
        self._pump()

    def send_goodbye(self, code: int, reason: str = "") -> None:
        """Begin to close, after what was written before. Only the first time counts."""
        if self.protocol.state is OPEN and not self._is_leaving:
            self._is_leaving = True
            self.nursery.start_soon(self.aclose, code, reason)

    def process_event(self, event: Any) -> None:
        """The library's hook: a frame has arrived. Data goes to the receiver in this very step."""
        opcode = getattr(event, "opcode", None)
        if opcode is TEXT or opcode is CONT:
            self._data(event)
            if self.recv_flow_control is not None:  # nothing is read for now, and so nothing would be finished
                self._idle()
        elif opcode is BINARY:
            self.send_goodbye(_UNSUPPORTED_DATA, "text frames only")
        else:
            super().process_event(event)

    def _data(self, frame: Frame) -> None:
        data = bytes(frame.data)
        if self._fragments is not None:  # joined as they come: a million empty ones must cost nothing
            self._fragments += data
        elif not frame.fin:
            self._fragments = bytearray(data)
        if not frame.fin:
            return
        if self._fragments is not None:
            data, self._fragments = bytes(self._fragments), None
        if not _is_text(data):
            self.send_goodbye(_INVALID_DATA, "not UTF-8")
        elif self._receive is None:
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
        if not self._is_writing and (self._unsent or self._is_ending):
            self._begin_to_write()
        self._hold_back()

    def _begin_to_write(self) -> None:
        self._write_now()
        if self._unsent or self._is_ending:
            self._is_writing = True
            self.nursery.start_soon(self._write_on)

    def _hold_back(self) -> None:
        """Read nothing more from a peer that asks and asks, and does not read what it is told."""
        if self._is_writing and len(self._unsent) > self.most_unread and self.recv_flow_control is None:
            self.pause_reading()

    def _write_now(self) -> None:
        if self._socket is not None and self._unsent:
            del self._unsent[: self._write(self._unsent)]

    def _write(self, data: bytes | bytearray) -> int:
        """Write as much of it as the socket takes now, and say how much."""
        try:
            # Asked each time: when this socket is closed, its number may soon be another connection's.
            return os.write(self._socket.fileno(), data)  # type: ignore[union-attr]
        except BlockingIOError:
            return 0
        except OSError:
            return len(data)  # the reader finds out why, and ends the connection

    async def _write_on(self) -> None:
        """Write what the socket would not take at once."""
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
        if self._socket is not None:
            await trio.lowlevel.wait_writable(self._socket)
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
        with trio.move_on_after(self.close_timeout or 0):  # a peer that was cut off for a fault need not hang up
            await self.stream_closed.wait()
        await self.close_stream()


def _is_text(data: bytes) -> bool:
    """The library leaves this to whoever decodes; what is not decoded here is passed on (RFC 6455, 8.1)."""
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError:
        return False


class ServerSocket(Socket, ServerConnection):
    """A connection that was accepted. What it sends is neither masked nor compressed, so it is framed here, at once."""

    def attach(
        self, receive: Callable[[bytes], None], drained: Callable[[], None], finished: Callable[[], None] | None = None
    ) -> bool:
        """As of any socket. From here on nobody asks with which headers it was opened: they take kilobytes."""
        for message in (self.request, self.response):
            if message is not None:
                message.headers.clear()
        return super().attach(receive, drained, finished)

    def send_frames(self, frames: list[bytes]) -> None:
        """As of any socket. What the protocol still has to write, such as a pong, may come before or after it."""
        if self.protocol.state is not OPEN:
            return
        parts: list[bytes] = []
        for frame in frames:
            parts += (_head_of(len(frame)), frame)
        data = b"".join(parts)
        if self._is_writing or self._socket is None:
            self._unsent += data
        elif (written := self._write(data)) < len(data):
            self._unsent += memoryview(data)[written:]
        if self._unsent:
            self._pump()


def _head_of(size: int) -> bytes:
    """Of a whole text frame from a server (RFC 6455, 5.2)."""
    if size < _TWO_BYTES:
        return bytes((_WHOLE_TEXT, size))
    if size < 2**16:
        return bytes((_WHOLE_TEXT, _TWO_BYTES, size >> 8, size & 255))
    return bytes((_WHOLE_TEXT, _EIGHT_BYTES)) + size.to_bytes(8, "big")


class ClientSocket(Socket, ClientConnection):
    """A connection that was dialled. It always reads: if both ends held back, each would wait for the other."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.most_unread = sys.maxsize
