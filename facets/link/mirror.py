"""Readables that show what a watched readable of another process shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from facets.keyed import KeyedCell
from facets.readable import Cell, Readable

__all__ = ["KeyedMirror", "ValueMirror", "unavailability_of", "unavailable_of"]

V = TypeVar("V")

_NOTHING_YET = ""


class KeyedMirror(KeyedCell[str, V, V]):
    """A mapping that is fed by snapshots and differences. While its origin is out of reach it keeps its last value.

    It is empty until the first snapshot has come; whoever follows it is given nothing before that.
    """

    __slots__ = ("_is_known", "_shape", "unavailability")

    def __init__(
        self, order: Callable[[V], Any] | None = None, shape: Callable[[Mapping[str, V]], Any] | None = None
    ) -> None:
        super().__init__(lambda _, value: value, order)
        self._is_known = False
        self._shape = shape
        self.unavailability: Cell[str | None] = Cell(_NOTHING_YET)
        """Why its origin cannot be reached now; None: it can; empty: nothing has come from it yet."""

    @property
    def version(self) -> int:
        """The revision; -1 until something has come."""
        return super().version if self._is_known else -1

    @property
    def value(self) -> Any:
        """The mapping as it stands, an immutable snapshot; or what `shape` makes of it."""
        return super().value if self._shape is None else self._shape(super().value)

    @property
    def unavailable(self) -> str | None:
        """The value of `unavailability`."""
        return self.unavailability.value

    def replace(self, values: Mapping[str, V]) -> None:
        """Show exactly these; who follows by differences is told what has gone."""
        was_known, self._is_known = self._is_known, True
        for key in [key for key in self.raw if key not in values]:
            self.drop(key, "unknown")
        for key, value in values.items():
            self.put(key, value)
        if not was_known:
            self._notify()

    def lose(self, why: str | None) -> None:
        """Note that the origin is out of reach, or back again."""
        if self.unavailable != why:
            self.unavailability.set(why)
            self._notify()


class ValueMirror(Cell[Any]):
    """A value that is fed by snapshots; None until the first one, and followers are given nothing before that."""

    __slots__ = ("_is_known", "unavailability")

    def __init__(self) -> None:
        super().__init__(None)
        self._is_known = False
        self.unavailability: Cell[str | None] = Cell(_NOTHING_YET)
        """Why its origin cannot be reached now; None: it can; empty: nothing has come from it yet."""

    @property
    def version(self) -> int:
        """How often the value has changed; -1 until something has come."""
        return super().version if self._is_known else -1

    @property
    def unavailable(self) -> str | None:
        """The value of `unavailability`."""
        return self.unavailability.value

    def replace(self, value: Any) -> None:
        """Show this."""
        was_known, self._is_known = self._is_known, True
        self.set(value)
        if not was_known:
            self._notify()

    def lose(self, why: str | None) -> None:
        """Note that the origin is out of reach, or back again."""
        if self.unavailable != why:
            self.unavailability.set(why)
            self._notify()


def unavailability_of(readable: Readable[Any]) -> Readable[str | None]:
    """Why a remote object's readable shows nothing new, to follow: None while it does, as one of this process always.

    Empty: nothing has come yet. It tells of whichever link on the way is down, this one or the worker's behind it.
    """
    found: Readable[str | None] | None = getattr(readable, "unavailability", None)
    return Cell[str | None](None) if found is None else found


def unavailable_of(readable: Readable[Any]) -> str | None:
    """Why the origin of a readable is out of reach; None for one that is of this process."""
    found: str | None = getattr(readable, "unavailable", None)
    return found
