"""`KeptUp`: a live mapping of what is open in a store, which says why while it may not be that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from facets.keyed import KeyedCell
from facets.readable import Cell

__all__ = ["KeptUp"]

R = TypeVar("R")
V = TypeVar("V")


class KeptUp(KeyedCell[str, R, V], Generic[R, V]):
    """A keyed cell that is as good as what it is read from. Until `close()`.

    `unavailability`: why that cannot be reached; None: it can; empty: nothing was read yet.
    """

    __slots__ = ("unavailability",)

    def __init__(
        self, show: Callable[[str, R], V], unavailability: Cell[str | None], order: Callable[[R], Any] | None = None
    ) -> None:
        super().__init__(show, order=order)
        self.unavailability = unavailability
        unavailability.listen(self)

    @property
    def version(self) -> int:
        """The revision; -1 until something was read."""
        return -1 if self.unavailable == "" else super().version

    @property
    def unavailable(self) -> str | None:
        """Why it may not be what is open; None: it is; empty: nothing was read yet."""
        return self.unavailability.value

    def invalidate(self) -> None:
        """For the cell: it has changed."""
        self.unavailability.listen(self)
        self._notify()

    def close(self) -> None:
        """Nobody looks on any more."""
        self.unavailability.unlisten(self)
