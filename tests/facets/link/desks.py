"""A type of a user's own with every kind of method and readable, and one peer that uses it, all in this process."""

from contextlib import asynccontextmanager
from typing import Any

import attrs
import trio
from trio.testing import wait_all_tasks_blocked

from facets import Cell, Forbidden, KeyedCell, KeyedReadable, Principal, Readable, derive, facet, open_host, serve
from facets.link.epochs import Epochs
from facets.link.interface import face, remote
from facets.link.limits import LinkLimits
from facets.link.offered import HostObjects, builtins_of
from facets.link.serving import Flusher, Serving
from facets.link.session import ServingSession
from tests.facets.link.frames_of import frame, read

ANA, BOT, EVE = Principal.user("ana"), Principal.program("bot"), Principal.guest("eve")
SECRET = "hunter2"


@attrs.frozen
class Paper:
    title: str
    pages: int = 1


class Desk:
    """The whole desk, for users."""

    def __init__(self, input, principal):
        self.input, self.principal = input, principal
        self.is_open = True
        self.papers_on_it: KeyedCell[str, Any, Any] = KeyedCell(lambda _, raw: raw)
        self.lamp_cell: Cell[Any] = Cell("off")
        self.gate = trio.Event()
        self.ended: list[str] = []

    @property
    def lamp(self) -> Readable[str]:
        return self.lamp_cell

    @property
    def doubled(self) -> Readable[int]:
        return derive([self.lamp_cell], lambda lamp: 2 * int(lamp))

    @property
    def papers(self) -> KeyedReadable[str, Paper]:
        return self.papers_on_it

    @property
    def missing(self) -> Readable[int]:
        raise LookupError(SECRET)

    def add(self, paper: Paper, times: int = 1, note: str | None = None) -> list[Paper]:
        """Put a paper on the desk."""
        self.papers_on_it.put(paper.title, paper)
        return [paper] * times

    def forbidden(self) -> None:
        raise Forbidden("not now")

    def broken(self, word: str) -> str:
        raise ValueError("broken")

    def odd(self) -> Any:
        return self

    def large(self, size: int) -> str:
        return "x" * size

    async def wait(self, word: str) -> str:
        try:
            await self.gate.wait()
        except trio.Cancelled:
            self.ended.append(word)
            raise
        return word

    async def stubborn(self) -> str:
        with trio.CancelScope(shield=True):
            await self.gate.wait()
        return "done all the same"

    async def broken_later(self, word: str) -> str:
        await trio.lowlevel.checkpoint()
        raise ValueError("broken")

    async def odd_later(self) -> Any:
        await trio.lowlevel.checkpoint()
        return self

    async def broken_while_cancelled(self) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            nursery.start_soon(self._break_when_cancelled)

    async def _break_when_cancelled(self) -> None:
        try:
            await trio.sleep_forever()
        finally:
            raise ValueError("broken")


class Glance(Desk):
    """What programs get: less of it."""


def make_desk(_, input, principal):
    if input == "forbidden":
        raise Forbidden("nobody may have this one")
    if principal.kind == "guest":
        return object()
    return (Glance if principal.kind == "program" else Desk)(input, principal)


METHODS = [name for name in vars(Desk) if not name.startswith("_")]
METHODS = [name for name in METHODS if callable(vars(Desk)[name])]
READABLES = ["lamp", "doubled", "papers", "missing"]
DESK = remote(
    "desk",
    Desk,
    input=str | None,
    faces=[
        face("glance", Glance, methods=["large"], readables=["lamp"]),
        face("desk", Desk, methods=METHODS, readables=READABLES),
    ],
)


class Peer:
    """Whoever is at the other end: says things, and reads what has been sent. A list stands for its socket."""

    def __init__(self, host, nursery, principal, **limits):
        self.sent: list[bytes] = []
        self.is_ready = True
        self.host, self.principal = host, principal
        self.flusher = Flusher()
        self.session = ServingSession(LinkLimits(**limits), 0.0)
        self.session.open_as_dialled()
        self.epochs = Epochs()
        self.serving = Serving(
            self.session,
            self.resolve,
            self.sent.extend,
            lambda: self.is_ready,
            nursery,
            self.flusher,
            self.epochs,
            lambda: 7.0,
        )
        self._ids = 0
        nursery.start_soon(self.flusher.run)

    def resolve(self, get):
        objects = HostObjects(self.host)
        interface = objects.interface(get.kind)
        input = interface.structure_input(builtins_of(get.input, "$.input"))
        return objects.get(interface, self.principal, input, None, bytes(get.input))

    def say(self, type, **fields):
        """Say something, and read what is answered at once."""
        message = self.session.receive(frame(type, **fields), trio.current_time())
        if message is None:
            self.serving.push()
        else:
            self.serving.act(message)
        return self.read()

    def new(self, type, **fields):
        """Say something that has an id. The id, and what is answered at once."""
        self._ids += 1
        return self._ids, self.say(type, id=self._ids, **fields)

    def got(self, kind="desk", **fields):
        """The id of an object that is held."""
        id, [got] = self.new("get", kind=kind, **fields)
        assert got["type"] == "got"
        return id

    def desk(self):
        """The first object that is held, itself."""
        held: Any = self.serving.held()[0][1]
        return held._thing

    def called(self, object, method, **args):
        """The id of a call, and what it came to at once."""
        return self.new("call", object=object, method=method, args=args)

    def watching(self, object, readable, **fields):
        """The id of a watch, and what it was told at once."""
        return self.new("watch", object=object, readable=readable, **fields)

    def read(self):
        """What has been sent since the last time."""
        sent = read(self.sent)
        self.sent.clear()
        return sent

    async def later(self):
        """What has been sent once nothing happens any more."""
        await wait_all_tasks_blocked()
        return self.read()


@asynccontextmanager
async def open_peer(principal=ANA, *, release=None, linger=30.0, **limits):
    desks = facet("desks", serves=[serve(Desk, make_desk, release=release)])
    async with open_host([desks], reference_linger=linger, clock=lambda: 7.0) as host, trio.open_nursery() as nursery:
        yield Peer(host, nursery, principal, **limits)
        nursery.cancel_scope.cancel()
