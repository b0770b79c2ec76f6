"""Lines over byte streams: read with a bound, and written without waiting for the other end."""

from __future__ import annotations

import os
import select
from collections.abc import AsyncGenerator, Iterable

import trio

from .dialogs import LONGEST_LINE

__all__ = ["LineWriter", "lines_from", "stdio"]


async def lines_from(stream: trio.abc.ReceiveStream) -> AsyncGenerator[bytes, None]:
    """Each line of a stream, without its end, until the stream ends or breaks; a last one without an end is none.

    Lines of more than 4 MiB are left out, and never held as a whole. Use it under `aclosing`.
    """
    held = bytearray()
    skipping = False
    try:
        async for some in stream:
            first, *rest = some.split(b"\n")
            held += first
            for part in rest:
                if not skipping and len(held) <= LONGEST_LINE:
                    yield bytes(held)
                held, skipping = bytearray(part), False
            if len(held) > LONGEST_LINE:
                held, skipping = bytearray(), True
    except trio.BrokenResourceError:
        return


_MOST_WAITING = 4_194_304


class LineWriter:
    """Writes whole lines to a stream, in order. What is written to an end that has gone is lost.

    So is what is written while more than 4 MiB wait for an end that does not read.

    `write` never waits; `run` does the writing, in one task.
    """

    def __init__(self, stream: trio.abc.SendStream) -> None:
        self._stream = stream
        self._waiting = bytearray()
        self._some = trio.Event()

    def write(self, lines: Iterable[bytes]) -> None:
        """Have lines written soon."""
        if len(self._waiting) <= _MOST_WAITING:
            self._waiting += b"".join(lines)
        self._some.set()

    async def run(self) -> None:
        """Write until cancelled, or until the other end has gone."""
        while True:
            await self._some.wait()
            self._some = trio.Event()
            batch, self._waiting = self._waiting, bytearray()
            try:
                await self._stream.send_all(batch)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return


def stdio() -> trio.StapledStream[trio.abc.SendStream, trio.abc.ReceiveStream]:
    """The standard output and input of this process as one stream; for a program whose parent is at their other end."""
    return trio.StapledStream(_Output(), trio.lowlevel.FdStream(os.dup(0)))


class _Output(trio.abc.SendStream):
    """The standard output, written in threads: one that did not block would lose most of what the program prints."""

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        try:
            # Given up, it writes on if anybody reads; nothing waits for that, the end of the process included.
            await trio.to_thread.run_sync(_write_all, bytes(data), abandon_on_cancel=True)
        except OSError as error:
            raise trio.BrokenResourceError from error

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


def _write_all(data: bytes) -> None:
    while data:
        try:
            data = data[os.write(1, data) :]
        except BlockingIOError:  # it is one with the standard input, which does not block
            select.select([], [1], [])
