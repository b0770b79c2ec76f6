"""Keyed readables: mappings that are followed by their differences, so that one change costs one change.

A revision number is all that a follower keeps; the mapping answers "what is different since revision n" in time
proportional to what is different. Keys that came and went in between are left out, and followers that stayed away
for longer than the mapping remembers dropped keys are given everything again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import attrs

from .readable import Readable

__all__ = ["Difference", "Differences", "KeyedCell", "KeyedReadable"]

K = TypeVar("K")
V = TypeVar("V")
R = TypeVar("R")

_REMEMBERED_DROPS = 1024


@attrs.frozen
class Difference(Generic[K, V]):
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
        while True:
            await self._source.changed(self._revision)
            difference = self._source.since(self._revision)
            self._revision = difference.revision
            if difference:
                return difference


class KeyedCell(KeyedReadable[K, V], Generic[K, R, V]):
    """A keyed readable that is written key by key.

    What is put is raw; `show(key, raw)` makes the value that readers get, when they read it. `touch(key)` says that
    it would now make another. `order(raw)` gives the order of snapshots, which is otherwise that of the first put.
    """

    __slots__ = (
        "_drops",
        "_forgotten",
        "_items",
        "_last",
        "_order",
        "_revision",
        "_show",
        "_shown",
        "_shown_at",
        "_stamps",
    )

    def __init__(self, show: Callable[[K, R], V], order: Callable[[R], Any] | None = None) -> None:
        super().__init__()
        self._show = show
        self._order = order
        self._last: Any = None
        """The greatest order put so far, or `...` once one came out of turn."""
        self._items: dict[K, tuple[int, R, int]] = {}
        """key -> the revision since which followers may know it, the raw value, the revision that it came with."""
        self._stamps: dict[K, int] = {}
        """key -> the revision of its last change, oldest change first."""
        self._drops: dict[K, tuple[int, int, str]] = {}
        """key that has gone -> revision, the revision since which it may be known, reason; oldest first."""
        self._forgotten = -1
        self._revision = 0
        self._shown: Mapping[K, V] = MappingProxyType({})
        self._shown_at = -1

    @property
    def version(self) -> int:
        """The revision: grows with every put, touch and drop."""
        return self._revision

    @property
    def value(self) -> Mapping[K, V]:
        """An immutable snapshot, the same object until something changes."""
        if self._shown_at != self._revision:
            self._shown = MappingProxyType(self._snapshot())
            self._shown_at = self._revision
        return self._shown

    @property
    def raw(self) -> Mapping[K, tuple[int, R, int]]:
        """The keys, and behind each one the raw value as the second item. Not a snapshot."""
        return self._items

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def put(self, key: K, raw: R) -> None:
        """Add a key, or replace what it holds."""
        self._revision = revision = self._revision + 1
        if key in self._items:
            born, before, came = self._items[key]
            del self._stamps[key]
            if self._order is not None and self._order(before) != self._order(raw):
                self._last = ...
        else:
            born, came = self._drops.pop(key)[1] if key in self._drops else revision, revision
            if self._order is not None:
                self._note_order(self._order(raw))
        self._items[key] = (born, raw, came)
        self._stamps[key] = revision
        if self._listeners:
            self._notify()

    def touch(self, key: K) -> None:
        """The value of `key` is now shown differently. Does nothing for a key that is not there."""
        if key in self._items:
            self._revision = revision = self._revision + 1
            del self._stamps[key]
            self._stamps[key] = revision
            if self._listeners:
                self._notify()

    def drop(self, key: K, reason: str) -> None:
        """Take a key out, saying why. Does nothing for a key that is not there."""
        item = self._items.pop(key, None)
        if item is None:
            return
        self._revision = revision = self._revision + 1
        del self._stamps[key]
        self._drops[key] = (revision, item[0], reason)
        if len(self._drops) > _REMEMBERED_DROPS:
            oldest = next(iter(self._drops))
            self._forgotten = self._drops.pop(oldest)[0]
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
        if revision < self._forgotten or revision < 0 or revision > self._revision:
            return Difference(self._revision, self._everything(), {}, True)
        return Difference(self._revision, self._put_since(revision), self._dropped_since(revision), False)

    def _put_since(self, revision: int) -> dict[K, V]:
        keys = []
        for key in reversed(self._stamps):
            if self._stamps[key] <= revision:
                break
            keys.append(key)
        keys.reverse()
        return {key: self._show(key, self._items[key][1]) for key in keys}

    def _dropped_since(self, revision: int) -> dict[K, str]:
        dropped = {}
        for key in reversed(self._drops):
            at, born, reason = self._drops[key]
            if at <= revision:
                break
            if born <= revision:  # else it came and went unseen
                dropped[key] = reason
        return dropped

    def _everything(self) -> dict[K, V]:
        return self._in_order({key: self._show(key, raw) for key, (_, raw, _) in self._items.items()})

    def _snapshot(self) -> dict[K, V]:
        difference = self.since(self._shown_at)
        if difference.whole:
            return dict(difference.put)
        shown, items = dict(self._shown), self._items
        came = [key for key in difference.put if items[key][2] > self._shown_at]
        for key in (*difference.drop, *came):
            shown.pop(key, None)
        shown.update((key, difference.put[key]) for key in sorted(came, key=lambda key: items[key][2]))
        shown.update(difference.put)
        return self._in_order(shown)

    def _note_order(self, order: Any) -> None:
        if self._last is not ...:
            self._last = order if self._last is None or order >= self._last else ...

    def _in_order(self, shown: dict[K, V]) -> dict[K, V]:
        if self._last is not ... or self._order is None:
            return shown
        order, items = self._order, self._items
        return {key: shown[key] for key in sorted(shown, key=lambda key: order(items[key][1]))}
