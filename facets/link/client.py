"""Remote objects for trio programs.

    async with open_link("ws://127.0.0.1:8000", token) as link:
        viewer = await link.get(Questions, SessionScope("s1"))
        async for opened in viewer.open.changes():
            ...

The link comes back by itself after it was lost, and with it everything that is held and followed.
"""

from __future__ import annotations

import logging
import random
import ssl
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import msgspec
import trio

from facets.errors import LinkLost, Unauthenticated, Unavailable, Unserved
from facets.nursery import open_serving_nursery
from facets.principal import Principal, Who
from facets.readable import Cell, Readable

from . import messages
from .awaiting import end_of
from .backoff import Backoff
from .calling import CallingSession
from .dialling import DIAL_FAULTS, Dial, check_url
from .following import apply_to
from .interface import Face, Interface, Method, interface_of
from .items import CallingState, Event, Held
from .proxies import bind, mirror_of, reader_of, result_of
from .refusals import error_of
from .socket import ClientSocket

__all__ = ["Link", "RemoteObject", "open_link"]

T = TypeVar("T")
_log = logging.getLogger("facets.link")


class Link:
    """The way to the objects of another process. Made by `open_link`, usable until that block ends."""

    def __init__(self, url: str, token: Callable[[], str], tls: ssl.SSLContext | None, nursery: trio.Nursery) -> None:
        self.url = url
        self.principal: Principal
        """Who the server says that this is."""
        self.state: Cell[str] = Cell("connecting")
        """connecting, connected, lost (it is tried again), or refused (it is not)."""
        self._token = token
        self._tls = tls
        self._nursery = nursery
        self._session = CallingSession(url, random.random)
        self._socket: ClientSocket | None = None
        self._timer = trio.CancelScope()
        self._failure: Exception | None = None
        self._greeted = trio.Event()

    # --- asking ---------------------------------------------------------------------------------------------------

    async def get(self, kind: type[T], input: Hashable = None) -> T:
        """The object of a type, for an input, that this link's principal may have: as `Ctx.get`, from elsewhere.

        Raises what refuses it, `Unserved` for a type that is not declared with `remote`, and `LinkLost` while there
        is no connection. It is held until `release`, or until the link's block ends.
        """
        interface = interface_of(kind)
        if interface is None:
            raise Unserved(kind.__name__)
        given = interface.converter.unstructure(input, unstructure_as=interface.input)
        held = self._session.get(interface.name, messages.encode_value(given))
        answer = _Once()
        held.owner = answer.set
        self.push()
        try:
            got = await answer.wait()
        except trio.Cancelled:
            self.release(held)
            raise
        if not isinstance(got, messages.Got):
            raise error_of(got)
        return RemoteObject(self, interface, interface.face(got.face), held, got)  # type: ignore[return-value]

    def release(self, held: Held) -> None:
        """For objects: hold it no more."""
        self._session.release(held)
        self.push()

    async def call(self, held: Held, method: str, args: bytes, again: Callable[[float], bytes] | None) -> Any:
        """For objects: call a method; returns the encoded result."""
        made = self._session.call(held, method, args, again)
        self.push()
        return await end_of(self._session, made, self.push, self._nursery)

    @property
    def session(self) -> CallingSession:
        """For objects: what is held and followed."""
        return self._session

    def push(self) -> None:
        """For objects: send what there is to say."""
        if self._session.out and self._socket is not None:
            self._socket.send_frames(self._session.take_out())
        self._timer.deadline = self._session.due()

    # --- the connection -------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Keep a connection, for as long as it is not cancelled or refused."""
        backoff = Backoff(random.random)
        while self._session.state is not CallingState.REFUSED:
            try:
                async with Dial(self.url, tls=self._tls) as self._socket:
                    await self._converse(self._socket, backoff)
            except DIAL_FAULTS as error:
                self._failure = error
            self._socket = None
            self._tell(self._session.lost())
            self._note_lost()
            await trio.sleep(backoff.pause())

    def _note_lost(self) -> None:
        refused = self._session.state is CallingState.REFUSED
        if self._session.goodbye is not None:
            self._failure = error_of(self._session.goodbye)
        if self._greeted.is_set() or refused:
            self.state.set("refused" if refused else "lost")
            self._greeted.set()

    async def _converse(self, socket: ClientSocket, backoff: Backoff) -> None:
        self._session.dialled(messages.Hello(self._token()))
        socket.attach(self._receive, lambda: None)
        self.push()
        while not socket.stream_closed.is_set():
            with trio.CancelScope(deadline=self._session.due()) as self._timer:
                await socket.stream_closed.wait()
            if self._session.state is CallingState.OPEN:
                backoff.reset()
            self._session.tick(trio.current_time())
            self.push()

    def _receive(self, frame: bytes) -> None:
        try:
            message = messages.decode(frame)
        except msgspec.DecodeError:
            _log.warning("%s has sent what is no message; it is left out", self.url)
            return
        self._tell(self._session.receive(message, trio.current_time()))
        self.push()

    def _tell(self, events: list[Event]) -> None:
        for item, message in events:
            if item is not None:
                if item.owner is not None:
                    item.owner(message)
            elif isinstance(message, messages.Welcome):
                self._welcome(message)
            elif isinstance(message, messages.Pong | messages.Goodbye) and self._socket is not None:
                self._socket.send_goodbye(1000)

    def _welcome(self, welcome: messages.Welcome) -> None:
        self.principal = Principal(welcome.principal.kind, welcome.principal.id)  # type: ignore[arg-type]  # it checks
        self.state.set("connected")
        self._greeted.set()

    async def greeted(self) -> None:
        """Return once the server has taken the token; raises `Unauthenticated` or what else ended the first tries."""
        await self._greeted.wait()
        if self._session.state is CallingState.REFUSED:
            raise self._failure or Unauthenticated()

    def failure(self) -> Exception:
        """Why there is no connection, as far as is known."""
        return self._failure or LinkLost(self.url)


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


class RemoteObject:
    """An object of another process: it has the methods and readables of its face, and nothing else.

    Readables are followed from the first time that they are asked for. `available` tells whether it can be reached.
    """

    def __init__(self, link: Link, interface: Interface, face: Face, held: Held, got: messages.Got) -> None:
        self.principal = Principal(got.principal.kind, got.principal.id)  # type: ignore[arg-type]  # it checks
        """On whose behalf it acts."""
        self.who = Who(self.principal, got.principal.name)
        self._link = link
        self._interface = interface
        self._face = face
        self._held = held
        self._mirrors: dict[str, Readable[Any]] = {}
        self._ahead = got.now - trio.current_time()
        held.owner = None

    def now(self) -> float:
        """The clock of the object's host, epoch seconds, as far as it can be told from here."""
        return trio.current_time() + self._ahead

    def __getattr__(self, name: str) -> Any:
        face: Face = self.__dict__["_face"]
        if name in face.methods:
            return _Method(self, face.methods[name])
        if name in face.readables:
            return self._mirror(name)
        raise AttributeError(f"{self._interface.name} offers this principal no {name!r}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._face.methods, *self._face.readables]

    def _mirror(self, name: str) -> Readable[Any]:
        if name not in self._mirrors:
            watchable = self._face.readables[name]
            mirror = self._mirrors[name] = mirror_of(watchable)
            read = reader_of(self._interface, watchable, trio.current_time)
            followed = self._link.session.follow(self._held, name)
            followed.owner = lambda message: apply_to(mirror, message, read)
            self._link.push()
        return self._mirrors[name]

    async def call(self, method: Method, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """For its methods."""
        bound = bind(self._interface, method, args, named, self.now())
        del args, named  # an answer may be among them (Q-SEC-1)
        value = await self._link.call(self._held, method.name, bound.args, bound.again)
        return result_of(self._interface, method, value)

    def release(self) -> None:
        """Hold it no more."""
        self._link.release(self._held)

    def __repr__(self) -> str:
        return f"<{self._interface.name} {self._face.name} of {self.principal} at {self._link.url}>"


class _Method:
    __slots__ = ("_method", "_object")

    def __init__(self, object: RemoteObject, method: Method) -> None:
        self._object = object
        self._method = method

    async def __call__(self, *args: Any, **named: Any) -> Any:
        return await self._object.call(self._method, args, named)


@asynccontextmanager
async def open_link(
    url: str,
    token: str | Callable[[], str],
    *,
    tls: ssl.SSLContext | None = None,
    patience: float = float("inf"),
) -> AsyncIterator[Link]:
    """A link to the server at `url` (`ws://` or `wss://`) for the length of the block.

    `token`, or what gives a fresh one at each connection; it is sent in the first frame and stands in no URL. Waits
    until the server has taken it, trying for `patience` seconds; raises `Unauthenticated` if it does not, and
    `Unavailable`, whose cause is why, if the time is over. Afterwards a lost connection comes back by itself:
    `link.state` says how things are.
    """
    fresh = token if callable(token) else lambda: token
    async with open_serving_nursery() as nursery:
        link = Link(check_url(url), fresh, tls, nursery)
        nursery.start_soon(link.run)
        with trio.move_on_after(patience) as waiting:
            await link.greeted()
        if waiting.cancelled_caught:
            raise Unavailable(url) from link.failure()
        yield link
