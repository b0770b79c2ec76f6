"""What comes to the port of a server and is not to become a link: plain requests, and whom it does not take."""

from __future__ import annotations

from collections.abc import Callable, Collection
from http import HTTPStatus
from typing import Protocol

from websockets.http11 import Request, Response
from websockets.trio.server import ServerConnection

from .limits import LinkLimits
from .traffic import Traffic

__all__ = ["Answer", "Door", "door_of", "first_answer"]

Answer = Callable[[Request], Response | None]
"""Replies to a plain GET or HEAD request, or leaves it (None) to whoever comes next."""


class House(Protocol):
    """What a door belongs to."""

    limits: LinkLimits
    strangers: int
    traffic: Traffic


class Door:
    """The door of one server. Lives as long as that."""

    def __init__(self, house: House, origins: Collection[str], answer: Answer | None) -> None:
        self.answer = answer
        """Replies to plain requests; may be replaced at any time."""
        self.is_closed = False
        """Whether nobody is let in any more. Plain requests are answered all the same."""
        self._house = house
        self._origins = origins

    def refuse(self, connection: ServerConnection, request: Request) -> Response | None:
        """The reply to a request that does not become a link; None: it does."""
        if "Upgrade" not in request.headers:
            page = None if self.answer is None else self.answer(request)
            return page or connection.respond(HTTPStatus.NOT_FOUND, "There is nothing here but links.\n")
        refused = self._house.traffic.refused
        origins = request.headers.get_all("Origin")
        if not all(origin in self._origins or _is_same_origin(origin, request) for origin in origins):
            refused["origin_not_allowed"] += 1
            return connection.respond(HTTPStatus.FORBIDDEN, "This origin is not allowed.\n")
        if self.is_closed:
            refused["going_away"] += 1
            return _later(connection, "This server is going away; come back.\n")
        if self._house.strangers >= self._house.limits.strangers:
            refused["too_many_strangers"] += 1
            return _later(connection, "Too many connections; try again.\n")
        return None


def first_answer(*answers: Answer | None) -> Answer:
    """The first reply that one of several gives, asked in turn; for `open_link_server(answer=...)`. None has none."""
    given = [answer for answer in answers if answer is not None]

    def answer(request: Request) -> Response | None:
        for one in given:
            if (response := one(request)) is not None:
                return response
        return None

    return answer


def door_of(request: Request | None) -> str:
    """How a peer comes in: `web`, as browsers let pages connect, which name an origin, or `link`; see `Ctx.door`."""
    return "web" if request is not None and "Origin" in request.headers else "link"


def _later(connection: ServerConnection, words: str) -> Response:
    response = connection.respond(HTTPStatus.SERVICE_UNAVAILABLE, words)
    response.headers["Retry-After"] = "1"
    return response


def _is_same_origin(origin: str, request: Request) -> bool:
    scheme, _, host = origin.partition("://")
    return (
        scheme in ("http", "https")
        and host != ""
        and [host.lower()] == [one.lower() for one in request.headers.get_all("Host")]
    )
