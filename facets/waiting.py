"""What a host's work is waiting for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Protocol

import attrs

from .keyed import Difference, KeyedCell
from .principal import Who

__all__ = ["Waiting", "WaitingWork", "Waits"]


@attrs.frozen
class Waiting:
    """One piece of work that stands still until something outside it happens."""

    id: str
    what: str
    """What it waits for, in a line for people; for a question its message."""
    scope: Hashable
    """Where it belongs, or None for the host as a whole."""
    asker: Who
    """On whose behalf the work runs."""
    waiting_for: tuple[Who, ...]
    """Who could end the wait."""
    shown_to: tuple[Who, ...]
    """Who has been shown it; empty: nobody has seen it."""
    since: float
    """Epoch seconds."""


class WaitingWork(KeyedCell[str, "Waits", Waiting]):
    """What the work of a host waits for. Lives as long as the host.

    Facets that have much of it add a source and put and drop only while `fed`: until somebody has looked for the
    first time, keeping this costs nothing.
    """

    __slots__ = ("_sources", "fed")

    def __init__(self) -> None:
        super().__init__(lambda _, waits: waits.waiting())
        self._sources: list[Callable[[], Mapping[str, Waits]]] = []
        self.fed = False
        """Whether somebody has looked."""

    def add_source(self, source: Callable[[], Mapping[str, Waits]]) -> None:
        """Where to find what waits at the first look."""
        self._sources.append(source)
        if self.fed:
            self._feed_from(source)

    @property
    def version(self) -> int:
        """The revision: grows with every put, touch and drop."""
        self._feed()
        return super().version

    @property
    def value(self) -> Mapping[str, Waiting]:
        """An immutable snapshot, the same object until something changes."""
        self._feed()
        return super().value

    def since(self, revision: int) -> Difference[str, Waiting]:
        """What is different since `revision`, in time proportional to that."""
        self._feed()
        return super().since(revision)

    def _feed(self) -> None:
        if not self.fed:
            self.fed = True
            for source in self._sources:
                self._feed_from(source)

    def _feed_from(self, source: Callable[[], Mapping[str, Waits]]) -> None:
        for id, waits in source().items():
            self.put(id, waits)


class Waits(Protocol):
    """What facets put into `Environment.waiting`: something that says, when asked, what it waits for."""

    def waiting(self) -> Waiting:
        """The wait as it stands now."""
