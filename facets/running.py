"""A facet that runs: its opened resources, its logic, and the tasks that look after them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

import attrs
import trio

from .actor import Actor, supervise
from .facet import Facet, Logic, Resource
from .keyed import KeyedReadable
from .references import ObjectKey, Reference

if TYPE_CHECKING:
    from .host import Host

__all__ = ["RunningFacet"]


@attrs.define
class _Opened:
    resource: Resource[Any]
    value: Any
    care: trio.CancelScope


class RunningFacet:
    """One facet of one host; the `Environment` that its code sees. Lives until the host closes."""

    def __init__(self, host: Host, nursery: trio.Nursery, facet: Facet, modules: Mapping[str, ModuleType]) -> None:
        self.facet = facet
        self.logic = Logic(_by_last_part(modules))
        self.waiting = host.waiting
        self.now = host.now
        self.who = host.who
        self._host = host
        self._nursery = nursery
        self._opened: dict[str, _Opened] = {}
        self._closed: dict[str, Any] = {}
        """What the host has closed: who still has a way to one is told so by the value itself."""
        self._retired: list[_Opened] = []
        self._declarations = [facet]

    @property
    def config(self) -> Any:
        """What the facet was configured with."""
        return self.facet.config

    def references(self, kind: type[Any], input: Hashable = None) -> KeyedReadable[ObjectKey, Reference]:
        """Who holds objects of a type, or of a type and an input."""
        return self._host.references(kind, input)

    def resource(self, name: str) -> Any:
        """An opened resource of this facet."""
        opened = self._opened.get(name)
        return self._closed[name] if opened is None else opened.value

    def values(self) -> Iterable[Any]:
        """Every opened resource's value."""
        return [opened.value for opened in self._opened.values()]

    async def open_resources(self) -> None:
        """Open every resource in order. What was opened before a failure is closed with the host."""
        for resource in self.facet.resources:
            self._opened[resource.name] = self._look_after(resource, await resource.open(self))

    def _look_after(self, resource: Resource[Any], value: Any) -> _Opened:
        opened = _Opened(resource, value, trio.CancelScope())
        if isinstance(value, Actor):
            self._nursery.start_soon(self._supervise, value, opened.care)
        return opened

    @staticmethod
    async def _supervise(actor: Actor, scope: trio.CancelScope) -> None:
        with scope:
            await supervise(actor)

    def knows(self, facet: Facet) -> bool:
        """Whether this declaration, whatever its settings, runs here or has run before a reload."""
        return any(facet.is_declared_as(known) for known in self._declarations)

    async def replace_resources(self, new: Facet) -> None:
        """Hand over the resources whose version is another one now, open new ones, retire those that have gone."""
        for resource in new.resources:
            old = self._opened.get(resource.name)
            if old is None:
                self._opened[resource.name] = self._look_after(resource, await resource.open(self))
            elif old.resource.version != resource.version:
                await self._replace(old, resource)
            else:
                old.resource = resource
        kept = {resource.name for resource in new.resources}
        self._retired += [self._opened.pop(name) for name in [*self._opened] if name not in kept]

    async def _replace(self, old: _Opened, resource: Resource[Any]) -> None:
        if resource.replace is not None:
            value = await resource.replace(old.value, self)
            old.care.cancel()
            self._opened[resource.name] = self._look_after(resource, value)
        else:
            value = await resource.open(self)
            self._opened[resource.name] = self._look_after(resource, value)
            self._retired.append(old)

    def adopt(self, new: Facet, modules: Mapping[str, ModuleType]) -> None:
        """Go on as `new`, with this logic."""
        self.facet = new
        self._declarations.append(new)
        self.logic.swap(_by_last_part(modules))
        for value in self.values():
            if hasattr(value, "renew"):
                value.renew()

    async def close_retired(self) -> list[Exception]:
        """Close what a reload has retired, the last opened first; each is closed whatever the others do."""
        errors = []
        while self._retired:
            opened = self._retired.pop()
            opened.care.cancel()
            try:
                await opened.resource.close(opened.value)
            except Exception as error:
                errors.append(error)
        return errors

    async def close_resources(self) -> list[Exception]:
        """Close every resource, the last opened first, and return what went wrong."""
        errors = []
        while self._opened:
            name, opened = self._opened.popitem()
            self._closed[name] = opened.value
            self._retired.append(opened)
            errors += await self.close_retired()
        return errors + await self.close_retired()

    def describe(self) -> dict[str, Any]:
        """The facet and its resources as plain data."""
        return {"name": self.facet.name, "resources": [_describe(opened) for opened in self._opened.values()]}


def _describe(opened: _Opened) -> dict[str, Any]:
    state = opened.value.describe() if hasattr(opened.value, "describe") else None
    return {"name": opened.resource.name, "version": str(opened.resource.version), "state": state}


def _by_last_part(modules: Mapping[str, ModuleType]) -> dict[str, ModuleType]:
    return {name.rpartition(".")[2]: module for name, module in modules.items()}
