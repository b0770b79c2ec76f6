"""Dialling a link server on trio."""

from __future__ import annotations

import ssl
from typing import Any
from urllib.parse import urlsplit

import trio
from websockets.exceptions import WebSocketException
from websockets.trio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from facets.errors import InsecureDial

from .loopback import is_surely_loopback
from .messages import SUBPROTOCOL
from .socket import ClientSocket, wire_log

__all__ = ["DIAL_FAULTS", "Dial", "check_url", "check_way", "dial_options"]

DIAL_FAULTS = (OSError, WebSocketException, ssl.SSLError, trio.BrokenResourceError)
"""What dialling raises when there is no server, or one that is not trusted or does not speak links."""


def dial_options(frame: int = 2**24) -> dict[str, Any]:
    """What all clients tell the library, whatever they run on. `frame`: bytes of one message."""
    return {
        "subprotocols": [Subprotocol(SUBPROTOCOL)],
        "compression": None,
        "max_size": frame,
        "open_timeout": 10.0,
        "close_timeout": 2.0,
        "logger": wire_log,
        "user_agent_header": None,
    }


class Dial(connect):
    """One try to open a websocket: `async with Dial(url) as socket:`. No redirect is followed: it would get the token.

    `frame`: bytes of one message, `tls`: for `wss`, whose certificate is checked.
    """

    def __init__(self, url: str, *, tls: ssl.SSLContext | None = None, frame: int = 2**24, **options: Any) -> None:
        super().__init__(url, ssl=tls, create_connection=ClientSocket, **dial_options(frame), **options)

    def process_redirect(self, exc: Exception) -> Exception | str:
        """The library's hook: none is followed."""
        return exc

    async def __aenter__(self) -> ClientSocket:
        socket: ClientConnection = await super().__aenter__()
        if not isinstance(socket, ClientSocket):
            raise TypeError("connect() has made another kind of connection")
        return socket


def check_url(url: str) -> str:
    """A URL without the user, password, query and fragment that must not be in it. Raises `ValueError` for any.

    And for one that leads nowhere: a host that cannot be, a port that is none.
    """
    scheme, _, rest = url.partition("://")
    if scheme not in ("ws", "wss") or any(char in rest for char in "@?#") or not _leads_somewhere(url):
        raise ValueError(
            "a URL such as ws://127.0.0.1:8765, without a user, a query or a fragment: no token goes into it"
        )
    return url


def _leads_somewhere(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return bool((parts.hostname or "").encode("idna")) and parts.port != 0
    except ValueError:  # brackets that do not match, a port above 65,535, a name that DNS has no form for
        return False


def check_way(url: str, insecure: bool) -> str:
    """The same for who is about to send a token there: raises `InsecureDial` if others could read it on the way."""
    parts = urlsplit(check_url(url))
    if parts.scheme == "ws" and not insecure and not is_surely_loopback(parts.hostname or ""):
        raise InsecureDial(url)
    return url
