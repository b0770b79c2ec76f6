"""Who holds what: the counted references to the objects of a host."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

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


class References:
    """The references of one host, as keyed readables by type, and by type and input. Lives as long as its host."""

    def __init__(self) -> None:
        self._by_kind: dict[type[Any], KeyedCell[ObjectKey, Reference, Reference]] = {}
        self._by_input: dict[tuple[type[Any], Hashable], KeyedCell[ObjectKey, Reference, Reference]] = {}

    def of(self, kind: type[Any]) -> KeyedReadable[ObjectKey, Reference]:
        """All references to objects of a type."""
        return self._by_kind.setdefault(kind, KeyedCell(_as_it_is))

    def of_input(self, kind: type[Any], input: Hashable) -> KeyedReadable[ObjectKey, Reference]:
        """The references to objects of a type for one input: its changes cost what is held of that input."""
        return self._by_input.setdefault((kind, input), KeyedCell(_as_it_is))

    def put(self, key: ObjectKey, holders: int, lingering: bool) -> None:
        """Note that the object at `key` is held by so many."""
        reference = Reference(key.input, key.principal, holders, lingering)
        for cell in self._cells(key):
            cell.put(key, reference)

    def drop(self, key: ObjectKey, reason: str) -> None:
        """Note that the object at `key` is gone."""
        for cell in self._cells(key):
            cell.drop(key, reason)

    def _cells(self, key: ObjectKey) -> tuple[KeyedCell[ObjectKey, Reference, Reference], ...]:
        by_kind = self._by_kind.setdefault(key.kind, KeyedCell(_as_it_is))
        return by_kind, self._by_input.setdefault((key.kind, key.input), KeyedCell(_as_it_is))

    def describe(self) -> list[dict[str, object]]:
        """Every reference as plain data."""
        return [
            {"type": kind.__name__, "input": str(reference.input), "principal": str(reference.principal),
             "holders": reference.holders, "lingering": reference.lingering}
            for kind, cell in self._by_kind.items() for reference in cell.value.values()
        ]  # fmt: skip


def _as_it_is(_: ObjectKey, reference: Reference) -> Reference:
    return reference
