"""Bringing a mirror up to what a watch has told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Raw

from facets.errors import InvalidCall

from .messages import Ended, RawDifference, RawSnapshot, Received, Refused, Unavailable
from .mirror import KeyedMirror, ValueMirror

__all__ = ["apply_to"]

_by_key = msgspec.json.Decoder(dict[str, Raw]).decode


def apply_to(mirror: KeyedMirror[Any] | ValueMirror, message: Received, read: Callable[[Raw, float], Any]) -> None:
    """Show what a message tells of a watch. `read(value, sent)` makes a value of what the frame carries.

    What cannot be read is not shown: the mirror keeps what it has. Raises what `read` raises, or `InvalidCall`.
    """
    if isinstance(message, RawSnapshot):
        if isinstance(mirror, KeyedMirror):
            mirror.replace({key: read(value, message.now) for key, value in _members(message.value).items()})
        else:
            mirror.replace(read(message.value, message.now))
        mirror.lose(None)
    elif isinstance(message, RawDifference) and isinstance(mirror, KeyedMirror):
        put = {key: read(value, message.now) for key, value in message.put.items()}
        for key, reason in message.drop.items():
            mirror.drop(key, reason)
        for key, value in put.items():
            mirror.put(key, value)
        mirror.lose(None)
    elif isinstance(message, Unavailable | Ended):
        mirror.lose(message.why)
    elif isinstance(message, Refused):
        mirror.lose(message.message)


def _members(value: Raw) -> dict[str, Raw]:
    try:
        return _by_key(value)
    except msgspec.DecodeError:
        raise InvalidCall(["$.value: must be an object"]) from None
