"""Objects of another process, whatever the program runs on: everything but waiting."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, TypeVar

from facets.errors import FacetError
from facets.principal import Principal, Who

from .following import apply_to
from .interface import Face, Interface, Method
from .items import Held
from .link import AnyLink
from .messages import Got, Received
from .mirror import KeyedMirror, ValueMirror
from .proxies import Bound, bind, reader_of
from .refusals import error_of

__all__ = ["AnyObject", "follow", "object_of"]

O = TypeVar("O", bound="AnyObject")  # noqa: E741  # an object


class AnyObject:
    """An object of another process: it has the methods and readables of its face, and nothing else.

    Readables are followed from the first time that they are asked for, until the object is released.
    """

    is_blocking: ClassVar[bool] = False
    """Whether calling a method waits for its end, rather than giving something to await."""

    def __init__(self, link: Any, interface: Interface, face: Face, held: Held, got: Got, input: Any) -> None:
        self.principal = Principal(got.principal.kind, got.principal.id)  # type: ignore[arg-type]  # it checks
        """On whose behalf it acts."""
        self.who = Who(self.principal, got.principal.name)
        self.input = input
        """What it was got for."""
        self._link = link
        self._interface = interface
        self._face = face
        self._held = held
        self._readables: dict[str, Any] = {}
        self._ahead = got.now - link.clock()
        held.owner = None

    def now(self) -> float:
        """The clock of the object's host, epoch seconds, as far as it can be told from here."""
        found: float = self._link.clock() + self._ahead
        return found

    def __getattr__(self, name: str) -> Any:
        face: Face | None = self.__dict__.get("_face")
        if face is not None and name in face.methods:
            return _Method(self, face.methods[name])
        if face is not None and name in face.readables:
            return self.readable(name)
        raise AttributeError(f"{self._interface.name if face else 'it'} offers this principal no {name!r}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._face.methods, *self._face.readables]

    def readable(self, name: str) -> Any:
        """For each kind of link to define: one of its readables, followed from now on."""
        raise NotImplementedError

    def call(self, method: Method, bound: Bound) -> Any:
        """For each kind of link to define: call one of its methods."""
        raise NotImplementedError

    def release(self) -> None:
        """Hold it no more."""
        self._link.release(self._held)

    def __repr__(self) -> str:
        return f"<{self._interface.name} {self._face.name} of {self.principal} at {self._link.url}>"


class _Method:
    __slots__ = ("_method", "_object")

    def __init__(self, object: AnyObject, method: Method) -> None:
        self._object = object
        self._method = method

    def __call__(self, *args: Any, **named: Any) -> Any:
        bound = _bound(self._object, self._method, args, named)
        del args, named  # an answer may be among them, and a plain call waits in here (Q-SEC-1)
        if isinstance(bound, Exception):
            raise bound
        return self._object.call(self._method, bound)


def _bound(object: AnyObject, method: Method, args: tuple[Any, ...], named: dict[str, Any]) -> Bound | Exception:
    """The arguments of a call in the wire's form, or what is wrong with them, without the frames that hold them."""
    try:
        return bind(object._interface, method, args, named, object.now())
    except Exception as error:
        error.__cause__ = error.__context__ = None
        return error.with_traceback(None)


def object_of(link: AnyLink, interface: Interface, kind: type[O], held: Held, message: Received, input: Any) -> O:
    """The object that a `get` has led to. `kind`: the class of such a link's objects. Raises what refused it."""
    if not isinstance(message, Got):
        raise error_of(message)  # type: ignore[arg-type]  # a get ends with either
    face = interface.face(message.face)
    mixin = face.blocking if kind.is_blocking else face.mixin
    mixed: type[O] = kind if mixin is None else _mixed((mixin, kind))
    return mixed(link, interface, face, held, message, input)


@cache
def _mixed(classes: tuple[type[Any], ...]) -> Any:
    return type(classes[0].__name__, classes, {"__doc__": classes[0].__doc__})


def follow(
    link: AnyLink, interface: Interface, face: Face, held: Held, name: str, mirror: KeyedMirror[Any] | ValueMirror
) -> None:
    """Feed a mirror with what is told of a readable.

    What cannot be read is not shown. The mirror then says so, and with the next change everything comes anew.
    """
    read = reader_of(interface, face.readables[name], link.clock)
    followed = link.session.follow(held, name)

    def told(message: Received) -> None:
        try:
            apply_to(mirror, message, read)
        except FacetError as error:
            mirror.lose(f"what has come cannot be read: {error.code}")
            followed.epoch, followed.revision = "", -1

    followed.owner = told
    link.push()
