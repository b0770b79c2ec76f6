"""Keyed readables: mappings that are followed by their differences, so that one change costs one change.

A revision number is all that a follower keeps; the mapping answers "what is different since revision n" in time
proportional to what is different. Keys that came and went in between are left out, and followers that stayed away
for longer than the mapping remembers dropped keys are given everything again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import msgspec
import trio

from .readable import Readable

__all__ = ["Difference", "Differences", "KeyedCell", "KeyedReadable"]

K = TypeVar("K")
V = TypeVar("V")
R = TypeVar("R")

_REMEMBERED_DROPS = 1024


class Difference(msgspec.Struct, Generic[K, V], frozen=True):
    """What is different since an earlier revision."""

    revision: int
    """The revision that this leads to; pass it to `since()` to go on from here."""
    put: Mapping[K, V]
    """The keys that are new or have changed, with their current values."""
    drop: Mapping[K, str]
    """The keys that have gone, each with the reason."""
    whole: bool
    """True if `put` holds everything, and what was known before is void."""

    def __bool__(self) -> bool:
        return self.whole or bool(self.put or self.drop)


class KeyedReadable(Readable[Mapping[K, V]]):
    """A readable mapping that can also tell what is different since a revision. `version` is the revision."""

    __slots__ = ()

    def since(self, revision: int) -> Difference[K, V]:
        """What is different since `revision`; -1, or one that is too old, gives everything."""
        raise NotImplementedError

    def differences(self) -> Differences[K, V]:
        """Follow the mapping by its differences: everything first, then what changed, coalesced.

        A follower that stays away costs nothing and misses nothing but the steps in between.
        """
        return Differences(self)


class Differences(Generic[K, V]):
    """The iterator of `KeyedReadable.differences()`."""

    __slots__ = ("_revision", "_source")

    def __init__(self, source: KeyedReadable[K, V]) -> None:
        self._source = source
        self._revision = -1

    def __aiter__(self) -> Differences[K, V]:
        return self

    async def __anext__(self) -> Difference[K, V]:
        source = self._source
        while True:
            if source.version == self._revision:
                await source.changed(self._revision)
            else:
                await trio.lowlevel.checkpoint_if_cancelled()
            difference = source.since(self._revision)
            self._revision = difference.revision
            if difference:
                return difference


class KeyedCell(KeyedReadable[K, V], Generic[K, R, V]):
    """A keyed readable that is written key by key.

    What is put is raw; `show(key, raw)` makes the value that readers get, when they read it. `touch(key)` says that
    it would now make another. `order(raw)` gives the order of snapshots, which is otherwise that of arrival.
    """

    __slots__ = (
        "_drops",
        "_forgotten",
        "_given",
        "_items",
        "_order",
        "_resort",
        "_revision",
        "_show",
        "_shown",
        "_shown_at",
    )

    def __init__(self, show: Callable[[K, R], V], order: Callable[[R], Any] | None = None) -> None:
        super().__init__()
        self._show = show
        self._order = order
        self._items: dict[K, tuple[int, int, int, R]] = {}
        """key -> the revision since which a follower may know it, that of its arrival, that of its last change, and
        the raw value; the oldest change first."""
        self._drops: OrderedDict[K, tuple[int, int, str]] = OrderedDict()  # a dict that loses its oldest is slow
        """key that has gone -> revision, the revision since which it may be known, reason; oldest first."""
        self._forgotten = 0
        self._given = -1
        """The newest revision that anybody knows: what came and goes after it needs no memory."""
        self._revision = 0
        self._shown: Mapping[K, V] = MappingProxyType({})
        self._shown_at = -1
        self._resort = False

    @property
    def version(self) -> int:
        """The revision: grows with every put, touch and drop."""
        self._given = self._revision
        return self._revision

    @property
    def value(self) -> Mapping[K, V]:
        """An immutable snapshot, the same object until something changes."""
        if self._shown_at != self._revision:
            self._shown = MappingProxyType(self._snapshot())
            self._shown_at = self._revision
        return self._shown

    @property
    def raw(self) -> dict[K, R]:
        """What was put, without showing anything to anybody."""
        return {key: item[3] for key, item in self._items.items()}

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def put(self, key: K, raw: R) -> None:
        """Add a key, or replace what it holds."""
        self._revision = came = born = revision = self._revision + 1
        old = self._items.pop(key, None)
        if old is not None:
            born, came = old[0], old[1]
            self._resort = self._order is not None
        elif self._drops and key in self._drops:
            born = self._drops.pop(key)[1]
        self._items[key] = (born, came, revision, raw)
        if self._listeners:
            self._notify()

    def touch(self, key: K) -> None:
        """The value of `key` is now shown differently. Does nothing for a key that is not there."""
        item = self._items.pop(key, None)
        if item is not None:
            self._revision = revision = self._revision + 1
            self._items[key] = (item[0], item[1], revision, item[3])
            if self._listeners:
                self._notify()

    def drop(self, key: K, reason: str) -> None:
        """Take a key out, saying why. Does nothing for a key that is not there."""
        item = self._items.pop(key, None)
        if item is None:
            return
        self._revision = revision = self._revision + 1
        if item[0] <= self._given:
            self._drops[key] = (revision, item[0], reason)
            if len(self._drops) > _REMEMBERED_DROPS:
                _, (self._forgotten, _, _) = self._drops.popitem(last=False)
        if self._listeners:
            self._notify()

    def refresh(self) -> None:
        """Everything is now shown differently: followers are given all of it again."""
        self._revision += 1
        self._forgotten = self._revision
        self._drops.clear()
        self._notify()

    def since(self, revision: int) -> Difference[K, V]:
        """What is different since `revision`, in time proportional to that."""
        self._given = current = self._revision
        if not self._forgotten <= revision <= current:
            return Difference(current, self._everything(), {}, True)
        changed = []
        for key in reversed(self._items):
            item = self._items[key]
            if item[2] <= revision:
                break
            changed.append((key, item[3]))
        put, show = {}, self._show
        for key, raw in reversed(changed):
            put[key] = show(key, raw)
        return Difference(current, put, self._dropped_since(revision) if self._drops else {}, False)

    def _dropped_since(self, revision: int) -> dict[K, str]:
        dropped = {}
        for key in reversed(self._drops):
            at, born, reason = self._drops[key]
            if at <= revision:
                break
            if born <= revision:  # else it came and went unseen
                dropped[key] = reason
        return dropped

    def _place(self, key: K) -> Any:
        item = self._items[key]
        return item[1] if self._order is None else self._order(item[3])

    def _everything(self) -> dict[K, V]:
        self._resort = False
        return {key: self._show(key, self._items[key][3]) for key in sorted(self._items, key=self._place)}

    def _snapshot(self) -> dict[K, V]:
        difference = self.since(self._shown_at)
        if difference.whole:
            return dict(difference.put)
        shown, items = dict(self._shown), self._items
        came = sorted((key for key in difference.put if items[key][1] > self._shown_at), key=self._place)
        for key in (*difference.drop, *came):
            shown.pop(key, None)
        last = next(reversed(shown), None)
        resort = self._resort or (came and last is not None and self._place(last) > self._place(came[0]))
        shown.update((key, difference.put[key]) for key in came)
        shown.update(difference.put)
        self._resort = False
        return {key: shown[key] for key in sorted(shown, key=self._place)} if resort else shown
