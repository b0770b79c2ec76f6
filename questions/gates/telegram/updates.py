"""What the Bot API reports, as far as it can be an answer: presses of buttons, and messages with a text."""

from __future__ import annotations

import msgspec

from .errors import InvalidUpdate

__all__ = ["Arrival", "Chat", "Press", "Said", "Sender", "read_update"]


class Sender(msgspec.Struct, frozen=True):
    """Who has done it."""

    id: int


class Chat(msgspec.Struct, frozen=True):
    """Where it was done. `type`: private, group, supergroup or channel."""

    id: int
    type: str = ""


class _Replied(msgspec.Struct, frozen=True):
    message_id: int
    sender: Sender | None = msgspec.field(name="from", default=None)


class Said(msgspec.Struct, frozen=True):
    """A message. `text` None: it has none. `sender` None: somebody anonymous."""

    message_id: int
    chat: Chat
    text: str | None = None
    sender: Sender | None = msgspec.field(name="from", default=None)
    replied: _Replied | None = msgspec.field(name="reply_to_message", default=None)


class _Pressed(msgspec.Struct, frozen=True):
    message_id: int
    chat: Chat


class Press(msgspec.Struct, frozen=True):
    """A press of a button under a message. `message` None: Telegram no longer knows which."""

    id: str
    sender: Sender = msgspec.field(name="from")
    message: _Pressed | None = None
    data: str = ""


Arrival = Press | Said


class _Numbered(msgspec.Struct):
    update_id: int


class _Content(msgspec.Struct):
    callback_query: Press | None = None
    message: Said | None = None


def read_update(raw: object) -> tuple[int, Arrival | None]:
    """The number of an update, and what has arrived, if it can be an answer. Raises `InvalidUpdate`."""
    try:
        number = msgspec.convert(raw, _Numbered).update_id
    except msgspec.ValidationError:
        raise InvalidUpdate(["$.update_id: a whole number"]) from None
    try:
        content = msgspec.convert(raw, _Content)
    except msgspec.ValidationError:
        return number, None
    return number, content.callback_query or content.message
