"""Lines between a server and the process of a channel, each within a bound."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import trio

from .errors import InvalidRecord

__all__ = ["LONGEST_COMMAND", "LONGEST_REPORT", "frames_from"]

LONGEST_COMMAND = 2**26
"""Bytes of a line of the server, with all requests that may be answered in it."""
LONGEST_REPORT = 2**20
"""Bytes of a line of the process."""


async def frames_from(stream: trio.abc.ReceiveStream, longest: int) -> AsyncGenerator[bytes, None]:
    """Each line of a stream, without its end, until the stream ends; a last one without an end is none.

    Raises `InvalidRecord` for one of more than `longest` bytes, before it is held as a whole, and what the stream
    raises when it breaks. Use it under `aclosing`.
    """
    held = bytearray()
    async for some in stream:
        *lines, rest = some.split(b"\n")
        for line in lines:
            held += line
            _check(held, longest)
            yield bytes(held)
            held.clear()
        held += rest
        _check(held, longest)


def _check(held: bytearray, longest: int) -> None:
    if len(held) > longest:
        raise InvalidRecord([f"$: a line of more than {longest} bytes"])
