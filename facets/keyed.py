"""Keyed readables: mappings that are followed by their differences, so that one change costs one change.

A revision number is all that a follower keeps; the mapping answers "what is different since revision n" in time
proportional to what is different. Keys that came and went in between are left out, and followers that stayed away
for longer than the mapping remembers dropped keys are given everything again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import msgspec

from .readable import Readable

__all__ = ["Difference", "Differences", "KeyedCell", "KeyedReadable"]

K = TypeVar("K")
V = TypeVar("V")
R = TypeVar("R")
S = TypeVar("S")

_SLACK = 16


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
        source, revision = self._source, self._revision
        while True:
            await source.changed(revision)
            difference = source.since(revision)
            self._revision = revision = difference.revision
            if difference.put or difference.drop or difference.whole:
                return difference


class KeyedCell(KeyedReadable[K, V], Generic[K, R, V]):
    """A keyed readable that is written key by key.

    What is put is raw; `show(key, raw)` makes the value that readers get, when they read it. `touch(key)` says that
    it would now make another. `order(raw)` gives the order of snapshots, which is otherwise that of arrival.
    """

    __slots__ = (
        "_forgotten",
        "_items",
        "_log",
        "_most",
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
        self._items: dict[K, tuple[int, R]] = {}
        """key -> the revision of its arrival, and the raw value; in order of arrival."""
        self._log: list[tuple[K, int, str | None]] = []
        """Each change since `_forgotten`: the key, the revision of its arrival, and for a drop the reason."""
        self._forgotten = 0
        """The revision up to which the log has been cut; each entry of the log leads to the next one."""
        self._most = _SLACK
        """How long the log may be."""
        self._revision = 0
        self._shown: Mapping[K, V] = MappingProxyType({})
        self._shown_at = -1
        self._resort = False

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
    def raw(self) -> dict[K, R]:
        """What was put, without showing anything to anybody."""
        return {key: raw for key, (_, raw) in self._items.items()}

    def raw_of(self, key: K) -> R | None:
        """What was put for a key; None if it is not there."""
        item = self._items.get(key)
        return None if item is None else item[1]

    @property
    def oldest(self) -> K | None:
        """The key that has been there for longest; None if there is none."""
        return next(iter(self._items), None)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def put(self, key: K, raw: R) -> None:
        """Add a key, or replace what it holds."""
        items = self._items
        if key in items:
            self._resort = True
            items[key] = (items[key][0], raw)
            self.touch(key)
            return
        self._revision = born = self._revision + 1
        items[key] = (born, raw)
        self._log.append((key, born, None))  # no longer than it may be: with the items grows what it may
        if self._listeners:
            self._notify()

    def touch(self, key: K) -> None:
        """The value of `key` is now shown differently. Does nothing for a key that is not there."""
        item = self._items.get(key)
        if item is not None:
            self._changed(key, item[0], None)

    def drop(self, key: K, reason: str) -> None:
        """Take a key out, saying why. Does nothing for a key that is not there."""
        item = self._items.pop(key, None)
        if item is not None:
            self._changed(key, item[0], reason)

    def _changed(self, key: K, born: int, reason: str | None) -> None:
        log = self._log
        log.append((key, born, reason))
        self._revision += 1
        if self._listeners:
            self._notify()
        if len(log) > self._most:
            self._cut(log)

    def _cut(self, log: list[tuple[K, int, str | None]]) -> None:
        self._most = 2 * len(self._items) + _SLACK
        if len(log) > self._most:  # who is further behind is given everything, which then costs no more
            cut = len(log) // 2
            self._forgotten += cut
            del log[:cut]

    def refresh(self) -> None:
        """Everything is now shown differently: followers are given all of it again."""
        self._revision += 1
        self._forgotten = self._revision
        self._log.clear()
        self._notify()

    def since(self, revision: int) -> Difference[K, V]:
        """What is different since `revision`, in time proportional to that."""
        return self.since_as(revision, self._show)

    def since_as(self, revision: int, show: Callable[[K, R], S]) -> Difference[K, S]:
        """As `since`, for a follower that is shown something else of what was put."""
        if not self._forgotten <= revision <= self._revision:
            return Difference(self._revision, self._everything(show), {}, True)
        put: dict[K, S] = {}
        drop: dict[K, str] = {}
        items = self._items
        for key, born, reason in self._log[revision - self._forgotten :]:
            if key in items:
                if key not in put:
                    put[key] = show(key, items[key][1])
            elif reason is not None and (born <= revision or key in drop):  # else it came and went unseen
                drop[key] = reason
        return Difference(self._revision, put, drop, False)

    def _place(self, key: K) -> Any:
        born, raw = self._items[key]
        return born if self._order is None else (self._order(raw), born)

    def _everything(self, show: Callable[[K, R], S]) -> dict[K, S]:
        keys = self._items if self._order is None else sorted(self._items, key=self._place)
        return {key: show(key, self._items[key][1]) for key in keys}

    def _snapshot(self) -> dict[K, V]:
        difference = self.since(self._shown_at)
        if difference.whole:
            self._resort = False
            return dict(difference.put)
        shown, items = dict(self._shown), self._items
        came = sorted((key for key in difference.put if items[key][0] > self._shown_at), key=self._place)
        for key in (*difference.drop, *came):
            shown.pop(key, None)
        last = next(reversed(shown), None)
        resort = self._resort or (came and last is not None and self._place(last) > self._place(came[0]))
        shown.update((key, difference.put[key]) for key in came)
        shown.update(difference.put)
        self._resort = False
        return {key: shown[key] for key in sorted(shown, key=self._place)} if resort else shown
