"""Websocket frames as bytes, for peers and proxies that do with them what no library would (RFC 6455, 5.2)."""

import attrs

TEXT, BINARY, CLOSE, PING, PONG, CONTINUATION = 1, 2, 8, 9, 10, 0


@attrs.frozen
class Frame:
    opcode: int
    is_final: bool
    payload: bytes
    raw: bytes
    """As it came."""

    @property
    def is_message(self):
        return self.opcode in (TEXT, BINARY, CONTINUATION)

    @property
    def code(self):
        """Of a close frame; 1005: it has none."""
        return int.from_bytes(self.payload[:2], "big") if len(self.payload) >= 2 else 1005


def frame_of(payload, opcode=TEXT, *, is_final=True, reserved=0, mask=b"\x00\x00\x00\x00"):
    """A frame as a client sends it; without `mask`, as a server does."""
    if isinstance(payload, str):
        payload = payload.encode()
    size, masked = len(payload), 0x80 if mask else 0
    head = bytes([is_final << 7 | reserved << 4 | opcode])
    if size < 126:
        head += bytes([masked | size])
    elif size < 2**16:
        head += bytes([masked | 126]) + size.to_bytes(2, "big")
    else:
        head += bytes([masked | 127]) + size.to_bytes(8, "big")
    return head + (mask or b"") + unmasked(payload, mask)


def unmasked(payload, mask):
    if not mask or mask == b"\x00\x00\x00\x00":
        return payload
    key = (mask * (len(payload) // 4 + 1))[: len(payload)]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(len(payload), "big")


class FrameReader:
    """Takes a stream apart: first the HTTP head, then frames."""

    def __init__(self):
        self.head = b""
        self._data = bytearray()

    @property
    def rest(self):
        """What is no whole frame yet."""
        return bytes(self._data)

    def feed(self, data):
        self._data += data
        if not self.head:
            end = self._data.find(b"\r\n\r\n")
            if end < 0:
                return
            self.head = bytes(self._data[: end + 4])
            del self._data[: end + 4]
        while (frame := self._frame()) is not None:
            yield frame

    def _frame(self):
        data = self._data
        if len(data) < 2:
            return None
        size, start = data[1] & 0x7F, 2
        if size >= 126:
            width = 2 if size == 126 else 8
            size, start = int.from_bytes(data[2 : 2 + width], "big"), 2 + width
            if len(data) < start:
                return None
        mask = bytes(data[start : start + 4]) if data[1] & 0x80 else b""
        start += len(mask)
        if len(data) < start + size:
            return None
        raw = bytes(data[: start + size])
        del data[: start + size]
        return Frame(raw[0] & 0x0F, bool(raw[0] & 0x80), unmasked(raw[start:], mask), raw)
