"""Remote objects for trio programs.

    async with open_link("ws://127.0.0.1:8000", token) as link:
        viewer = await link.get(Questions, SessionScope("s1"))
        async for opened in viewer.open.changes():
            ...

The link comes back by itself after it was lost, and with it everything that is held and followed.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import trio

from facets.errors import Unavailable
from facets.nursery import open_serving_nursery
from facets.readable import Cell, Readable

from .awaiting import end_of
from .dialling import DIAL_FAULTS, Dial, check_way
from .interface import Method
from .items import Held
from .link import AnyLink, Token
from .proxies import Bound, mirror_of, result_of
from .remote_object import AnyObject, follow, object_of

__all__ = ["Link", "RemoteObject", "open_link"]

T = TypeVar("T")


class Link(AnyLink):
    """The way to the objects of another process. Made by `open_link`, usable until that block ends."""

    def __init__(self, url: str, token: Token, tls: ssl.SSLContext | None) -> None:
        self.state: Cell[str] = Cell("connecting")
        """connecting, connected, lost (it is tried again), refused (it is not), or closed: the block has ended."""
        super().__init__(url, token, trio.current_time, self.state)
        self._tls = tls
        self._timer = trio.CancelScope()

    async def get(self, kind: type[T], input: Hashable = None) -> T:
        """The object of a type, for an input, that this link's principal may have: as `Ctx.get`, from elsewhere.

        Raises what refuses it, `Unserved` for a type that is not declared with `remote`, and `LinkLost` while there
        is no connection. It is held until `release`, or until the link's block ends.
        """
        interface, given = self.wanted(kind, input)
        await trio.lowlevel.checkpoint_if_cancelled()  # the link itself may have ended by the same cancellation
        held = self.session.get(interface.name, given)
        answer = _Once()
        held.owner = answer.set
        self.push()
        try:
            message = await answer.wait()
        except trio.Cancelled:
            self.release(held)
            raise
        return object_of(self, interface, RemoteObject, held, message, input)  # type: ignore[return-value]

    async def call(self, held: Held, method: str, bound: Bound) -> Any:
        """For objects: call a method; returns the encoded result."""
        await trio.lowlevel.checkpoint_if_cancelled()  # Q-SET-1: then nothing is asked
        made = self.session.call(held, method, bound.args, bound.again)
        self.push()
        return await end_of(self.session, made, self.push)

    async def sleep(self, seconds: float) -> None:
        """For objects: pause."""
        await trio.sleep(seconds)

    def rearm(self, due: float) -> None:
        """For the link: call `tick` when it is due. One that turns out to be early does no harm, and moves less."""
        if due < self._timer.deadline:
            self._timer.deadline = due

    async def run(self) -> None:
        """Keep a connection, for as long as it is not cancelled or refused."""
        pause: float | None = 0.0
        while pause is not None:
            await trio.sleep(pause)
            fault = None
            try:
                async with Dial(self.url, tls=self._tls) as socket:
                    socket.attach(self.receive, lambda: None)
                    self.opened(socket)
                    try:
                        await self._tick_until(socket.stream_closed)
                    except trio.Cancelled:  # with all that is in the block: no call would hear any more how it ends
                        self.ended()
                        raise
            except DIAL_FAULTS as error:
                fault = error
            pause = self.lost(fault)

    async def _tick_until(self, closed: trio.Event) -> None:
        while not closed.is_set():
            with trio.CancelScope(deadline=self.session.due()) as self._timer:
                await closed.wait()
            self.tick()

    async def greeted(self) -> None:
        """Return once the server has taken the token; raises `Unauthenticated` or what else has ended the tries."""
        async for state in self.state.changes():
            if state != "connecting":
                break
        await trio.lowlevel.checkpoint_if_cancelled()  # and is no refusal, though the link has ended by that
        self.check_greeted()


class _Once:
    """A message that one task waits for."""

    def __init__(self) -> None:
        self._event = trio.Event()
        self._message: Any = None

    def set(self, message: Any) -> None:
        if not self._event.is_set():
            self._message = message
            self._event.set()

    async def wait(self) -> Any:
        await self._event.wait()
        return self._message


class RemoteObject(AnyObject):
    """An object of another process: it has the methods and readables of its face, and nothing else.

    Readables are followed from the first time that they are asked for; before their first value has come there is
    nothing in them, and followers are given nothing. `readable.unavailable` says why there is no news, if so.
    """

    def readable(self, name: str) -> Readable[Any]:
        """One of its readables, followed from now on."""
        if name not in self._readables:
            mirror = self._readables[name] = mirror_of(self._face.readables[name])
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
    """
    async with open_serving_nursery() as nursery:
        link = Link(check_way(url, insecure), token, tls)
        nursery.start_soon(link.run)
        try:
            with trio.move_on_after(patience) as waiting:
                await link.greeted()
            if waiting.cancelled_caught:
                raise Unavailable(url) from link.failure()
            yield link
        finally:
            link.ended()
