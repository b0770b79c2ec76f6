"""What of an object is offered over a link: nothing but what its type declares, with the type hints that it has."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any

import attrs
from cattrs import Converter
from msgspec import Raw

from facets.errors import InvalidCall, InvalidFacet
from facets.keyed import KeyedReadable
from facets.readable import Readable

from .conversion import faults_of, is_known, make_converter

if TYPE_CHECKING:
    from facets.context import Ctx

__all__ = [
    "Again",
    "Arrival",
    "Face",
    "Interface",
    "Method",
    "Parameter",
    "Reader",
    "Watchable",
    "also_known_as",
    "face",
    "interface_of",
    "remote",
]

_ATTRIBUTE = "__facets_interface__"
_LONGEST_NAME = 200
_NOWHERE: Callable[[Any], str | None] = lambda _: None  # noqa: E731


Again = Callable[[Mapping[str, Any], float], "Mapping[str, Any] | None"]
"""(arguments as on the wire, the other side's clock at the first try) -> those of another try; None: no other one."""

Reader = Callable[[Any, "Arrival"], Any]
"""Makes a value of what a frame carries, where the type alone does not say how."""


@attrs.frozen
class Arrival:
    """When a value has come, on both sides' clocks; for values that hold times."""

    sent: float
    """The sender's wall clock, epoch seconds."""
    at: float
    """The same moment on a clock of this process, seconds."""
    clock: Callable[[], float]
    """That clock."""


@attrs.frozen
class Parameter:
    """One argument of a method."""

    name: str
    hint: Any
    required: bool


@attrs.frozen
class Method:
    """A method that may be called. A plain `def` is answered at once; an `async def` runs in a task of its own."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: Any
    signature: inspect.Signature
    """How a client may pass the arguments."""
    positional: int
    """How many of them may be passed without their names."""
    again: Again | None = None
    """How it is called once more by itself after a lost link; None: that is the caller's to decide."""

    def bound(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments of a call by name. Raises `TypeError` for those that the method does not take."""
        if len(args) <= self.positional:
            found = {parameter.name: value for parameter, value in zip(self.parameters, args, strict=False)}
            found.update(named)
            if len(found) == len(args) + len(named) and self._fits(found):
                return found
        return self.signature.bind(*args, **named).arguments  # says what is wrong

    def _fits(self, found: Mapping[str, Any]) -> bool:
        taken = sum(1 for parameter in self.parameters if parameter.name in found)
        return taken == len(found) and all(one.name in found for one in self.parameters if one.required)

    def arguments(self, given: object, converter: Converter) -> dict[str, Any]:
        """The arguments of a call, structured by their hints. Raises `InvalidCall` with every fault."""
        if not isinstance(given, dict):
            raise InvalidCall([f"$.args: an object with the arguments of {self.name} by name"])
        known = {parameter.name for parameter in self.parameters}
        faults = [f"$.args.{str(name)[:50]}: {self.name} takes no such argument" for name in given if name not in known]
        found: dict[str, Any] = {}
        for parameter in self.parameters:
            if parameter.name in given:
                try:
                    found[parameter.name] = converter.structure(given[parameter.name], parameter.hint)
                except Exception as error:
                    faults += faults_of(error, f"$.args.{parameter.name}")
            elif parameter.required:
                faults.append(f"$.args.{parameter.name}: is missing")
        if faults:
            raise InvalidCall(faults)
        return found


@attrs.frozen
class Watchable:
    """A readable that may be watched."""

    name: str
    keyed: bool
    """Whether it is a `KeyedReadable`, whose keys are texts, and which is followed by its differences."""
    value: Any
    """The type of the value, or of the values of a keyed one."""
    order: Callable[[Any], Any] | None = None
    """In which order the values of a keyed one are shown; None: as they come."""
    shape: Callable[[Mapping[str, Any]], Any] | None = None
    """What clients make of the mapping of a keyed one; None: it is shown as it is."""


@attrs.frozen
class Face:
    """What one class of served objects offers."""

    name: str
    kind: type[Any]
    """The served objects that have it."""
    methods: Mapping[str, Method]
    readables: Mapping[str, Watchable]
    wrap: Callable[[Any, Ctx], Any] | None
    """Makes what is offered in an object's place, with the call scope that holds it; None: the object itself."""
    mixin: type[Any] | None = None
    """What remote objects of this face can do besides, worked out on the client's side; on an event loop."""
    blocking: type[Any] | None = None
    """The same in plain scripts."""


@attrs.frozen
class Interface:
    """The declaration of a served type: its name on the wire, its input, and its faces."""

    name: str
    kind: type[Any]
    input: Any
    faces: tuple[Face, ...]
    place: Callable[[Any], str | None]
    """The session that an object with this input lives with, or None; see `facets.link.relay`."""
    converter: Converter
    readers: Mapping[Any, Reader]
    """For the types that `converter` alone cannot make."""
    _writers: dict[Any, Callable[[Any], Any]] = attrs.field(factory=dict, init=False, eq=False, repr=False)

    def face_of(self, thing: object) -> Face | None:
        """The face of a served object."""
        return next((face for face in self.faces if isinstance(thing, face.kind)), None)

    def face(self, name: str) -> Face:
        """The face called `name`. Raises `InvalidCall` for one that there is not."""
        for face in self.faces:
            if face.name == name:
                return face
        raise InvalidCall([f"$.face: {self.name} has none called {name[:50]!r}"])

    def watchable(self, name: str) -> Watchable:
        """The readable called `name`, of whichever face. Raises `InvalidCall` if there is none."""
        for face in self.faces:
            if name in face.readables:
                return face.readables[name]
        raise InvalidCall([f"$.readable: {self.name} has no readable {name[:50]!r}"])

    def read(self, watchable: Watchable, given: Any, arrival: Arrival) -> Any:
        """A value of a readable as it has come. Raises `InvalidCall` with every fault."""
        reader = self.readers.get(watchable.value)
        if reader is not None:
            return reader(given, arrival)
        try:
            return self.converter.structure(given, watchable.value)
        except Exception as error:
            raise InvalidCall(list(faults_of(error))) from None

    def to_wire(self, hint: Any) -> Callable[[Any], Any]:
        """Makes what a frame carries of values of a type; what is encoded already stays as it is."""
        found = self._writers.get(hint)
        if found is None:
            unstructure = self.converter.unstructure
            found = self._writers[hint] = lambda value: (
                value if type(value) is Raw else unstructure(value, unstructure_as=hint)
            )
        return found

    def structure_input(self, given: object) -> Any:
        """The input of a `get`. Raises `InvalidCall` with every fault, and for one that names no object."""
        try:
            found = self.converter.structure(given, self.input)
            hash(found)  # objects are kept by their inputs
        except Exception as error:
            raise InvalidCall(list(faults_of(error, "$.input"))) from None
        return found


def interface_of(kind: type[Any]) -> Interface | None:
    """What a type offers over links, if it was declared with `remote`."""
    found = kind.__dict__.get(_ATTRIBUTE)
    return found if isinstance(found, Interface) else None


def remote(
    name: str,
    kind: type[Any],
    *,
    input: Any = NoneType,
    methods: Sequence[str] = (),
    readables: Sequence[str] = (),
    faces: Sequence[Face] = (),
    place: Callable[[Any], str | None] = _NOWHERE,
    converter: Converter | None = None,
    readers: Mapping[Any, Reader] | None = None,
) -> Interface:
    """Declare what of a served type is offered over links: these methods and readables, and nothing else of it.

    `name` is the type's name on the wire. Arguments, results, values and `input` go by the type hints of the class:
    methods are annotated in full, readables as `Readable[T]` or `KeyedReadable[str, T]`. With `faces` (see `face`)
    different principals get different objects. `place` says which session an input belongs to. Raises `InvalidFacet`.
    """
    faults = [] if 1 <= len(name) <= _LONGEST_NAME else [f"$.name: 1 to {_LONGEST_NAME} code points"]
    if faces and (methods or readables):
        faults.append("$.faces: declare methods and readables in the faces, or without any")
    offered = tuple(faces)
    if not offered:
        try:
            offered = (face("object", kind, methods=methods, readables=readables),)
        except InvalidFacet as error:
            faults += error.faults
    made = Interface(name, kind, input, offered, place, converter or make_converter(), readers or {})
    if faults := faults + _interface_faults(made):
        raise InvalidFacet(name, faults)
    setattr(kind, _ATTRIBUTE, made)
    return made


def _interface_faults(made: Interface) -> list[str]:
    names = [face.name for face in made.faces]
    faults = [f"$.faces: two are called {twice!r}" for twice in sorted({n for n in names if names.count(n) > 1})]
    hints = [("$.input", made.input)]
    for face in made.faces:
        for method in face.methods.values():
            hints += [(f"$.methods.{method.name}.{one.name}", one.hint) for one in method.parameters]
            hints.append((f"$.methods.{method.name}", method.returns))
        hints += [(f"$.readables.{one.name}", one.value) for one in face.readables.values()]
    known = [*made.readers]
    return faults + [
        f"{path}: nothing says how to make {hint} of JSON; give a converter with a hook for it"
        for path, hint in hints
        if hint not in known and not is_known(made.converter, hint)
    ]


def also_known_as(interface: Interface, kind: type[Any]) -> None:
    """Have clients get the same objects by another class, which says for type checkers how else they are used."""
    setattr(kind, _ATTRIBUTE, interface)


def face(
    name: str,
    kind: type[Any],
    *,
    methods: Sequence[str] = (),
    readables: Sequence[str] = (),
    wrap: Callable[[Any, Ctx], Any] | None = None,
    hints: type[Any] | None = None,
    again: Mapping[str, Again] | None = None,
    order: Mapping[str, Callable[[Any], Any]] | None = None,
    shape: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None,
    mixin: type[Any] | None = None,
    blocking: type[Any] | None = None,
) -> Face:
    """Declare one face: served objects of class `kind`, or what `wrap` makes of them, whose class is then `hints`.

    `again`: for methods that a client calls again by itself after a lost link. `order`: for keyed readables.
    `shape`: what clients make of the mapping of one, such as a tuple of its values.
    `mixin`, `blocking`: what remote objects have besides, on event loops and in plain scripts; subclasses of
    `facets.link.remote_object.AnyObject`.
    """
    declared = hints or kind
    faults: list[str] = []
    found = filter(None, [_method(declared, one, faults) for one in methods])
    watchables = filter(None, [_watchable(declared, one, faults) for one in readables])
    faults += [] if name else ["$.name: must not be empty"]
    faults += [f"$.again.{one}: is not among the methods" for one in again or () if one not in methods]
    faults += [f"$.order.{one}: is not among the readables" for one in order or () if one not in readables]
    faults += [f"$.shape.{one}: is not among the readables" for one in shape or () if one not in readables]
    if faults:
        raise InvalidFacet(name, faults)
    repeated = [attrs.evolve(one, again=(again or {}).get(one.name)) for one in found]
    ordered = [
        attrs.evolve(one, order=(order or {}).get(one.name), shape=(shape or {}).get(one.name)) for one in watchables
    ]
    return Face(name, kind, _by_name(repeated), _by_name(ordered), wrap, mixin, blocking)


def _by_name(found: Iterable[Any]) -> dict[str, Any]:
    return {one.name: one for one in found}


def _method(declared: type[Any], name: str, faults: list[str]) -> Method | None:
    function = inspect.getattr_static(declared, name, None)
    if not inspect.isfunction(function):
        faults.append(f"$.methods.{name}: {declared.__name__} has no such method")
        return None
    hints = _hints_of(function)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    found = list(_method_faults(f"$.methods.{name}", function, parameters, hints))
    faults += found
    if found:
        return None
    taken = [Parameter(one.name, hints[one.name], one.default is inspect.Parameter.empty) for one in parameters]
    positional = sum(1 for one in parameters if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return Method(name, tuple(taken), hints["return"], inspect.Signature(parameters), positional)


def _method_faults(path: str, function: Any, parameters: list[inspect.Parameter], hints: Any) -> Iterator[str]:
    for one in parameters:
        if one.name not in hints:
            yield f"{path}.{one.name}: needs a type hint that can be resolved"
        if one.kind not in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY):
            yield f"{path}.{one.name}: must be one argument that can be given by its name"
    if "return" not in hints:
        yield f"{path}: needs the type hint of what it returns, and one that can be resolved"
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        yield f"{path}: must return one result, and is a generator; offer a readable instead"


def _hints_of(declared: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(declared)
    except (NameError, TypeError, AttributeError):  # a name that is there for type checkers only, or nowhere
        return {}


def _watchable(declared: type[Any], name: str, faults: list[str]) -> Watchable | None:
    hint = _hint_of_attribute(declared, name)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(origin, type) and issubclass(origin, KeyedReadable) and len(args) == 2 and args[0] is str:
        return Watchable(name, True, args[1])
    if isinstance(origin, type) and issubclass(origin, Readable) and len(args) == 1:
        return Watchable(name, False, args[0])
    faults.append(f"$.readables.{name}: needs the type hint Readable[T] or KeyedReadable[str, T]")
    return None


def _hint_of_attribute(declared: type[Any], name: str) -> Any:
    found = inspect.getattr_static(declared, name, None)
    if isinstance(found, property) and found.fget is not None:
        return _hints_of(found.fget).get("return")
    return _hints_of(declared).get(name)
