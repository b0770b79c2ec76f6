"""What happened, kept in order: written inside the broker's step, read at leisure."""

from __future__ import annotations

import math
from types import TracebackType

import trio

from questions.policies import All
from questions.reports import Opened, Settled

from .events import Event
from .face import Face

__all__ = ["Journal"]


class Journal:
    """Takes every event at once and hands them on to a face, one by one. Lives as long as one run of the demo."""

    def __init__(self) -> None:
        self.settled: list[Settled] = []
        """The settlement events so far, in order: all that the summary is made of."""
        self.everyone_asked = trio.Event()
        """Set when the first question to everyone present opens."""
        # Without a bound: an observer runs inside the step that settles a question, where nothing may wait.
        self._send, self._receive = trio.open_memory_channel[Event](math.inf)

    def tell(self, event: Event) -> None:
        """Note an event. Never waits, prints nothing: a slow or broken output must not touch a settlement."""
        if isinstance(event, Settled):
            self.settled.append(event)
        if isinstance(event, Opened) and isinstance(event.policy, All):
            self.everyone_asked.set()
        self._send.send_nowait(event)

    async def narrate(self, face: Face) -> None:
        """Show every event, until the journal is closed and all of them are shown."""
        async for event in self._receive:
            face.show(event)

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._send.close()
