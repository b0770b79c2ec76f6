"""The live audiences that open questions are asked of: each is followed once, however many questions share it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from facets.readable import Readable

from .audience import LiveAudience

__all__ = ["LiveAudiences"]


class LiveAudiences:
    """The followed audiences of one store. `woken` is called when one may have changed."""

    def __init__(self, woken: Callable[[], None]) -> None:
        self._followed: dict[int, LiveAudience] = {}
        self._changed: dict[LiveAudience, None] = {}
        self._woken = woken

    def follow(self, readable: Readable[Any], id: str) -> LiveAudience:
        """The audience behind a readable, which question `id` is asked of from now on."""
        audience = self.followed(readable)
        if audience is None:
            audience = self._followed[id_of(readable)] = LiveAudience(readable, self._note)
        audience.open[id] = None
        return audience

    def leave(self, audience: LiveAudience, id: str) -> None:
        """Question `id` has ended; with the last one the audience is followed no more."""
        audience.open.pop(id, None)
        if not audience.open:
            audience.stop()
            self._changed.pop(audience, None)
            self._followed.pop(id_of(audience.readable), None)

    def followed(self, readable: Readable[Any]) -> LiveAudience | None:
        """The audience behind a readable, if any question is asked of it."""
        return self._followed.get(id_of(readable))

    def changed(self) -> Iterator[LiveAudience]:
        """Those that may have changed since they were last looked at; each is then forgotten here.

        One that changes whenever it is looked at comes up once, and again the next time.
        """
        looked_at: set[LiveAudience] = set()
        again: dict[LiveAudience, None] = {}
        while self._changed:
            audience = self._changed.popitem()[0]
            if audience in looked_at:
                again[audience] = None
            else:
                looked_at.add(audience)
                yield audience
        self._changed.update((audience, None) for audience in again if audience.open)

    def __len__(self) -> int:
        return len(self._followed)

    def _note(self, audience: LiveAudience) -> None:
        self._changed[audience] = None
        self._woken()


def id_of(readable: Readable[Any]) -> int:
    """Identity: two readables with equal values are two audiences."""
    return id(readable)
