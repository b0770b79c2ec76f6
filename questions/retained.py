"""A memory that is bounded in number and in time."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterator
from typing import Generic, TypeVar

__all__ = ["Retained"]

K = TypeVar("K")
V = TypeVar("V")


class Retained(Generic[K, V]):
    """What was put in the last `seconds`, and of that the newest `most`. Time is passed in and must not go back."""

    def __init__(self, seconds: float, most: int) -> None:
        self.seconds = seconds
        self.most = most
        self._kept: OrderedDict[K, tuple[float, V]] = OrderedDict()
        self._oldest = -math.inf
        """No earlier than this is anything too old."""

    def put(self, key: K, value: V, now: float) -> None:
        """Keep `value` for `key`, and let go of what is too old or too much."""
        kept = self._kept
        if key in kept:
            del kept[key]
        kept[key] = (now + self.seconds, value)
        while len(kept) > self.most:
            kept.popitem(last=False)
        if now >= self._oldest:
            self._let_go(now)

    def _let_go(self, now: float) -> None:
        kept = self._kept
        while kept and (oldest := next(iter(kept.values()))[0]) <= now:
            kept.popitem(last=False)
        self._oldest = oldest if kept else now + self.seconds

    def get(self, key: K, now: float) -> V | None:
        """What is kept for `key`, or None."""
        kept = self._kept.get(key)
        return kept[1] if kept is not None and kept[0] > now else None

    def newest(self, now: float) -> Iterator[V]:
        """What is kept, the newest first."""
        for until, value in reversed(self._kept.values()):
            if until > now:
                yield value

    def pop(self, key: K) -> None:
        """Forget `key`."""
        self._kept.pop(key, None)

    def __len__(self) -> int:
        return len(self._kept)
