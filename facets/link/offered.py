"""What a `get` over a link gives: an object of this host, or one of a worker's that is passed on."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Hashable, Mapping
from typing import Any, Protocol

import msgspec
import outcome
from outcome import Outcome

from facets.context import Ctx
from facets.errors import Forbidden, InvalidCall
from facets.host import Host
from facets.principal import Principal, Who
from facets.readable import Readable

from .interface import Face, Interface, Method, interface_of

__all__ = ["HostObjects", "LocalObject", "Offered", "PassedOn", "ToWire", "Told", "builtins_of", "is_waiting"]

ToWire = Callable[[Any], Any]
Told = Callable[[Outcome[Any] | None], None]


class PassedOn(ABC):
    """A call that is under way elsewhere, and needs no task here. A method may return one in place of a coroutine."""

    @abstractmethod
    def when_over(self, told: Told) -> None:
        """Have `told` called once, now or later, with the outcome; None: it was given up before it had one."""

    @abstractmethod
    def cancel(self) -> None:
        """Give it up. `told` is called all the same, and with an outcome that came first (Q-SET-2)."""


class _Written(PassedOn):
    """The same call, with its value as frames carry it."""

    def __init__(self, call: PassedOn, to_wire: ToWire) -> None:
        self._call = call
        self._to_wire = to_wire

    def when_over(self, told: Told) -> None:
        self._call.when_over(lambda ended: told(self._write(ended)))

    def _write(self, ended: Outcome[Any] | None) -> Outcome[Any] | None:
        return outcome.capture(self._to_wire, ended.value) if isinstance(ended, outcome.Value) else ended

    def cancel(self) -> None:
        self._call.cancel()


class Offered(Protocol):
    """An object that is held over a link."""

    face: str
    """Which face of it the principal has got."""
    who: Who
    """On whose behalf it acts."""

    def now(self) -> float:
        """The clock of the object's host, epoch seconds."""

    async def ready(self) -> None:
        """Return once `face` and `who` are known; raises what refuses the object."""

    def call(self, method: str, args: msgspec.Raw) -> Any:
        """Call a method: returns the result, a coroutine that does, or a `PassedOn`. Raises what refuses it."""

    def readable(self, name: str) -> tuple[Readable[Any], ToWire | None]:
        """A readable to watch, and what makes its values encodable (None: they are). Raises what refuses it."""

    def release(self, lost: bool) -> None:
        """Hold it no more; `lost`: because the link of its holder has dropped."""


def builtins_of(raw: msgspec.Raw, path: str) -> Any:
    """What a part of a frame holds. Raises `InvalidCall` for what is nested too deeply."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        raise InvalidCall([f"{path}: is not JSON that can be read"]) from None


class _Arguments:
    """The arguments of a call, which it shows to nobody: an answer may be among them (Q-SEC-1)."""

    __slots__ = ("_given",)

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given

    def to(self, function: Callable[..., Any]) -> Any:
        return function(**self._given)


class LocalObject:
    """An object of this process's host, held for a peer by a call scope of its own."""

    def __init__(
        self,
        host: Host,
        interface: Interface,
        principal: Principal,
        input: Hashable,
        place: str | None,
        given: bytes,
        door: str = "link",
    ) -> None:
        self.place = place
        """The session that it belongs to."""
        self.input = given
        """Its input as it came."""
        self._ctx = Ctx(host, principal, door)
        self._host = host
        self.interface = interface
        self.who = host.who(principal)
        self._face: Face
        try:
            self._thing = self._offer(self._ctx.get_nowait(interface.kind, input))
        except Exception:
            self._ctx.end()
            raise
        self.face = self._face.name

    def _offer(self, thing: object) -> Any:
        face = self.interface.face_of(thing)
        if face is None:
            raise Forbidden(f"{self.interface.name} is not offered over links to {self.who.principal}")
        self._face = face
        return thing if face.wrap is None else face.wrap(thing, self._ctx)

    def now(self) -> float:
        """The host's clock."""
        return self._host.now()

    async def ready(self) -> None:
        """It is, from the beginning."""

    def call(self, method: str, args: msgspec.Raw) -> Any:
        """Call a declared method with structured arguments."""
        declared = self._method(method)
        arguments = _Arguments(declared.arguments(builtins_of(args, "$.args"), self.interface.converter))
        result = arguments.to(getattr(self._thing, method))
        to_wire = self.interface.to_wire(declared.returns)
        if isinstance(result, PassedOn):
            return _Written(result, to_wire)
        return _awaited(result, to_wire) if is_waiting(result) else to_wire(result)

    def _method(self, name: str) -> Method:
        found = self._face.methods.get(name)
        if found is None:
            if any(name in face.methods for face in self.interface.faces):  # Q-AUTH-1: a viewer has no `ask`
                raise Forbidden(f"{self.who.principal} may not call {name}")
            raise InvalidCall([f"$.method: {self.interface.name} has no method {name[:50]!r}"])
        return found

    def readable(self, name: str) -> tuple[Readable[Any], ToWire | None]:
        """A declared readable."""
        watchable = self.interface.watchable(name)
        if name not in self._face.readables:
            raise Forbidden(f"{self.who.principal} may not watch {name}")
        return getattr(self._thing, name), self.interface.to_wire(watchable.value)

    def release(self, lost: bool) -> None:
        """End the call scope."""
        if lost:
            self._ctx.lose()
        else:
            self._ctx.end()


async def _awaited(work: Coroutine[Any, Any, Any], to_wire: ToWire) -> Any:
    return to_wire(await work)


class HostObjects:
    """The objects of a host that it offers over links: those whose types were declared with `remote`."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def interface(self, name: str) -> Interface:
        """The declaration of the type called `name` on the wire. Raises `InvalidCall` if none is offered here."""
        for kind in reversed(self._host.served()):  # a type that a reload has declared again comes after the old one
            found = interface_of(kind)
            if found is not None and found.name == name:
                return found
        raise InvalidCall([f"$.kind: nothing called {name[:50]!r} is offered here"])

    def get(
        self,
        interface: Interface,
        principal: Principal,
        input: Hashable,
        place: str | None,
        given: bytes,
        door: str = "link",
    ) -> LocalObject:
        """Hold an object for a principal. `given`: its input as it came; `door`: as for `Ctx`. Raises what refuses."""
        return LocalObject(self._host, interface, principal, input, place, given, door)


def is_waiting(result: Any) -> bool:
    """Whether a call has returned a coroutine, which is still to be run."""
    return inspect.iscoroutine(result)
