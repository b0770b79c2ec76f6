"""`/healthz`: whether a server takes new connections, for whoever sends them there."""

from __future__ import annotations

from http import HTTPStatus
from typing import Protocol

from websockets.http11 import Request, Response

from facets.link.door import Answer

from .replies import is_for, reply

__all__ = ["answer_health"]


class Draining(Protocol):
    """What can be about to stop: a `LinkServer`."""

    @property
    def is_draining(self) -> bool:
        """Whether it takes nothing new any more."""


def answer_health(server: Draining) -> Answer:
    """The replies to `/healthz`: 200 `ok`, or 503 `draining` once the server takes nothing new any more.

    For `server.door.answer`. It says nothing else to anybody, and reads nothing: that it answers at all shows that
    the program's loop runs.
    """

    def answer(request: Request) -> Response | None:
        if not is_for(request, "/healthz"):
            return None
        if server.is_draining:
            return reply(request, HTTPStatus.SERVICE_UNAVAILABLE, b"draining\n")
        return reply(request, HTTPStatus.OK, b"ok\n")

    return answer
