"""`Answerable`: the requests that can be answered in a channel, and which of them its process has been told of.

A process is told of each once: what a look costs does not grow with what is open, and a line never gets too long.
"""

from __future__ import annotations

from .channel_messages import Poll
from .values import write_json
from .view import ChannelView

__all__ = ["Answerable"]

_MOST_BYTES = 2**24
"""Of the views in one line; each is far smaller."""


class Answerable:
    """What can be answered in one channel, for one process of it. Built empty."""

    def __init__(self) -> None:
        self._untold: dict[str, ChannelView] = {}
        self._told: set[str] = set()
        self._gone: dict[str, None] = {}

    def __len__(self) -> int:
        """How many can be answered."""
        return len(self._untold) + len(self._told)

    @property
    def has_untold(self) -> bool:
        """Whether there are some that the process does not know of yet."""
        return bool(self._untold)

    def add(self, view: ChannelView) -> None:
        """One can be answered from now on. No matter if it could before."""
        if view.decision_id not in self._told:
            self._untold[view.decision_id] = view

    def drop(self, id: str) -> None:
        """One can be answered no more. No matter if it could not before."""
        self._untold.pop(id, None)
        if id in self._told:
            self._told.remove(id)
            self._gone[id] = None

    def keep(self, views: dict[str, ChannelView]) -> None:
        """These, and no others."""
        for id in [one for one in (*self._untold, *self._told) if one not in views]:
            self.drop(id)
        for view in views.values():
            self.add(view)

    def poll(self, cursor: str) -> Poll:
        """The command to look for answers, with what the process does not know yet; or a part of that, without a look.

        Nothing is looked for before all are told: a press on a button that the process does not know would be lost.
        """
        size, views = 0, list[ChannelView]()
        for id, view in self._untold.items():
            size += len(write_json(view.as_json()).encode())
            if views and size > _MOST_BYTES:
                break
            views.append(view)
            self._told.add(id)
        for view in views:
            del self._untold[view.decision_id]
        gone, self._gone = tuple(self._gone), {}
        return Poll(cursor, tuple(views), gone, more=self.has_untold)
