"""Showing in the messages of a request how it ended, with nothing left to press. Safe to repeat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from questions.gates.adapter import Ended, MessageRef, Report
from questions.gates.view import ChannelView

from .bot_api import BotApi
from .delivery import Time, content_digest, worst
from .errors import CallFailed, TooManyParts
from .rendering import parts_of
from .words import ended_text

__all__ = ["close_messages", "is_done_before"]

_NO_BUTTONS: dict[str, Any] = {"inline_keyboard": []}
_DONE_BEFORE = ("message is not modified", "message to edit not found", "message to delete not found")


def is_done_before(error: CallFailed) -> bool:
    """Whether there is nothing left to do: it was done before, or somebody has deleted the message."""
    return error.reason == "http_400" and any(one in error.description for one in _DONE_BEFORE)


async def close_messages(api: BotApi, view: ChannelView, ended: Ended, messages: Sequence[MessageRef]) -> Report:
    """Take the buttons off every message, and have the last part say how it ended.

    One that fails does not keep the others from being tried. An edit that may have happened is reported as failed,
    since it does no harm to do it again.
    """
    last = _last_part(view)
    failures, time = [], Time()
    for message in messages:
        try:
            time.check("editMessageText")
            await _close(api, message, last, ended_text(view, ended))
        except CallFailed as error:
            failures.append(CallFailed(error.method, "failed", error.reason))
    return worst(failures, tuple(messages))


async def _close(api: BotApi, message: MessageRef, last: str | None, ending: str) -> None:
    edit: dict[str, Any] = {"chat_id": int(message.chat_id), "message_id": int(message.message_id)}
    edit["reply_markup"] = _NO_BUTTONS
    try:
        # Only what is surely this text is written again; another version may have laid it out differently.
        if last is not None and message.content_digest == content_digest(last):
            text = {"text": last + ending, "link_preview_options": {"is_disabled": True}}
            await api.call("editMessageText", edit | text)
        else:
            await api.call("editMessageReplyMarkup", edit)
    except CallFailed as error:
        if not is_done_before(error):
            raise


def _last_part(view: ChannelView) -> str | None:
    try:
        return parts_of(view)[-1]
    except TooManyParts:
        return None
