"""Readables that show what a watched readable of another process shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from facets.keyed import KeyedCell
from facets.readable import Cell, Readable

__all__ = ["KeyedMirror", "ValueMirror", "unavailable_of"]

V = TypeVar("V")


class KeyedMirror(KeyedCell[str, V, V]):
    """A mapping that is fed by snapshots and differences. While its origin is out of reach it keeps its last value."""

    __slots__ = ("unavailable",)

    def __init__(self, order: Callable[[V], Any] | None = None) -> None:
        super().__init__(lambda _, value: value, order)
        self.unavailable: str | None = None
        """Why its origin cannot be reached now; None: it can; empty: nothing has come from it yet."""

    def replace(self, values: Mapping[str, V]) -> None:
        """Show exactly these; who follows by differences is told what has gone."""
        for key in [key for key in self.raw if key not in values]:
            self.drop(key, "unknown")
        for key, value in values.items():
            self.put(key, value)

    def lose(self, why: str | None) -> None:
        """Note that the origin is out of reach, or back again."""
        if self.unavailable != why:
            self.unavailable = why
            self._notify()


class ValueMirror(Cell[Any]):
    """A value that is fed by snapshots; None until the first one."""

    __slots__ = ("unavailable",)

    def __init__(self) -> None:
        super().__init__(None)
        self.unavailable: str | None = None
        """Why its origin cannot be reached now; None: it can; empty: nothing has come from it yet."""

    def lose(self, why: str | None) -> None:
        """Note that the origin is out of reach, or back again."""
        if self.unavailable != why:
            self.unavailable = why
            self._notify()


def unavailable_of(readable: Readable[Any]) -> str | None:
    """Why the origin of a readable is out of reach; None for one that is of this process."""
    found: str | None = getattr(readable, "unavailable", None)
    return found
