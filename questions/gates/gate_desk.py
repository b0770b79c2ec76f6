"""What one principal sees of the open requests of a store, live."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import attrs
import trio

from facets.keyed import KeyedCell
from facets.readable import Cell
from questions.deadlines import Deadline
from questions.durable.kept_up import KeptUp

from .open_gate import ClosedGate, OpenGate
from .view import ChannelView

__all__ = ["GateDesk", "KeptGate"]

_MOST_CLOSED = 100


@attrs.define(eq=False)
class KeptGate:
    """An open request as it was read. `ahead`: seconds of the clock of this host before that of the store then."""

    view: ChannelView
    ahead: float
    written: dict[Hashable, Any] = attrs.field(factory=dict)
    """What a surface has made of it, once for all who are shown it."""


class GateDesk:
    """What somebody sees, in `open`, and what has left it of late, in `closed`. Made by `GateDesks`, until it is left.

    `admits`: whether it is shown here.
    """

    def __init__(
        self,
        admits: Callable[[ChannelView], bool],
        clock: Callable[[], float],
        unavailability: Cell[str | None],
    ) -> None:
        self._admits = admits
        self._clock = clock
        self.open: KeptUp[KeptGate, OpenGate] = KeptUp(self._show, unavailability, _age)
        self.closed: KeyedCell[str, ClosedGate, ClosedGate] = KeyedCell(lambda _, closed: closed)

    def put(self, kept: KeptGate) -> None:
        """A request is open."""
        if self._admits(kept.view):
            self.open.put(kept.view.decision_id, kept)

    def end(self, closed: ClosedGate) -> None:
        """It is so no more."""
        if self.open.raw_of(closed.id) is None:
            return
        self.closed.put(closed.id, closed)
        if len(self.closed) > _MOST_CLOSED and (oldest := self.closed.oldest) is not None:
            self.closed.drop(oldest, "old")
        self.open.drop(closed.id, closed.how)

    def close(self) -> None:
        """Nobody looks on any more."""
        self.open.close()

    def _show(self, _: str, kept: KeptGate) -> OpenGate:
        deadline = None
        if kept.view.expires_at is not None:
            epoch = kept.view.expires_at / 1000 + kept.ahead
            deadline = Deadline(trio.current_time() + epoch - self._clock(), epoch)
        return OpenGate(kept.view, deadline, trio.current_time, kept.written)


def _age(kept: KeptGate) -> tuple[int, str]:
    return kept.view.created_at, kept.view.decision_id
