"""A facet: a unit of host code that opens resources and serves objects, and can be reloaded while they live on."""

from __future__ import annotations

import operator
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from types import ModuleType
from typing import Any, Generic, Protocol, TypeVar

import attrs

from .errors import InvalidFacet
from .keyed import KeyedReadable
from .principal import Principal, Who
from .references import ObjectKey, Reference
from .waiting import WaitingWork

__all__ = ["Environment", "Facet", "Logic", "Resource", "Served", "facet", "serve"]

T = TypeVar("T")


class Logic:
    """The modules that hold a facet's logic, by the last part of their names: `logic.settlement.step(...)`.

    A reload swaps what is behind the names; who keeps the `Logic` and not what it hands out runs the new code.
    """

    def __init__(self, modules: Mapping[str, ModuleType]) -> None:
        self.swap(modules)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"this facet names no logic module {name!r}")

    def swap(self, modules: Mapping[str, ModuleType]) -> None:
        """Put other modules behind the names, all at once."""
        self.__dict__ = dict(modules)


class Environment(Protocol):
    """What a facet's code sees of its host: the clock, the names, what is held, and the facet's own resources."""

    logic: Logic
    """The facet's logic modules."""
    waiting: WaitingWork
    """Where a facet puts what its work waits for; the host shows it as `host.waiting`."""

    @property
    def config(self) -> Any:
        """What the facet was configured with."""

    def now(self) -> float:
        """The host's wall clock, epoch seconds."""

    def who(self, principal: Principal) -> Who:
        """A principal with the name that this host shows for it: the id, if it was given none."""

    def resource(self, name: str) -> Any:
        """A resource of this facet that has been opened."""

    def references(self, kind: type[Any], input: Hashable = None) -> KeyedReadable[ObjectKey, Reference]:
        """Who holds objects of a type, or of a type and an input."""


async def _nothing(_: Any) -> None:
    return None


@attrs.frozen
class Resource(Generic[T]):
    """Something that a facet opens once and keeps: a store, a connection, a file.

    `open(environment)` opens it, `close(value)` ends it. When a reload brings another `version`, `replace(old,
    environment)` makes the new value out of the old one and owns the old one from then on; without `replace` the
    old one is closed and a new one opened. A value with a `run` and a `failed` method (an `Actor`) is supervised.
    """

    name: str
    open: Callable[[Environment], Awaitable[T]]
    version: Hashable = 1
    replace: Callable[[T, Environment], Awaitable[T]] | None = None
    close: Callable[[T], Awaitable[None]] = _nothing


@attrs.frozen
class Served(Generic[T]):
    """A type that a facet serves: see `serve`."""

    kind: type[T]
    make: Callable[[Environment, Any, Principal], Any]
    release: Callable[[Any], None] | None = None
    renew: Callable[[Any], None] | None = None


def serve(
    kind: type[T],
    make: Callable[[Environment, Any, Principal], Any],
    *,
    release: Callable[[Any], None] | None = None,
    renew: Callable[[Any], None] | None = None,
) -> Served[T]:
    """Serve objects of a type, one for each input and principal.

    `make(environment, input, principal)` makes it, and raises what refuses it (`Forbidden`); `release(object)` is
    called once nobody holds it; `renew(object)` after a reload, for an object that stays. All are plain functions.
    """
    return Served(kind, make, release, renew)


@attrs.frozen
class Facet:
    """What a host runs. Made by `facet(...)`; immutable."""

    name: str
    resources: tuple[Resource[Any], ...]
    serves: tuple[Served[Any], ...]
    logic: tuple[str, ...]
    config: Any
    settings: Mapping[str, Any] = attrs.field(factory=dict)
    """What `configured` has changed; a reload carries it over to the new declaration."""

    def is_declared_as(self, other: Facet) -> bool:
        """Whether both come from one call of `facet(...)`, whatever their settings."""
        mine, theirs = (self.resources, self.serves, self.logic), (other.resources, other.serves, other.logic)
        return self.name == other.name and all(map(operator.is_, mine, theirs))

    def configured(self, **changes: Any) -> Facet:
        """The same facet with other settings. Raises `InvalidFacet` for a setting that it does not have."""
        known = {field.name for field in attrs.fields(type(self.config))} if attrs.has(type(self.config)) else set()
        if unknown := sorted(set(changes) - known):
            raise InvalidFacet(self.name, [f"$.{name}: no such setting; there are {sorted(known)}" for name in unknown])
        config = attrs.evolve(self.config, **changes) if changes else self.config
        return attrs.evolve(self, config=config, settings={**self.settings, **changes})


def facet(
    name: str,
    *,
    resources: Sequence[Resource[Any]] = (),
    serves: Sequence[Served[Any]] = (),
    logic: Sequence[str] = (),
    config: Any = None,
) -> Facet:
    """Declare a facet.

    `resources` are opened in order and closed in reverse. `logic` names the modules that `host.reload` re-imports,
    in the order of their imports: they hold functions and tables, and no data classes, so what is pending stays
    what it was. If the module that declares the facet is among them, its new declaration is taken over as well.
    `config` is an attrs instance with the settings that `configured(...)` changes. Raises `InvalidFacet`.
    """
    faults = [] if name else ["$.name: must not be empty"]
    names = [resource.name for resource in resources]
    faults += [f"$.resources: two are called {twice!r}" for twice in sorted({n for n in names if names.count(n) > 1})]
    kinds = [served.kind.__name__ for served in serves]
    faults += [f"$.serves: {twice} is served twice" for twice in sorted({k for k in kinds if kinds.count(k) > 1})]
    short = [module.rpartition(".")[2] for module in logic]
    faults += [f"$.logic: two modules end in {twice!r}" for twice in sorted({s for s in short if short.count(s) > 1})]
    if faults:
        raise InvalidFacet(name, faults)
    return Facet(name, tuple(resources), tuple(serves), tuple(logic), config)
