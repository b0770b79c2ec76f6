"""Websocket connections of plain threads, which hand messages over as they arrive."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from websockets.protocol import OPEN
from websockets.sync.client import ClientConnection, reconnect

from .dialling import dial_options
from .fragments import Fragments

__all__ = ["SyncSocket", "dial"]


class SyncSocket(ClientConnection):
    """A connection that was dialled. `has_come` and `is_over_now` are called in its own thread."""

    is_over = False
    """Whether it has ended."""

    def __init__(
        self, has_come: Callable[[bytes], None], is_over_now: Callable[[SyncSocket], None], *args: Any, **options: Any
    ) -> None:
        self._has_come = has_come
        self._is_over_now = is_over_now
        self._fragments = Fragments()
        self._unsent: list[bytes] = []
        self._goodbye: int | None = None
        super().__init__(*args, **options)  # its thread begins in here

    def process_event(self, event: Any) -> None:
        """The library's hook: something has arrived."""
        if self.response is not None and self._fragments.is_data(event):
            if (message := self._fragments.add(event)) is not None:
                self._has_come(message)
        else:
            super().process_event(event)

    def recv_events(self) -> None:
        """The library's hook: its thread."""
        try:
            super().recv_events()
        finally:
            self.is_over = True
            self._is_over_now(self)

    def send_frames(self, frames: list[bytes]) -> None:
        """Have text messages written by the next `flush`."""
        self._unsent += frames

    def send_goodbye(self, code: int) -> None:
        """Have the next `flush` begin to close, after what is written before."""
        self._goodbye = code

    def flush(self) -> None:
        """Write what there is to write. Only the link's thread does, so that no signal cuts a frame in two."""
        frames, self._unsent = self._unsent, []
        goodbye, self._goodbye = self._goodbye, None
        with self.protocol_mutex:
            if frames and self.protocol.state is OPEN:
                for frame in frames:
                    self.protocol.send_text(frame)
                self._write()
        if goodbye is not None:
            threading.Thread(target=self.close, args=(goodbye,), name="closing a link", daemon=True).start()

    def _write(self) -> None:
        try:
            self.send_data()
        except OSError:  # the connection's own thread finds out why, and ends
            return


class _Dial(reconnect):
    """One try to open a websocket. No redirect is followed: it would get the token."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        """The library's hook: none is followed."""
        return exc


def dial(
    url: str,
    tls: ssl.SSLContext | None,
    has_come: Callable[[bytes], None],
    is_over_now: Callable[[SyncSocket], None],
) -> SyncSocket:
    """Open a websocket; see `SyncSocket`. Waits for 10 seconds at most. Raises `OSError` or `WebSocketException`."""
    make: Any = partial(SyncSocket, has_come, is_over_now)
    socket = _Dial(url, ssl=tls, create_connection=make, **dial_options()).connect().__enter__()
    if not isinstance(socket, SyncSocket):
        raise TypeError("connect() has made another kind of connection")
    return socket
