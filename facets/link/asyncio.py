"""Remote objects for asyncio programs: the same as `facets.link.client`, on another event loop.

async with open_link("ws://127.0.0.1:8000", token) as link:
    viewer = await link.get(Questions, SessionScope("s1"))
    async for opened in viewer.open.changes():
        ...
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.protocol import OPEN

from facets.errors import Unavailable
from facets.readable import Readable

from .asyncio_waiting import AsyncioCell, AsyncioKeyedMirror, AsyncioValueMirror, end_of, raise_if_owed, teller
from .dialling import DIAL_FAULTS, check_way, dial_options
from .fragments import Fragments
from .interface import Method
from .items import Held
from .link import AnyLink, Token
from .messages import Received
from .proxies import Bound, result_of
from .remote_object import AnyObject, follow, object_of

__all__ = ["Link", "RemoteObject", "open_link"]

T = TypeVar("T")
_log = logging.getLogger("facets.link")


class Link(AnyLink):
    """The way to the objects of another process. Made by `open_link`, usable until that block ends, on its loop."""

    def __init__(self, url: str, token: Token, tls: ssl.SSLContext | None) -> None:
        self.state = AsyncioCell("connecting")
        """connecting, connected, lost (it is tried again), refused (it is not), or closed: the block has ended."""
        self._loop = asyncio.get_running_loop()
        super().__init__(url, token, self._loop.time, self.state)
        self._tls = tls
        self._due: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def get(self, kind: type[T], input: Hashable = None) -> T:
        """The object of a type, for an input, that this link's principal may have: as `Ctx.get`, from elsewhere.

        Raises what refuses it, `Unserved` for a type that is not declared with `remote`, and `LinkLost` while there
        is no connection. It is held until `release`, or until the link's block ends.
        """
        raise_if_owed()
        interface, given = self.wanted(kind, input)
        held = self.session.get(interface.name, given)
        told: asyncio.Future[Received] = self._loop.create_future()
        held.owner = teller(told)
        self.push()
        try:
            message = await told
        except asyncio.CancelledError:
            self.release(held)
            raise
        return object_of(self, interface, RemoteObject, held, message, input)  # type: ignore[return-value]

    async def call(self, held: Held, method: str, bound: Bound) -> Any:
        """For objects: call a method; returns the encoded result."""
        raise_if_owed()
        return await end_of(self, self.session.call(held, method, bound.args, bound.again))

    async def sleep(self, seconds: float) -> None:
        """For objects: pause. Raises the cancellation that the last call of this task had no use for."""
        raise_if_owed()
        await asyncio.sleep(seconds)

    def rearm(self, due: float) -> None:
        """For the link: call `tick` when it is due."""
        if due == self._due:
            return
        self._due = due
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if due == float("inf") else self._loop.call_at(due, self._on_time)

    def _on_time(self) -> None:
        self._due = self._timer = None
        self.tick()

    async def run(self) -> None:
        """Keep a connection, for as long as it is not cancelled or refused."""
        pause: float | None = 0.0
        while pause is not None:
            await asyncio.sleep(pause)
            fault = None
            try:
                async with _Dial(self, self._tls) as socket:
                    self.opened(socket)
                    await socket.wait_closed()
            except DIAL_FAULTS as error:
                fault = error
            pause = self.lost(fault)

    def has_stopped(self, running: asyncio.Task[None]) -> None:
        """For the link: `run` is over. If it has failed, nobody goes on to wait; the block raises why at its end."""
        if not running.cancelled() and running.exception() is not None:
            self.ended()

    async def greeted(self) -> None:
        """Return once the server has taken the token; raises `Unauthenticated` or what else has ended the tries."""
        async for state in self.state.changes():
            if state != "connecting":
                break
        self.check_greeted()


class _Socket(ClientConnection):
    """A connection that hands messages over as they arrive, and writes without waiting."""

    link: Link  # set here rather than in an __init__ that would have to repeat the library's parameters
    _closing: asyncio.Task[None] | None = None

    def process_event(self, event: Any) -> None:
        """The library's hook: something has arrived. Data goes to the link in this very step."""
        if self.response is not None and self._fragments.is_data(event):
            if (message := self._fragments.add(event)) is not None:
                self.link.receive(message)
        else:
            super().process_event(event)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The library's hook: there is a connection."""
        self._fragments = Fragments()
        super().connection_made(transport)

    def send_frames(self, frames: list[bytes]) -> None:
        """Write text messages. Does nothing on a connection that is closing."""
        if self.protocol.state is OPEN:
            for frame in frames:
                self.protocol.send_text(frame)
            self.send_data()

    def send_goodbye(self, code: int) -> None:
        """Begin to close, after what was written before."""
        if self.protocol.state is OPEN and self._closing is None:
            self._closing = self.loop.create_task(self.close(code))


class _Dial(connect):
    """One try to open a websocket. No redirect is followed: it would get the token."""

    def __init__(self, link: Link, tls: ssl.SSLContext | None) -> None:
        self._link = link
        options: dict[str, Any] = {} if tls is None else {"ssl": tls}
        super().__init__(link.url, create_connection=_Socket, **dial_options(), **options)

    def process_redirect(self, exc: Exception) -> Exception | str:
        """The library's hook: none is followed."""
        return exc

    async def __aenter__(self) -> _Socket:
        socket = await super().__aenter__()
        if not isinstance(socket, _Socket):
            raise TypeError("connect() has made another kind of connection")
        socket.link = self._link
        return socket


class RemoteObject(AnyObject):
    """An object of another process: it has the methods and readables of its face, and nothing else.

    Readables are followed from the first time that they are asked for; before their first value has come there is
    nothing in them, and followers are given nothing. `readable.unavailable` says why there is no news, if so.
    """

    def readable(self, name: str) -> Readable[Any]:
        """One of its readables, followed from now on."""
        if name not in self._readables:
            watchable = self._face.readables[name]
            keyed = watchable.keyed
            mirror = AsyncioKeyedMirror(watchable.order, watchable.shape) if keyed else AsyncioValueMirror()
            self._readables[name] = mirror
            follow(self._link, self._interface, self._face, self._held, name, mirror)
        found: Readable[Any] = self._readables[name]
        return found

    async def call(self, method: Method, bound: Bound) -> Any:
        """For its methods: call one."""
        return result_of(self._interface, method, await self._link.call(self._held, method.name, bound))


@asynccontextmanager
async def open_link(
    url: str,
    token: Token,
    *,
    tls: ssl.SSLContext | None = None,
    insecure: bool = False,
    patience: float = float("inf"),
) -> AsyncIterator[Link]:
    """A link to the server at `url` for the length of the block: `wss://`, or `ws://` on this machine.

    Raises `InsecureDial` for `ws://` to anywhere else, unless `insecure` forces it: the token would cross the network.

    `token`, or what gives a fresh one at each connection, as when one has expired; it is sent in the first frame
    and stands in no URL. Waits until the server has taken it, trying for `patience` seconds; raises
    `Unauthenticated` if it does not, what `token` raises, and `Unavailable`, whose cause is why, if the time is
    over. Afterwards a lost connection comes back by itself: `link.state` says how things are. Calls that still wait
    when the block ends raise `LinkLost`.

    A call that is cancelled is given up at the other side, and if its result had come first it is returned, so that
    both sides agree. The cancellation is then raised when the task next waits for a link, or at the end of the block.
    """
    link = Link(check_way(url, insecure), token, tls)
    running = asyncio.create_task(link.run(), name=f"facets link to {url}")
    running.add_done_callback(link.has_stopped)
    try:
        try:
            async with asyncio.timeout(None if patience == float("inf") else patience):
                await link.greeted()
        except TimeoutError:
            raise Unavailable(url) from link.failure()
        yield link
        raise_if_owed()
    finally:
        link.ended()
        running.cancel()
        await asyncio.wait([running])  # not `await running`, which would raise, and hide, whoever was cancelled
        if not running.cancelled():
            running.result()
