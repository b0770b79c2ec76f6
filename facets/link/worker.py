"""The other end of a relay: a host that dials a server, and serves the objects of its sessions through it.

    async with open_host([questions_facet]) as host, open_worker(host, url, token, "s1"):
        ...

What is pending lives in this host. While the link is away it stays there, and goes on when the link is back.
"""

from __future__ import annotations

import logging
import random
import secrets
import ssl
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import msgspec
import trio

from facets.errors import (
    FacetError,
    Forbidden,
    InsecureDial,
    InternalError,
    InvalidMessage,
    LinkLost,
    MissingExtra,
    UntrustedServer,
)
from facets.host import Host
from facets.nursery import open_serving_nursery
from facets.principal import Principal
from facets.readable import Cell, Readable, derive

from .backoff import Backoff
from .dialling import DIAL_FAULTS, Dial, check_url
from .epochs import Epochs
from .identity import is_text
from .limits import LinkLimits
from .loopback import is_loopback
from .messages import REPLIES, Get, Goodbye, Hello, Refused, Welcome, decode, encode
from .offered import HostObjects, LocalObject, builtins_of
from .refusals import error_of, fault_of_frame
from .serving import Flusher, Serving
from .session import ServingSession, SessionState
from .socket import ClientSocket
from .tokens import check_proof

__all__ = ["WORKER_LIMITS", "Keys", "Worker", "WorkerToken", "open_worker"]

WORKER_LIMITS = LinkLimits(objects=100_000, calls=100_000, watches=200_000, messages=100_000, replies=100_000)
"""What a worker takes from its server, which speaks for all users of a session over one connection."""

WorkerToken = str | Callable[[str], str]
"""A token for one session, or what gives a fresh one for each session at each connection."""

Keys = Mapping[str, Any] | Callable[[], Mapping[str, Any]]
"""The public keys of a server (`KeyRing.public`), or what gets them, anew at each connection."""

_log = logging.getLogger("facets.link")
_NORMAL = 1000
_STEADY = 5.0  # seconds that a connection has lasted when the next pause is a short one again
_ENVELOPE = 4_096  # bytes by which a server's frame may be longer than that of the user which it passes on
_WORST_FIRST = ("refused", "lost", "connecting", "connected")


class Worker:
    """A host whose sessions are served through a server. Made by `open_worker`, lives as long as that block."""

    def __init__(self, host: Host, url: str, token: WorkerToken, keys: Keys | None, limits: LinkLimits) -> None:
        self.host = host
        self.url = url
        self.limits = limits
        self.epochs = Epochs()
        self.flusher = Flusher()
        self.objects = HostObjects(host)
        self.links: dict[str, WorkerLink] = {}
        """The link of each session."""
        self.state: Readable[str]
        """The state of the link that is worst off: see `WorkerLink.state`."""
        self.token: Callable[[str], str] = token if callable(token) else lambda _: token
        self.keys = keys if callable(keys) or keys is None else lambda: keys
        self.calls: trio.Nursery

    async def keep_calls(self, ready: trio.Event, over: trio.Event) -> None:
        """For the links: let what the server calls run, until they are over.

        They outlast a cancellation by a moment, and are cancelled once it is known that their link is lost.
        """
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as self.calls:
                ready.set()
                await over.wait()

    async def connected(self) -> None:
        """Return once every session is served. Raises why the server has refused one of them; it is tried again."""
        async for state in self.state.changes():
            if state == "refused":
                raise next(link.failure for link in self.links.values() if link.state.value == "refused")
            if state == "connected":
                return


class WorkerLink:
    """The link of one session to the server. A worker's token names one session, so each has a link of its own."""

    def __init__(self, worker: Worker, session: str) -> None:
        self.state: Cell[str] = Cell("connecting")
        """connecting, connected, lost (it is tried again), or refused (the same, but less and less often)."""
        self.failure: Exception = LinkLost(worker.url)
        """Why it is not connected, as far as is known."""
        self._worker = worker
        self._place = session
        self._backoff = Backoff(random.random)
        self._nonce = ""
        self._greeted: trio.Event
        self._socket: ClientSocket
        self._session: ServingSession
        self._serving: Serving

    async def run(self, tls: ssl.SSLContext | None) -> None:
        """Keep a connection, for as long as it is not cancelled."""
        while True:
            try:
                async with Dial(self._worker.url, tls=tls, frame=self._worker.limits.frame + _ENVELOPE) as socket:
                    await self._serve(socket)
            except DIAL_FAULTS as error:
                broken_by = error.__cause__ if isinstance(error, trio.BrokenResourceError) else None
                self._fail(broken_by if isinstance(broken_by, ssl.SSLError) else error)
            pause = self._backoff.pause()
            await trio.sleep(10 * pause if self.state.value == "refused" else pause)

    def _fail(self, error: Exception, *, for_good: bool = False) -> None:
        self.failure = error
        if for_good:
            _log.error("session %s is not served at %s: %s", self._place, self._worker.url, error)
            self.state.set("refused")
        elif self.state.value == "connected":
            self.state.set("lost")

    async def _serve(self, socket: ClientSocket) -> None:
        try:
            hello = self._hello()
        except Exception as error:
            self._fail(error)
            _log.warning("no token for session %s: %s; it is tried again", self._place, type(error).__name__)
            return
        worker, began = self._worker, trio.current_time()
        self._socket, self._greeted = socket, trio.Event()
        socket.stalled_after = worker.limits.stalled
        self._session = session = ServingSession(worker.limits, began, stamps=True)
        self._serving = Serving(
            session,
            self._resolve,
            socket.send_frames,
            lambda: socket.is_ready,
            worker.calls,
            worker.flusher,
            worker.epochs,
            worker.host.now,
        )
        socket.attach(self._receive, self._serving.flush)
        socket.send_frames([encode(hello)])
        try:
            await self._until_closed(socket)
        finally:
            session.state = SessionState.CLOSED
            self._serving.end(lost=True)  # what is pending stays, for whoever comes back (Q-KEY-3)
            self._fail(self.failure)
        if trio.current_time() - began > _STEADY:  # two workers of one session do not drive each other mad
            self._backoff.reset()

    async def _until_closed(self, socket: ClientSocket) -> None:
        with trio.move_on_after(self._worker.limits.greeting):
            await self._greeted.wait()
        if not self._greeted.is_set():
            self._part(LinkLost(self._worker.url))
        await socket.stream_closed.wait()

    def _hello(self) -> Hello:
        self._nonce = "" if self._worker.keys is None else secrets.token_urlsafe(32)
        return Hello(self._worker.token(self._place), (self._place,), self._nonce)

    # --- what comes in --------------------------------------------------------------------------------------------

    def _receive(self, frame: bytes) -> None:
        try:
            if self._session.state is SessionState.GREETING:
                self._greet(frame)
            elif self._session.state is SessionState.OPEN:
                self._take(frame)
        except FacetError as error:
            self._part(error)
        except Exception as error:
            _log.error("a message of the server could not be handled", exc_info=error)
            self._part(InternalError())

    def _greet(self, frame: bytes) -> None:
        try:
            message = decode(frame)
        except msgspec.DecodeError as error:
            raise fault_of_frame(error) from None
        if isinstance(message, Goodbye):
            self._dismissed(message)
            return
        if not isinstance(message, Welcome):
            raise InvalidMessage(["$.type: only a welcome may come now"])
        self._check(message)
        self._session.open_as_dialled()
        self._session.ask_back(trio.current_time())  # one fault of the server's ends the connection
        self._greeted.set()
        self.failure = LinkLost(self._worker.url)
        self.state.set("connected")

    def _check(self, welcome: Welcome) -> None:
        """Serve nobody but the server that was meant, and as nobody but this session's worker."""
        worker = self._worker
        if (
            worker.keys is not None
            and check_proof(welcome.proof, self._nonce, worker.keys(), worker.host.now()) is None
        ):
            raise UntrustedServer(worker.url)
        own = Principal.worker(self._place)
        if (welcome.principal.kind, welcome.principal.id) != (own.kind, own.id):
            raise Forbidden(f"session {self._place} is served with a token of {own}, and this is another principal's")

    def _take(self, frame: bytes) -> None:
        message = self._session.receive(frame, trio.current_time())
        if isinstance(message, Goodbye):
            self._dismissed(message)
        elif isinstance(message, Refused):
            self._part(error_of(message))
        elif message is not None and type(message) not in REPLIES:
            self._serving.act(message)
            return
        self._serving.push()
        if self._session.state is SessionState.CLOSED:
            self._socket.send_goodbye(_NORMAL)

    def _dismissed(self, goodbye: Goodbye) -> None:
        self._part(error_of(goodbye), for_good=not goodbye.retryable)

    def _part(self, error: Exception, *, for_good: bool | None = None) -> None:
        """Serve nothing more over this connection."""
        self._session.state = SessionState.CLOSED
        self._greeted.set()
        mistrusted = isinstance(error, UntrustedServer | Forbidden | MissingExtra)
        self._fail(error, for_good=mistrusted if for_good is None else for_good)
        self._socket.send_goodbye(_NORMAL)

    def _resolve(self, get: Get) -> LocalObject:
        """An object of this session, for whom the server says. A server that names nobody asks for itself: refused."""
        objects, host = self._worker.objects, self._worker.host
        if get.principal is msgspec.UNSET:
            raise Forbidden("a server says on whose behalf it asks a worker")
        interface = objects.interface(get.kind)
        input = interface.structure_input(builtins_of(get.input, "$.input"))
        place = interface.place(input)
        if place != self._place:
            raise Forbidden(f"this worker serves session {self._place}, and nothing else")
        if is_text(get.name):
            host.introduce(get.principal, get.name)
        return objects.get(interface, get.principal, input, place, bytes(get.input))


@asynccontextmanager
async def open_worker(
    host: Host,
    url: str,
    token: WorkerToken,
    sessions: str | Collection[str],
    *,
    tls: ssl.SSLContext | None = None,
    server_keys: Keys | None = None,
    limits: LinkLimits | None = None,
) -> AsyncIterator[Worker]:
    """Serve a host's objects of these sessions through the server at `url`, for the length of the block.

    `token`: a worker's, which names one session; with several sessions something that is called with each and returns
    a fresh one, at each connection. There is one connection for each session, and one process serves a session: a
    second one takes it away from the first. `server_keys`: the server's public keys; it has to prove that it has them
    before anything is served. Without them `url` must be `wss://`, whose certificate is checked, or lead to this
    machine, else `InsecureDial`: a server says on whose behalf it asks, and is believed. `tls`: for `wss://`. `limits`:
    what is taken from the server, `WORKER_LIMITS` if not said. Raises `ValueError` for no session, or one token for
    several, and `InvalidPrincipal` for a session that cannot be one.

    Does not wait for the server: `await worker.connected()` does. A lost link is tried again for as long as the block
    runs, and so is one that was refused, less often; `worker.state` says how things are. Meanwhile everything held
    for users lingers in this host as after any lost link, and what is pending stays. Leaving the block does the same,
    and leaves the host as it is.
    """
    names = [sessions] if isinstance(sessions, str) else list(dict.fromkeys(sessions))
    if not names or (len(names) > 1 and isinstance(token, str)):
        raise ValueError("one session or more; for several, a token that is called with the session")
    for name in names:
        Principal.worker(name)
    await _check_way(check_url(url), tls, server_keys)
    worker = Worker(host, url, token, server_keys, limits or WORKER_LIMITS)
    worker.links.update((name, WorkerLink(worker, name)) for name in names)
    worker.state = derive([link.state for link in worker.links.values()], _worst)
    async with open_serving_nursery() as nursery:
        nursery.start_soon(worker.flusher.run)
        nursery.start_soon(_run, worker, tls)
        yield worker


async def _run(worker: Worker, tls: ssl.SSLContext | None) -> None:
    ready, over = trio.Event(), trio.Event()
    async with trio.open_nursery() as nursery:
        try:
            nursery.start_soon(worker.keep_calls, ready, over)
            await ready.wait()
            async with trio.open_nursery() as links:
                for link in worker.links.values():
                    links.start_soon(link.run, tls)
        finally:
            over.set()


def _worst(*states: str) -> str:
    return min(states, key=_WORST_FIRST.index)


async def _check_way(url: str, tls: ssl.SSLContext | None, keys: Keys | None) -> None:
    parts = urlsplit(url)
    checked = tls is None or (tls.verify_mode is ssl.CERT_REQUIRED and tls.check_hostname)
    if keys is not None or (parts.scheme == "wss" and checked):
        return
    if not await trio.to_thread.run_sync(is_loopback, parts.hostname or ""):
        raise InsecureDial(url)
