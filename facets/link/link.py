"""What the links of all clients have in common, whatever they run on: everything but waiting."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Hashable
from typing import Any, Protocol

import msgspec

from facets.errors import LinkLost, Unauthenticated, Unserved
from facets.principal import Principal
from facets.readable import Cell

from . import messages
from .backoff import Backoff
from .calling import CallingSession
from .interface import Interface, interface_of
from .items import CallingState, Event, Held
from .refusals import error_of

__all__ = ["PATIENCE", "AnyLink", "Token", "Wire"]

PATIENCE = 5.0
"""Seconds for which a call that was given up waits to hear whether its result had come first."""

Token = str | Callable[[], str]
"""A token, or what gives a fresh one at each connection."""

_STEADY = 5.0  # seconds that a connection has lasted when the next pause is a short one again
_PROTOCOL_ERROR = 1002
_log = logging.getLogger("facets.link")


class Wire(Protocol):
    """A connection, as far as a link writes to it. Neither method waits."""

    def send_frames(self, frames: list[bytes]) -> None:
        """Write text messages."""

    def send_goodbye(self, code: int) -> None:
        """Begin to close."""


class AnyLink:
    """The way to the objects of another process. Made by an `open_link`, usable until that block ends.

    Its methods here belong to whatever task or thread keeps the connection; they neither wait nor lock.
    """

    def __init__(self, url: str, token: Token, clock: Callable[[], float], state: Cell[str]) -> None:
        self.url = url
        self.http_url = ""
        """Where the server's HTTP port is, once it has said so; empty: it has none."""
        self.principal: Principal
        """Who the server says that this is."""
        self._state = state
        self.session = CallingSession(url, random.random)
        """For objects: what is held, called and followed."""
        self.clock = clock
        """For objects: seconds, of this process."""
        self._token = token if callable(token) else lambda: token
        self._has_fresh_tokens = callable(token)
        self._was_welcomed = False
        self._wire: Wire | None = None
        self._failure: Exception | None = None
        self._backoff = Backoff(random.random)
        self._open_since = 0.0

    # --- asking ---------------------------------------------------------------------------------------------------

    def wanted(self, kind: type[Any], input: Hashable) -> tuple[Interface, bytes]:
        """What to ask the server for. Raises `Unserved` for a type that was not declared with `remote`."""
        interface = interface_of(kind)
        if interface is None:
            raise Unserved(kind.__name__)
        given = interface.converter.unstructure(input, unstructure_as=interface.input)
        return interface, messages.encode_value(given)

    def release(self, held: Held) -> None:
        """For objects: hold it no more."""
        self.session.release(held)
        self.push()

    # --- the connection -------------------------------------------------------------------------------------------

    def push(self) -> None:
        """For objects: send what there is to say."""
        if self.session.out and self._wire is not None:
            self._wire.send_frames(self.session.take_out())
        self.rearm(self.session.due())

    def rearm(self, due: float) -> None:
        """For each kind of link to define: call `tick` when the clock says `due`."""
        raise NotImplementedError

    def opened(self, wire: Wire) -> None:
        """There is a connection: say who this is."""
        try:
            hello = messages.Hello(self._token())
        except Exception as error:
            self._no_token(error)
            wire.send_goodbye(1000)
            return
        self._wire, self._was_welcomed = wire, False
        self.session.dialled(hello, self.clock())
        self.push()

    def _no_token(self, error: Exception) -> None:
        self._failure = error
        if self._state.value == "connecting":  # it is for who opens the link to repair
            self.session.state = CallingState.REFUSED
        else:
            _log.warning("no token for %s: %s; it is tried again", self.url, type(error).__name__)

    def receive(self, frame: bytes) -> None:
        """Take a frame. One that is no message, or not what it should be, is left out and logged, without its text."""
        try:
            message = messages.decode(frame)
        except msgspec.DecodeError:
            _log.warning("%s has sent what is no message; it is left out", self.url)
            return
        try:
            self._tell(self.session.receive(message, self.clock()))
        except Exception as error:
            _log.warning("%s has sent what cannot be read: %s", self.url, type(error).__name__)
            self._close(_PROTOCOL_ERROR)
        self.push()

    def _tell(self, events: list[Event]) -> None:
        for item, message in events:
            if item is not None:
                if item.owner is not None:
                    item.owner(message)
            elif isinstance(message, messages.Welcome):
                self._welcome(message)
            elif isinstance(message, messages.Goodbye):
                self._sent_away(message)
            elif isinstance(message, messages.Pong):
                self._close(1000)

    def _welcome(self, welcome: messages.Welcome) -> None:
        self.principal = Principal(welcome.principal.kind, welcome.principal.id)  # type: ignore[arg-type]  # it checks
        self.http_url = welcome.http
        self._open_since, self._was_welcomed = self.clock(), True
        self._state.set("connected")

    def _sent_away(self, goodbye: messages.Goodbye) -> None:
        if goodbye.code == Unauthenticated.code and self._was_welcomed and self._has_fresh_tokens:
            self.session.state = CallingState.AWAY  # it was good, and has expired; the next one may be good
        self._close(1000)

    def _close(self, code: int) -> None:
        if self._wire is not None:
            self._wire.send_goodbye(code)

    def tick(self) -> None:
        """Send what is due."""
        self._tell(self.session.tick(self.clock()))
        self.push()

    def lost(self, error: Exception | None) -> float | None:
        """There is no connection now, for what reason. Returns after how many seconds to dial again; None: never."""
        if error is not None:
            self._failure = error
            _log.info("no connection to %s now: %s: %s", self.url, type(error).__name__, error)
        elif self.session.goodbye is not None:
            self._failure = error_of(self.session.goodbye)
        if self.session.state is CallingState.OPEN and self.clock() - self._open_since >= _STEADY:
            self._backoff.reset()
        self._wire = None
        self._tell(self.session.lost())
        self.rearm(float("inf"))
        if self.session.state is CallingState.REFUSED:
            self._state.set("refused")
            return None
        if self._state.value != "connecting":
            self._state.set("lost")
        return self._backoff.pause()

    def ended(self) -> None:
        """The block of the link has ended: nothing is held, and calls that still wait raise `LinkLost`."""
        self.session.state = CallingState.REFUSED
        self._wire = None
        self._tell(self.session.lost())
        self.rearm(float("inf"))
        self._state.set("closed")

    def check_greeted(self) -> None:
        """Raise `Unauthenticated`, or what else has kept the server from taking the token."""
        if self.session.state is CallingState.REFUSED:
            raise self._failure or Unauthenticated()

    @property
    def is_over(self) -> bool:
        """Whether it has ended for good: the token was refused, or its block has ended."""
        return self.session.state is CallingState.REFUSED

    def failure(self) -> Exception:
        """Why there is no connection, as far as is known."""
        return self._failure or LinkLost(self.url)

    def __repr__(self) -> str:
        return f"<link to {self.url}: {self._state.value}>"
