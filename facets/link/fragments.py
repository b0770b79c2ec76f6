"""Putting text messages together that come in several frames."""

from __future__ import annotations

from typing import Any

from websockets.frames import BINARY, CONT, TEXT

__all__ = ["Fragments"]


class Fragments:
    """The frames of one connection. The library bounds how large a message may become."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def is_data(self, event: Any) -> bool:
        """Whether something that the library reports is a part of a message."""
        return getattr(event, "opcode", None) in (TEXT, CONT, BINARY)

    def add(self, frame: Any) -> bytes | None:
        """Take a frame. Returns the message once it is whole."""
        self._parts.append(bytes(frame.data))
        if not frame.fin:
            return None
        parts, self._parts = self._parts, []
        return parts[0] if len(parts) == 1 else b"".join(parts)
