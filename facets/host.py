"""The host: runs facets in a nursery, serves their objects, and can be drained, fenced and reloaded."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from types import ModuleType
from typing import Any, Protocol

import attrs
import trio

from .calls import in_call
from .context import Ctx
from .errors import Busy, InvalidFacet, InvalidPrincipal
from .facet import Facet
from .keyed import KeyedReadable
from .nursery import open_serving_nursery
from .objects import Objects
from .principal import Principal, Who
from .readable import Readable, derive
from .references import ObjectKey, Reference
from .reloading import current_modules, fresh_modules, install_modules, redeclared
from .running import RunningFacet
from .waiting import Waiting, WaitingWork

__all__ = ["Host", "open_host", "present"]

_REMEMBERED_NAMES = 10_000


class Host:
    """A running host. Made by `open_host`, usable until that block ends, from its own thread."""

    def __init__(
        self,
        nursery: trio.Nursery,
        names: Mapping[Principal, str],
        reference_linger: float,
        clock: Callable[[], float],
        principal: Principal,
    ) -> None:
        self.principal = principal
        """The host's own identity, a `server`."""
        self.now = clock
        """The one wall clock: epoch seconds."""
        self.waiting = WaitingWork()
        """A readable of everything that stands still: who waits for whom, since when, and who was shown it."""
        self._names = names
        self._known: dict[Principal, Who] = {}
        self._introduced: dict[Principal, str] = {}
        self._nursery = nursery
        self._objects = Objects(nursery, reference_linger)
        self._running: dict[str, RunningFacet] = {}
        self._reloading = trio.Lock()

    @asynccontextmanager
    async def root(self, principal: Principal | None = None) -> AsyncIterator[Ctx]:
        """A call scope: of the host itself, or of `principal` for trusted code that acts for somebody.

        The outermost one is a call with an id of its own (`current_call`), which scopes within it and tasks started in
        it share. Raises `InvalidPrincipal` for what is none.
        """
        if not isinstance(principal, Principal | None):
            raise InvalidPrincipal([f"$.principal: a Principal, such as Principal.user('ana'), not {_kind(principal)}"])
        ctx = Ctx(self, self.principal if principal is None else principal)
        with in_call():
            try:
                yield ctx
            finally:
                ctx.end()

    def who(self, principal: Principal) -> Who:
        """A principal with the name that this host shows for it: the id, if it was given none."""
        who = self._known.get(principal)
        if who is None:
            if len(self._known) >= _REMEMBERED_NAMES:
                self._known.clear()
            name = self._names.get(principal) or self._introduced.get(principal) or principal.id
            who = self._known[principal] = Who(principal, name)
        return who

    def introduce(self, principal: Principal, name: str) -> None:
        """Show a principal by this name from now on, unless `open_host(names=...)` has another one for it.

        The last 10,000 are remembered. Only trusted code may say so: a name that a signed token vouches for is one.
        Raises `InvalidPrincipal` for a name that could not be an id: it is shown in the place of one.
        """
        _check_name(name)
        self._introduced.pop(principal, None)
        self._introduced[principal] = name
        self._known.pop(principal, None)
        if len(self._introduced) > _REMEMBERED_NAMES:
            oldest = next(iter(self._introduced))
            del self._introduced[oldest]
            self._known.pop(oldest, None)

    def hold(self, ctx: Ctx, key: ObjectKey) -> object:
        """For call scopes: the object at `key`, held by `ctx`."""
        return self._objects.hold(ctx, key)

    def release(self, ctx: Ctx, key: ObjectKey, lost: bool) -> None:
        """For call scopes: `ctx` holds the object at `key` no more."""
        self._objects.release(ctx, key, lost)

    def references(self, kind: type[Any], input: Hashable = None) -> KeyedReadable[ObjectKey, Reference]:
        """A readable of who holds objects of a type, or of a type and an input, now or lingering."""
        references = self._objects.references
        return references.of(kind) if input is None else references.of_input(kind, input)

    def served(self) -> tuple[type[Any], ...]:
        """The types that the facets of this host serve."""
        return self._objects.served()

    async def reload(self, facet: Facet) -> None:
        """Import a facet's logic again and go on with it; what is pending stays, and no waiter notices.

        Takes a declaration that runs or has run (its logic modules are re-imported, and itself if it is declared in
        one) or a new one of the same name. Settings that are not given stay as they are. Resources with another
        version are replaced or reopened. Raises `ReloadFailed` if the new code cannot be imported, `InvalidFacet`
        for a facet that does not run; the old code then goes on serving. What goes wrong while closing old resources
        is raised in a group once the new code serves. Cancellation before resources are replaced changes nothing.
        """
        async with self._reloading:
            running = self._running.get(facet.name)
            if running is None:
                raise InvalidFacet(facet.name, ["$.name: no facet of this name runs here"])
            new, modules = _read_again(running, facet)
            await running.replace_resources(new)
            install_modules(modules)
            running.adopt(new, {name: modules[name] for name in new.logic})
            self._serve(running)
            if errors := await running.close_retired():
                raise ExceptionGroup(f"facet {facet.name!r} runs its new code; closing the old failed", errors)

    async def start(self, facet: Facet) -> None:
        """Run one more facet: import its logic, open its resources, serve its types."""
        if facet.name in self._running:
            raise InvalidFacet(facet.name, ["$.name: a facet of this name runs already"])
        running = RunningFacet(self, self._nursery, facet, current_modules(facet.logic))
        self._running[facet.name] = running
        await running.open_resources()
        self._serve(running)

    def _serve(self, running: RunningFacet) -> None:
        for served in running.facet.serves:
            self._objects.serve(served, running)

    async def close(self) -> list[Exception]:
        """Close every resource, the last opened first, and return what went wrong."""
        errors: list[Exception] = []
        for running in reversed(self._running.values()):
            errors += await running.close_resources()
        return errors

    async def drain(self, timeout: float) -> tuple[Waiting, ...]:
        """Wait up to `timeout` seconds until nothing stands still here; returns what still does (empty: drained).

        Stops nothing and changes nothing; new work may begin meanwhile and is waited for as well.
        """
        return await self._until_clear(lambda waiting: True, timeout)

    async def fence(self, scope: Hashable, timeout: float, force: bool = False) -> None:
        """Stop new asks in a scope, and wait up to `timeout` seconds for those that are open.

        When the time is over it raises `Busy` with their ids and the scope takes asks again; with `force` they are
        closed instead (`StoreClosed`). After success the scope stays fenced until `unfence`. A cancellation lifts
        the fence as well.
        """
        fenced = False
        try:
            for resource in self._offering("fence"):
                resource.fence(scope)
            left = await self._until_clear(lambda waiting: waiting.scope == scope, timeout)
            if left and not force:
                raise Busy(tuple(waiting.id for waiting in left))
            if left:
                for resource in self._offering("close_scope"):
                    resource.close_scope(scope)
            fenced = True
        finally:
            if not fenced:
                self.unfence(scope)

    def unfence(self, scope: Hashable) -> None:
        """Let a fenced scope take asks again."""
        for resource in self._offering("unfence"):
            resource.unfence(scope)

    def wind_down(self) -> None:
        """Take no new asks anywhere from now on (`Unavailable`); what is open goes on. For a host that is to stop."""
        for resource in self._offering("wind_down"):
            resource.wind_down()

    async def _until_clear(self, concerns: Callable[[Waiting], bool], timeout: float) -> tuple[Waiting, ...]:
        left: tuple[Waiting, ...] = ()
        with trio.move_on_after(timeout):
            async for waiting in self.waiting.changes():
                left = tuple(filter(concerns, waiting.values()))
                if not left:
                    return ()
        return tuple(filter(concerns, self.waiting.value.values()))

    def _offering(self, method: str) -> Iterator[Any]:
        for running in self._running.values():
            for value in running.values():
                if hasattr(value, method):
                    yield value

    def check(self) -> dict[str, int]:
        """What the resources say must never be, each figure with the facet's name; every one of them reads 0."""
        return self._told("check")

    def figures(self) -> dict[str, Any]:
        """How the resources stand, each figure with the facet's name: a number, or None if there is none now.

        Quick enough to be read every second, whatever is open. No names or ids in it.
        """
        return self._told("figures")

    def _told(self, method: str) -> dict[str, Any]:
        return {
            f"{running.facet.name}.{name}": figure
            for running in self._running.values()
            for value in running.values()
            if hasattr(value, method)
            for name, figure in getattr(value, method)().items()
        }

    def describe(self) -> dict[str, Any]:
        """The host's state as plain data, for people: facets, resources, objects, waits. No secrets in it."""
        return {
            "principal": str(self.principal),
            "facets": [running.describe() for running in self._running.values()],
            "objects": self._objects.references.describe(),
            "waiting": [_plain(waiting) for waiting in self.waiting.value.values()],
        }


def _read_again(running: RunningFacet, facet: Facet) -> tuple[Facet, dict[str, ModuleType]]:
    """The declaration to go on with, and its logic modules, imported again; raises with nothing changed."""
    names = running.facet.logic if running.knows(facet) else facet.logic
    modules = fresh_modules(facet.name, names)
    new = redeclared(facet, modules.values()) if running.knows(facet) else facet
    if not modules.keys() >= set(new.logic):
        modules = fresh_modules(facet.name, new.logic)
        new = redeclared(new, modules.values())
    return new.configured(**{**running.facet.settings, **facet.settings}), modules


def _declared(facets: object) -> list[Facet]:
    given = list(facets) if isinstance(facets, Iterable) else []
    if not isinstance(facets, Iterable) or any(not isinstance(one, Facet) for one in given):
        raise InvalidFacet("?", ["$.facets: a list of facets, such as [questions_facet]"])
    return given


def _named(names: Mapping[Any, str]) -> dict[Principal, str]:
    strangers = [who for who in names if not isinstance(who, Principal)]
    if strangers:  # their names would never be shown
        raise InvalidPrincipal([f"$.names: its keys are Principals, not {_kind(who)}" for who in strangers])
    for name in filter(None, names.values()):  # an empty one is none
        _check_name(name)
    return dict(names)


def _check_name(name: object) -> None:
    """A name has the bounds of an id, also because links carry both."""
    try:
        Principal.user(name)  # type: ignore[arg-type]  # it checks
    except InvalidPrincipal as error:
        raise InvalidPrincipal([fault.replace("$.id", "$.name") for fault in error.faults]) from None


def _kind(value: object) -> str:
    return type(value).__name__


def _plain(waiting: Waiting) -> dict[str, Any]:
    return {
        **attrs.asdict(waiting, recurse=False),
        "scope": str(waiting.scope),
        "asker": str(waiting.asker.principal),
        "waiting_for": [str(who.principal) for who in waiting.waiting_for],
        "shown_to": [str(who.principal) for who in waiting.shown_to],
    }


@asynccontextmanager
async def open_host(
    facets: Sequence[Facet],
    names: Mapping[Principal, str] | None = None,
    reference_linger: float = 30.0,
    *,
    clock: Callable[[], float] = time.time,
    principal: Principal | None = None,
) -> AsyncIterator[Host]:
    """Run a host with these facets for the length of the block.

    `names`: what to show for principals, with the bounds of ids, else `InvalidPrincipal`; one that is missing is shown
    by its id. `reference_linger`: seconds for
    which objects outlive a dropped link. `clock`: epoch seconds. `principal`: the host's own identity.

    Leaving the block never waits for answers: resources are closed in reverse order, open asks get `StoreClosed`.
    What the block raises comes out as it is; if closing fails as well, everything comes out in one group.
    """
    own = principal if principal is not None else Principal.server("host")
    errors: list[BaseException] = []
    closing: list[Exception] = []
    try:
        async with open_serving_nursery() as nursery:
            host = Host(nursery, _named(names or {}), reference_linger, clock, own)
            try:
                for facet in _declared(facets):
                    await host.start(facet)
                yield host
            finally:
                with trio.CancelScope(shield=True):
                    closing = await host.close()
    except BaseException as error:
        errors.append(error)
    errors += closing
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise BaseExceptionGroup("the host was closed with errors", errors)


class Referring(Protocol):
    """What can say who holds what: a host, a call scope, a facet's environment."""

    def references(self, kind: type[Any], input: Hashable = None) -> KeyedReadable[ObjectKey, Reference]:
        """Who holds objects of a type and an input."""


def present(
    host: Referring,
    kind: type[Any],
    input: Hashable,
    kinds: Sequence[str] = ("user", "guest"),
) -> Readable[tuple[Principal, ...]]:
    """Everyone who holds an object of a type and an input now: "everyone present" in a scope.

    Only principals of these `kinds`, and nobody whose link has dropped. Use it as a live audience.
    """
    wanted = frozenset(kinds)

    def principals(references: Mapping[ObjectKey, Reference]) -> tuple[Principal, ...]:
        held = [reference for reference in references.values() if not reference.lingering]
        return tuple(reference.principal for reference in held if reference.principal.kind in wanted)

    return derive([host.references(kind, input)], principals)
