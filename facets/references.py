"""Who holds what: the counted references to the objects of a host."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any
from weakref import WeakValueDictionary

import attrs

from .keyed import KeyedCell, KeyedReadable
from .principal import Principal

__all__ = ["ObjectKey", "Reference", "References"]


@attrs.frozen(cache_hash=True)
class ObjectKey:
    """What an object is served by: its type, the input, and the principal who asked."""

    kind: type[Any]
    input: Hashable
    principal: Principal


@attrs.frozen
class Reference:
    """One object in use."""

    input: Hashable
    principal: Principal
    holders: int
    """How many call scopes hold it."""
    lingering: bool
    """True while its last holder's link has dropped and the object is kept for the holder to come back."""


class _Cell(KeyedCell[ObjectKey, Reference, Reference]):
    """References by key, with revisions from `start` on: one from before is answered with everything."""

    __slots__ = ()

    def __init__(self, start: int) -> None:
        super().__init__(lambda _, reference: reference)
        self._revision = self._forgotten = start


class References:
    """The references of one host, as keyed readables by type, and by type and input. Lives as long as its host.

    Sessions come and go, so what is kept for an input goes with the last reference to it and the last follower.
    """

    def __init__(self) -> None:
        self._by_kind: dict[type[Any], _Cell] = {}
        self._by_input: WeakValueDictionary[tuple[type[Any], Hashable], _Cell] = WeakValueDictionary()
        self._in_use: dict[tuple[type[Any], Hashable], _Cell] = {}
        self._past = 0
        """The highest revision that what is forgotten can have had."""

    def of(self, kind: type[Any]) -> KeyedReadable[ObjectKey, Reference]:
        """All references to objects of a type."""
        return self._kind(kind)

    def of_input(self, kind: type[Any], input: Hashable) -> KeyedReadable[ObjectKey, Reference]:
        """The references to objects of a type for one input: its changes cost what is held of that input."""
        return self._input(kind, input)

    def put(self, key: ObjectKey, holders: int, lingering: bool) -> None:
        """Note that the object at `key` is held by so many."""
        reference = Reference(key.input, key.principal, holders, lingering)
        cell = self._in_use[key.kind, key.input] = self._input(key.kind, key.input)
        cell.put(key, reference)
        self._kind(key.kind).put(key, reference)

    def drop(self, key: ObjectKey, reason: str) -> None:
        """Note that the object at `key` is gone."""
        cell = self._input(key.kind, key.input)
        cell.drop(key, reason)
        if not len(cell):
            self._in_use.pop((key.kind, key.input), None)
            self._past = max(self._past, cell.version)
        self._kind(key.kind).drop(key, reason)

    def _kind(self, kind: type[Any]) -> _Cell:
        cell = self._by_kind.get(kind)
        if cell is None:
            cell = self._by_kind[kind] = _Cell(0)
        return cell

    def _input(self, kind: type[Any], input: Hashable) -> _Cell:
        cell = self._by_input.get((kind, input))
        if cell is None:
            cell = self._by_input[kind, input] = _Cell(self._past)
        return cell

    def describe(self) -> list[dict[str, object]]:
        """Every reference as plain data."""
        return [
            {"type": kind.__name__, "input": str(reference.input), "principal": str(reference.principal),
             "holders": reference.holders, "lingering": reference.lingering}
            for kind, cell in self._by_kind.items() for reference in cell.value.values()
        ]  # fmt: skip
