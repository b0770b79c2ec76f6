"""Server-sent events: what happens, as it happens, over one reply."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from http import HTTPStatus

import attrs
import trio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from facets.link.messages import encode_value

__all__ = ["Event", "EventStream"]


@attrs.frozen
class Event:
    """One event. `data`: plain data, sent as JSON. `id`, `kind`: one line each, or None."""

    data: object
    id: str | None = None
    kind: str | None = None

    def encoded(self) -> bytes:
        """As it goes over the wire."""
        lines = [f"{name}: {value}" for name, value in (("id", self.id), ("event", self.kind)) if value is not None]
        if any("\n" in line or "\r" in line for line in lines):
            raise ValueError("the id and the kind of an event are one line each")
        return "".join(f"{line}\n" for line in lines).encode() + b"data: " + encode_value(self.data) + b"\n\n"


class EventStream(Response):
    """A reply of events as they come from `events`, which is closed with the reply.

    For endpoints that wait. It takes no task and no timer but one: after `quiet` seconds without an event a comment is
    sent, so that no proxy in between takes the connection for dead. `events` is read one at a time: who reads slowly
    slows it, and nobody else.
    """

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[Event, None], quiet: float = 25.0) -> None:
        super().__init__(b"", HTTPStatus.OK, {"X-Accel-Buffering": "no"})
        del self.headers["Content-Length"]
        self._events = events
        self._quiet = quiet

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002  # as ASGI has it
        """Send until there are no more events, or the request is cancelled."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async with aclosing(self._events), trio.open_nursery() as nursery:
            clock = _Quiet(self._quiet)
            nursery.start_soon(clock.run, send)
            async for event in self._events:
                clock.restart()
                await send({"type": "http.response.body", "body": event.encoded(), "more_body": True})
            nursery.cancel_scope.cancel()
        await send({"type": "http.response.body", "body": b""})


class _Quiet:
    """Says now and then that there is nothing to say."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._heard = trio.current_time()

    def restart(self) -> None:
        self._heard = trio.current_time()

    async def run(self, send: Send) -> None:
        while True:
            await trio.sleep_until(self._heard + self._seconds)
            if trio.current_time() >= self._heard + self._seconds:
                self.restart()
                await send({"type": "http.response.body", "body": b":\n\n", "more_body": True})
