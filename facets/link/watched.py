"""One readable that a peer follows, and how far it has been told."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from msgspec import Raw

from facets.keyed import KeyedReadable
from facets.readable import Readable

from .epochs import Epochs
from .messages import Difference, Snapshot, Unavailable, Watch, encode, encode_value
from .mirror import unavailable_of
from .offered import ToWire

__all__ = ["Watched"]

_log = logging.getLogger("facets.link")
_ENVELOPE = 512  # bytes of a frame around what it carries, at most


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
        now += getattr(source, "ahead", 0.0)  # a mirror's times are those of its origin's clock
        try:
            why = unavailable_of(source)
            if why is not None:
                return self._say_unavailable(why) if why else []  # empty: nothing has come from there yet
            frames = self._value(now) if self._keyed is None else self._difference(self._keyed, now)
            if frames is None:
                return self._say_unavailable("it is too large to be sent")
            self._told, self._unavailable = True, None
            return frames
        except Exception as error:
            _log.error("what is watched cannot be read", exc_info=error)
            return self._say_unavailable("it cannot be read now")
        finally:
            source.listen(self)

    def _say_unavailable(self, why: str) -> list[bytes]:
        if self._unavailable == why:
            return []
        self._unavailable = why
        return [encode(Unavailable(self.id, why))]

    def _value(self, now: float) -> list[bytes] | None:
        version = self.source.version
        if version == self.revision and self._told and self._unavailable is None:
            return []
        value = self.source.value if self._to_wire is None else self._to_wire(self.source.value)
        frame = encode(Snapshot(self.id, self.epoch, version, value, now))
        if len(frame) > self._most:
            return None
        self.revision = version
        return [frame]

    def _difference(self, source: KeyedReadable[Any, Any], now: float) -> list[bytes]:
        difference = source.since(self.revision)
        to_wire = self._to_wire
        put = difference.put if to_wire is None else {key: to_wire(value) for key, value in difference.put.items()}
        if not (difference or not self._told or self._unavailable is not None):
            return []  # what came has gone again; the revision stays the one that the peer knows
        step = _Step(self.id, self.epoch, self.revision, difference.revision, now)
        frames = [step.whole(put) if difference.whole else step.onwards(put, difference.drop)]
        if len(frames[0]) > self._most:
            frames = list(step.parts(put, difference.drop, difference.whole, self._most))
        self.revision = difference.revision
        return frames


class _Step(NamedTuple):
    """From one revision of a watched mapping to a later one."""

    id: int
    epoch: str
    base: int
    revision: int
    now: float

    def whole(self, put: Mapping[str, Any]) -> bytes:
        return encode(Snapshot(self.id, self.epoch, self.revision, put, self.now))

    def onwards(self, put: Mapping[str, Any], drop: Mapping[str, str]) -> bytes:
        return encode(Difference(self.id, self.base, self.revision, self.now, put, drop))  # type: ignore[arg-type]

    def parts(self, put: Mapping[str, Any], drop: Mapping[str, str], whole: bool, most: int) -> Iterator[bytes]:
        """A large one, piece by piece. Only the last leads to the new revision: a link may be lost in between."""
        base = -1 if whole else self.base
        on = self._replace(base=base, revision=base)
        if whole:
            yield on.whole({})
        *pieces, last = _pieces(put, most - _ENVELOPE)
        for piece in pieces:
            yield on.onwards(piece, {})
        yield self._replace(base=base).onwards(last, drop)


def _pieces(put: Mapping[str, Any], most: int) -> Iterator[dict[str, Raw]]:
    piece: dict[str, Raw] = {}
    size = 0
    for key, value in put.items():
        encoded = value if type(value) is Raw else Raw(encode_value(value))
        its = len(bytes(encoded)) + len(encode_value(key)) + 2
        if its > most:  # the rest is shown all the same
            _log.error("one value of %d bytes is too large to be sent, and is left out", its)
            continue
        if piece and size + its > most:
            yield piece
            piece, size = {}, 0
        piece[key] = encoded
        size += its
    yield piece
