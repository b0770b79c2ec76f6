"""The server of a host's links: authenticates before anything else, stamps the principal, serves many objects."""

from __future__ import annotations

import logging
import math
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from functools import partial
from typing import Literal

import trio
from websockets.trio.server import Server, ServerConnection, serve
from websockets.typing import Subprotocol

from facets.errors import (
    FacetError,
    Forbidden,
    GoingAway,
    InsecureBind,
    InternalError,
    LinkLimitExceeded,
    Unauthenticated,
)
from facets.host import Host
from facets.nursery import open_serving_nursery
from facets.waiting import Waiting

from .door import Answer, Door, door_of
from .epochs import Epochs
from .identity import Authenticator, Identity
from .limits import LinkLimits
from .listening import open_listening
from .loopback import is_loopback
from .messages import REPLIES, SUBPROTOCOL, Get, Hello
from .offered import HostObjects, LocalObject, Offered, builtins_of
from .relay import Relay
from .serving import Flusher, Serving
from .session import ServingSession, SessionState
from .socket import ServerSocket, wire_log
from .traffic import Traffic

__all__ = ["LinkServer", "open_link_server"]

_log = logging.getLogger("facets.link")
_POLICY_VIOLATION = 1008
_GOING_AWAY = 1001
_RECHECK = 1.0  # seconds between looks at what has expired or been revoked


class LinkServer:
    """A running server. Made by `open_link_server`, lives as long as that block."""

    def __init__(
        self,
        host: Host,
        authenticator: Authenticator,
        limits: LinkLimits,
        prove: Callable[[str], str] | None,
        sessions: Literal["here", "workers"],
        origins: Collection[str] = (),
        answer: Answer | None = None,
    ) -> None:
        self.host = host
        self.limits = limits
        self.traffic = Traffic()
        """What has gone over its links, in numbers."""
        self.door = Door(self, origins, answer)
        """Who is let in; `door.answer` replies to plain requests."""
        self.epochs = Epochs()
        self.flusher = Flusher()
        self.objects = HostObjects(host)
        self.relay = Relay(self._take_over, host.now, only_workers=sessions == "workers")
        """The workers that have dialled in, and what they own."""
        self.authenticator = authenticator
        self.prove = prove
        self.address: tuple[str, int] = ("", 0)
        """Where it listens."""
        self.url = ""
        """What clients dial."""
        self.http_url = ""
        """Where its HTTP port is, which clients are told; empty: it has none. Whoever opens one sets it."""
        self.strangers = 0
        self.peers: dict[Peer, None] = {}
        self.by_principal: Counter[object] = Counter()

    def _take_over(self, place: str) -> None:
        """A session has a worker now: who holds objects of it gets those of the worker in their place."""
        for peer in list(self.peers):
            peer.take_over(place)

    @property
    def is_draining(self) -> bool:
        """Whether it takes nothing new any more: see `drain`."""
        return self.door.is_closed

    async def drain(self, timeout: float) -> tuple[Waiting, ...]:
        """Take nothing new from now on, and wait up to `timeout` seconds for what is open; returns what still is.

        New connections are refused (HTTP 503), and so are objects and asks of workers (`GoingAway`) and, in the whole
        host, asks (`Unavailable`): all of them may be tried again. Who is connected goes on viewing and answering.
        What is open with workers is not waited for: it goes on there. Cancelled, it waits no more, and takes nothing
        new either.
        """
        self.door.is_closed = self.relay.is_closed = True
        self.host.wind_down()
        return await self.host.drain(timeout)

    def close(self) -> None:
        """Send everybody away, and ask them to come back (`GoingAway`). Leaving the server's block does so as well.

        Clients take it for a lost link: they dial again by themselves, and asks with a key go on.
        """
        self.door.is_closed = True
        for peer in list(self.peers):
            peer.leave(GoingAway(), _GOING_AWAY)

    def figures(self) -> dict[str, int]:
        """How it stands, in numbers. Takes time in proportion to the connections."""
        traffic, workers = self.traffic, self.relay.describe()
        connected = sum(1 for worker in workers if worker["connected"])
        return {
            "connections": len(self.peers),
            "strangers": self.strangers,
            "workers": connected,
            "workers_away": len(workers) - connected,
            "accepted": traffic.accepted,
            "received": traffic.received + sum(peer.session.received for peer in self.peers),
            "sent": traffic.sent + sum(peer.session.sent for peer in self.peers),
        }

    def describe(self) -> dict[str, object]:
        """The server's state as plain data."""
        return {
            "url": self.url,
            "connections": len(self.peers),
            "strangers": self.strangers,
            "principals": len(self.by_principal),
            "workers": self.relay.describe(),
        }

    async def recheck(self) -> None:
        """Send away whose token has expired or been revoked. For as long as it is not cancelled."""
        while True:
            await trio.sleep(_RECHECK)
            for place, peer in enumerate(list(self.peers), 1):
                if not self.authenticator.still_valid(peer.identity, self.host.now()):
                    peer.leave(Unauthenticated())
                if place % 64 == 0:  # a thousand of them take ten milliseconds
                    await trio.lowlevel.checkpoint()

    async def handle(self, connection: ServerConnection) -> None:
        """Serve one connection until it ends."""
        if not isinstance(connection, ServerSocket):
            raise TypeError("serve() was not given ServerSocket")
        connection.most_unread, connection.stalled_after = self.limits.unread, self.limits.stalled
        peer = Peer(self, connection)
        self.strangers += 1
        self.traffic.accepted += 1
        try:
            peer.is_prompt = connection.attach(peer.receive, peer.serving.flush, self.flusher.let_go)
            with peer.patience:
                await connection.stream_closed.wait()
            if peer.patience.cancelled_caught:
                connection.send_goodbye(_POLICY_VIOLATION)  # and no more: it may be a slow one, which tries again
                await connection.stream_closed.wait()
        finally:
            peer.end()


class Peer:
    """One connection to the server."""

    __slots__ = "__weakref__ _connection _door _is_known _server identity is_prompt patience serving session".split()

    def __init__(self, server: LinkServer, connection: ServerSocket) -> None:
        self.identity: Identity
        self.patience = trio.CancelScope(deadline=trio.current_time() + server.limits.greeting)
        """For how long it may be a stranger."""
        self._server = server
        self._connection = connection
        self._door = door_of(connection.request)
        self._is_known = False
        self.is_prompt = False
        """Whether the connection says when all that has come in one go has been worked on."""
        self.session = ServingSession(server.limits, trio.current_time(), traffic=server.traffic)
        self.serving = Serving(
            self.session,
            self._resolve,
            connection.send_frames,
            lambda: connection.is_ready,
            connection.nursery,
            server.flusher,
            server.epochs,
            server.host.now,
        )

    def receive(self, frame: bytes) -> None:
        """A text message has come. Whatever goes wrong with it ends this connection, and no other."""
        if self.is_prompt:
            self._server.flusher.hold()
        try:
            self._receive(frame)
        except Exception as error:
            _log.error("a message could not be handled", exc_info=error)
            self.leave(error if self._is_known and isinstance(error, FacetError) else InternalError())

    def _receive(self, frame: bytes) -> None:
        message = self.session.receive(frame, trio.current_time())
        if type(message) is Hello:
            self._greet(message)
        elif message is not None and type(message) in REPLIES:
            self._server.relay.receive(self, message)
        elif message is not None:
            self.serving.act(message)
            return
        self.serving.push()
        if self.session.state is SessionState.CLOSED:
            self._close()

    def _greet(self, hello: Hello) -> None:
        server, now = self._server, self._server.host.now()
        identity = server.authenticator.authenticate(hello.token, now)
        if identity is None:
            self.session.leave(Unauthenticated())
            return
        if server.by_principal[identity.principal] >= server.limits.connections:
            limit = LinkLimitExceeded("connections of one principal", server.limits.connections)
            self.session.leave(limit)
            return
        try:
            proof = server.prove(hello.nonce) if server.prove is not None and hello.nonce else ""
        except FacetError as error:  # a nonce that is none
            self.session.leave(error)
            return
        self.identity = identity
        if identity.name is not None:
            server.host.introduce(identity.principal, identity.name)
        self._enter()
        self.session.welcome(server.epochs.start, server.host.who(identity.principal), now, proof, server.http_url)
        if hello.serves:
            self._announce(hello)

    def _enter(self) -> None:
        server = self._server
        self._is_known = True
        self.patience.deadline = math.inf
        server.strangers -= 1
        server.peers[self] = None
        server.by_principal[self.identity.principal] += 1

    def _announce(self, hello: Hello) -> None:
        place, own = hello.serves[0], self.identity.principal.kind == "worker" and len(hello.serves) == 1
        if not own or not self.identity.covers(place):  # a worker speaks for the session that it is named after
            self.session.leave(Forbidden("only a worker serves, and only the one session that its token names"))
            return
        self.session.ask_back(trio.current_time())
        self.serving.push()  # the welcome comes before what is asked
        self._server.relay.enter(self, place)

    def ask(self, frames: list[bytes]) -> None:
        """For the relay: send what it asks of a worker. One that does not read is cut off, a little later."""
        self._server.traffic.sent += len(frames)
        self._connection.send_frames(frames)
        if self._connection.unwritten > self._server.limits.unasked:
            trio.lowlevel.current_trio_token().run_sync_soon(self._cut_off, idempotent=True)

    def _cut_off(self) -> None:
        self.leave(LinkLimitExceeded("bytes that wait for one worker", self._server.limits.unasked))

    def _resolve(self, get: Get) -> Offered:
        server, principal = self._server, self.identity.principal
        if server.is_draining:
            raise GoingAway()
        interface = server.objects.interface(get.kind)
        input = interface.structure_input(builtins_of(get.input, "$.input"))
        place = interface.place(input)
        if not self.identity.covers(place):
            raise Forbidden(f"this token is not for {'what belongs to no session' if place is None else place}")
        if place is not None and server.relay.owns(place):
            return server.relay.get(interface, place, bytes(get.input), server.host.who(principal))
        return server.objects.get(interface, principal, input, place, bytes(get.input), self._door)

    def take_over(self, place: str) -> None:
        """Objects of a session that were this host's are a worker's now."""
        who = self._server.host.who(self.identity.principal)
        for id, held in self.serving.held():
            if isinstance(held, LocalObject) and held.place == place:
                try:
                    new = self._server.relay.get(held.interface, place, held.input, who)
                    new.keep()
                    self.serving.replace(id, new)
                except FacetError:
                    _log.warning("an object of session %s could not be taken over by its worker", place)

    def leave(self, error: FacetError, code: int = _POLICY_VIOLATION) -> None:
        """Send the peer away."""
        self.session.leave(error)
        self.serving.push()
        self._close(code)

    def _close(self, code: int = _POLICY_VIOLATION) -> None:
        self._server.relay.leave(self)  # nobody waits for what it would still say
        self._connection.send_goodbye(code)

    def end(self) -> None:
        """The connection is over."""
        server = self._server
        server.traffic.received += self.session.received
        server.traffic.sent += self.session.sent
        self.session.state = SessionState.CLOSED
        server.flusher.let_go()  # nothing that has come is left to be worked on
        self.serving.end(lost=True)
        if not self._is_known:
            server.strangers -= 1
            return
        server.relay.leave(self)
        server.peers.pop(self, None)
        server.by_principal[self.identity.principal] -= 1
        if not server.by_principal[self.identity.principal]:
            del server.by_principal[self.identity.principal]


def _check_address(bind: str, tls: ssl.SSLContext | None, insecure: bool) -> None:
    if tls is None and not insecure and not is_loopback(bind):
        raise InsecureBind(bind)


@asynccontextmanager
async def open_link_server(
    host: Host,
    authenticator: Authenticator,
    *,
    bind: str = "127.0.0.1",
    port: int = 0,
    tls: ssl.SSLContext | None = None,
    insecure: bool = False,
    origins: Collection[str] = (),
    limits: LinkLimits | None = None,
    prove: Callable[[str], str] | None = None,
    answer: Answer | None = None,
    sessions: Literal["here", "workers"] = "here",
) -> AsyncIterator[LinkServer]:
    """Serve a host's objects over websockets for the length of the block.

    Only types that were declared with `remote` are offered, and nothing without a token that `authenticator` takes.
    `bind` and `port` (0: any free one): where to listen. An address that other machines can reach needs `tls`, or
    raises `InsecureBind` unless `insecure` forces it. `origins`: pages of which others may connect, besides those of
    the same origin; programs send no origin. `prove`: makes the proof of this server's identity that workers want.
    `answer`: replies to plain GET and HEAD requests on the same port. `sessions`: where those live that no worker has
    dialled in for: `"here"`, until one does, or with `"workers"`, and then they are `Unavailable` until one does.
    Leaving the block tells every client to come back, and closes the connections; see `LinkServer.drain` for an end
    that waits for what is open.
    """
    _check_address(bind, tls, insecure)
    async with open_serving_nursery() as nursery:
        server = LinkServer(host, authenticator, limits or LinkLimits(), prove, sessions, origins, answer)
        nursery.start_soon(server.relay.run)
        nursery.start_soon(server.flusher.run)
        nursery.start_soon(server.recheck)
        listen = partial(_listen, server, bind, port, tls)
        async with open_listening(nursery, listen) as running:
            server.address = running.listeners[0].socket.getsockname()[:2]
            shown = f"[{server.address[0]}]" if ":" in server.address[0] else server.address[0]
            server.url = f"{'ws' if tls is None else 'wss'}://{shown}:{server.address[1]}"
            try:
                yield server
            finally:
                with trio.move_on_after(3.0, shield=True):
                    server.close()
                    await running.aclose(code=_GOING_AWAY)


async def _listen(
    server: LinkServer, bind: str, port: int, tls: ssl.SSLContext | None, task_status: trio.TaskStatus[Server]
) -> None:
    await serve(
        server.handle,
        port,
        host=bind,
        ssl=tls,
        subprotocols=[Subprotocol(SUBPROTOCOL)],
        compression=None,
        max_size=server.limits.frame,
        process_request=server.door.refuse,
        open_timeout=server.limits.greeting,
        close_timeout=2.0,
        logger=wire_log,
        create_connection=ServerSocket,
        server_header=None,
        task_status=task_status,
    )
