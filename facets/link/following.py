"""Bringing a mirror up to what a watch has told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Raw

from .messages import Ended, RawDifference, RawSnapshot, Received, Refused, Unavailable
from .mirror import KeyedMirror, ValueMirror

__all__ = ["apply_to"]

_by_key = msgspec.json.Decoder(dict[str, Raw]).decode


def apply_to(mirror: KeyedMirror[Any] | ValueMirror, message: Received, read: Callable[[Raw, float], Any]) -> None:
    """Show what a message tells of a watch. `read(value, sent)` makes a value of what the frame carries.

    What cannot be read is not shown: the mirror then keeps what it has, and raises what `read` raises.
    """
    if isinstance(message, RawSnapshot):
        if isinstance(mirror, KeyedMirror):
            mirror.replace({key: read(value, message.now) for key, value in _by_key(message.value).items()})
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
