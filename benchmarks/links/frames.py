"""As much of the websocket protocol as a viewer needs that only counts."""

from collections.abc import Iterator

_SHORT, _LONG = 126, 127


def opening(port: int) -> bytes:
    """The request that opens a websocket."""
    return (
        f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Protocol: facets.v1\r\n\r\n"
    ).encode()


def masked(opcode: int, payload: bytes) -> bytes:
    """A frame from a client. The mask is nought, so that the payload stays as it is."""
    return _head(opcode, len(payload), 0x80) + bytes(4) + payload


def framed(opcode: int, payload: bytes) -> bytes:
    """A frame from a server."""
    return _head(opcode, len(payload), 0) + payload


def _head(opcode: int, size: int, mask: int) -> bytes:
    first = bytes([0x80 | opcode])
    if size < _SHORT:
        return first + bytes([mask | size])
    if size < 2**16:
        return first + bytes([mask | _SHORT]) + size.to_bytes(2, "big")
    return first + bytes([mask | _LONG]) + size.to_bytes(8, "big")


def positions(data: bytes) -> Iterator[tuple[int, int, int]]:
    """The whole frames of a server in `data`: opcode, and where the payload starts and ends."""
    at, end = 0, len(data)
    while end - at >= 2:
        start, size = at + 2, data[at + 1]
        if size == _SHORT:
            start, size = at + 4, int.from_bytes(data[at + 2 : at + 4], "big")
        elif size == _LONG:
            start, size = at + 10, int.from_bytes(data[at + 2 : at + 10], "big")
        if start + size > end:
            return
        yield data[at] & 15, start, start + size
        at = start + size
