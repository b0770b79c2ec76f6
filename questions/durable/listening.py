"""Hints as a program gets them: what has changed, so that it looks. They can be lost, and give nobody a right."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

import attrs
import msgspec
import trio

from .backend import Notice
from .errors import StoreUnavailable

__all__ = ["Hint", "Hints", "Missed", "hint_of", "store_closed"]

_MOST = 1_000
"""Hints that wait for one listener."""


@attrs.frozen
class Hint:
    """A decision was swapped once: it was raised, or has another holder, or has ended. Read it to know how it stands.

    `kind`: decision.raised, escalated, answered, expired or cancelled; a swap over several hops is one hint. `data`: as
    of after the swap, id, kind, holder, status, title, and hop if there is a chain. `version`: which the swap made.
    """

    kind: str
    id: str
    version: int
    data: Mapping[str, Any]


@attrs.frozen
class Missed:
    """Some hints were lost, by a listener that was slow or a feed that is kept for a while only: read what matters."""


def hint_of(notice: Notice) -> Hint | Missed:
    """The hint in a line of the feed."""
    try:
        return Hint(notice.kind, notice.key, notice.version, msgspec.json.decode(notice.data, type=dict[str, Any]))
    except msgspec.MsgspecError:
        return Missed()


class Hints:
    """The iterator of `decisions.hints()`: `async for hint in hints`. May simply be dropped.

    Holds at most 1,000 that were not taken yet; of more than that, `Missed` is left. Once the store is closed, what is
    left is given, and then `StoreUnavailable` is raised.
    """

    def __init__(self) -> None:
        self._waiting: deque[Hint | Missed] = deque()
        self._some = trio.Event()
        self._closed = False

    def put(self, hint: Hint | Missed) -> None:
        """Give it one more. A `Missed` stands for all that are waiting."""
        if isinstance(hint, Missed) or len(self._waiting) >= _MOST:
            self._waiting = deque([Missed()])
        if isinstance(hint, Hint):
            self._waiting.append(hint)
        self._some.set()

    def close(self) -> None:
        """No more will come."""
        self._closed = True
        self._some.set()

    def __aiter__(self) -> Hints:
        return self

    async def __anext__(self) -> Hint | Missed:
        await trio.lowlevel.checkpoint()
        while not self._waiting:
            if self._closed:
                raise store_closed()
            self._some = trio.Event()
            await self._some.wait()
        return self._waiting.popleft()


def store_closed() -> StoreUnavailable:
    """What is raised once the program has left `open_store`."""
    return StoreUnavailable("it was closed here; open it again")
