"""One readable that a peer follows, and how far it has been told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Raw

from facets.keyed import KeyedReadable
from facets.readable import Readable

from .epochs import Epochs
from .messages import Difference, Snapshot, Unavailable, Watch, encode, encode_value
from .mirror import unavailable_of
from .offered import ToWire

__all__ = ["Watched"]


class Watched:
    """Hears that its readable has changed, and reads the newest value when there is room for it: never a queue.

    `changed(self)` is called at a change, once until `frames` has been called again. `most`: bytes of one frame; a
    mapping that is larger goes in several, so that no peer is given more at once than it takes.
    """

    __slots__ = (
        "_changed",
        "_keyed",
        "_most",
        "_to_wire",
        "_told",
        "_unavailable",
        "epoch",
        "id",
        "object",
        "readable",
        "revision",
        "source",
    )

    def __init__(
        self,
        changed: Callable[[Watched], None],
        watch: Watch,
        source: Readable[Any],
        to_wire: ToWire | None,
        epoch: str,
        revision: int,
        most: int,
    ) -> None:
        self._changed = changed
        self._most = most
        self.id = watch.id
        self.object = watch.object
        self.readable = watch.readable
        self.source = source
        self._to_wire = to_wire
        self.epoch = epoch
        self.revision = revision
        self._keyed = source if isinstance(source, KeyedReadable) else None
        self._told = False
        self._unavailable: str | None = None

    def turn_to(self, source: Readable[Any], to_wire: ToWire | None, epochs: Epochs) -> None:
        """Go on with another readable; it is told from the beginning."""
        self.source, self._to_wire, self.epoch, self.revision = source, to_wire, epochs.of(source), -1
        self._keyed = source if isinstance(source, KeyedReadable) else None

    def invalidate(self) -> None:
        """For the readable: it may have changed."""
        self._changed(self)

    def frames(self, now: float) -> list[bytes]:
        """What is to be told since the last time, encoded. `now`: epoch seconds."""
        source = self.source
        try:
            why = unavailable_of(source)
            if why is not None:
                return self._say_unavailable(why) if why else []  # empty: nothing has come from there yet
            frames = self._value(now) if self._keyed is None else self._difference(self._keyed, now)
            self._told, self._unavailable = True, None
            return frames
        finally:
            source.listen(self)

    def _say_unavailable(self, why: str) -> list[bytes]:
        if self._unavailable == why:
            return []
        self._unavailable = why
        return [encode(Unavailable(self.id, why))]

    def _value(self, now: float) -> list[bytes]:
        version = self.source.version
        if version == self.revision and self._told and self._unavailable is None:
            return []
        self.revision = version
        value = self.source.value if self._to_wire is None else self._to_wire(self.source.value)
        return [encode(Snapshot(self.id, self.epoch, version, value, now))]

    def _difference(self, source: KeyedReadable[Any, Any], now: float) -> list[bytes]:
        difference = source.since(self.revision)
        to_wire = self._to_wire
        put = difference.put if to_wire is None else {key: to_wire(value) for key, value in difference.put.items()}
        if not (difference or not self._told or self._unavailable is not None):
            return []  # what came has gone again; the revision stays the one that the peer knows
        base, self.revision = self.revision, difference.revision
        frame = self._frame(base, put, difference.drop, now, difference.whole)
        if len(frame) <= self._most or len(put) < 2:
            return [frame]
        return list(self._parts(base, put, difference.drop, now, difference.whole))

    def _frame(self, base: int, put: Mapping[str, Any], drop: Mapping[str, str], now: float, whole: bool) -> bytes:
        if whole:
            return encode(Snapshot(self.id, self.epoch, self.revision, put, now))
        return encode(Difference(self.id, base, self.revision, now, put, drop))  # type: ignore[arg-type]

    def _parts(
        self, base: int, put: Mapping[str, Any], drop: Mapping[str, str], now: float, whole: bool
    ) -> Iterator[bytes]:
        """A large mapping, piece by piece; all but the first are differences that lead to the same revision."""
        part: dict[str, Raw] = {}
        size = 0
        for key, value in put.items():
            encoded = value if type(value) is Raw else Raw(encode_value(value))
            its = len(bytes(encoded)) + len(key)
            if part and size + its > self._most // 2:
                yield self._frame(base, part, drop, now, whole)
                base, drop, whole, part, size = self.revision, {}, False, {}, 0
            part[key] = encoded
            size += its
        yield self._frame(base, part, drop, now, whole)
