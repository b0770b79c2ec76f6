"""A room as it is stored: JSON under the name of a schema."""

from __future__ import annotations

from typing import Any

import msgspec

from .errors import InvalidRoom
from .room_value import GroupRoom

__all__ = ["ROOM_SCHEMA", "read_room", "write_room"]

ROOM_SCHEMA = "questions.group-room.v1"


def write_room(room: GroupRoom) -> str:
    """The room as JSON; the same room gives the same text."""
    fields: dict[str, Any] = msgspec.to_builtins(room)
    return msgspec.json.encode({"schema": ROOM_SCHEMA, **fields}).decode()


def read_room(text: str) -> GroupRoom:
    """The room that is stored as `text`. Raises `InvalidRoom`, and leaves it as it is."""
    try:
        fields = msgspec.json.decode(text, type=dict[str, Any])
        if fields.pop("schema", None) != ROOM_SCHEMA:
            raise InvalidRoom([f"$.schema: must be {ROOM_SCHEMA}; another version of this program has written it"])
        return msgspec.convert(fields, GroupRoom)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise InvalidRoom([f"$: {error}"]) from None
