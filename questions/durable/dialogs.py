"""What a child asks its parent, and what comes back: one line of JSON each, cut and checked at both ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import msgspec

__all__ = [
    "CANCELLED",
    "LONGEST_LINE",
    "METHODS",
    "USUAL_TIMEOUT_MS",
    "Dialog",
    "Reply",
    "fitting",
    "question_line",
    "read_dialog",
    "read_question",
    "read_response",
    "response_line",
]

METHODS = ("select", "confirm", "input", "editor")
USUAL_TIMEOUT_MS, LONGEST_TIMEOUT_MS = 600_000, 86_400_000  # 10 minutes, 24 hours
LONGEST_ID, LONGEST_TITLE, LONGEST_TEXT = 256, 1_000, 8_000  # code points
MOST_OPTIONS = 64
LONGEST_VALUE = 65_536  # bytes
LONGEST_LINE = 4_194_304
"""Bytes; the longest question is shorter, whatever is in it."""


@attrs.frozen
class Dialog:
    """A question of a child: `method` is one of `METHODS`; texts are cut to their limits.

    `texts`: the options as they were given, in full; `options`: as they are shown. `timeout_ms`: how long its child
    waits for it.
    """

    id: str
    method: str
    title: str
    message: str | None
    options: tuple[str, ...]
    texts: tuple[str, ...]
    placeholder: str | None
    prefill: str | None
    timeout_ms: float

    @property
    def can_be_asked(self) -> bool:
        """Whether there is anything to choose from, if something is to be chosen."""
        return self.method != "select" or bool(self.options)


@attrs.frozen
class Reply:
    """What comes of a dialog: a `value`, whether it is `confirmed`, or neither: then it was cancelled."""

    value: str | None = None
    confirmed: bool | None = None

    @property
    def cancelled(self) -> bool:
        """Whether there is no answer. It is no denial: nobody may have been asked."""
        return self == CANCELLED


CANCELLED = Reply()


def read_dialog(data: object, usual_timeout_ms: float = USUAL_TIMEOUT_MS) -> Dialog | None:
    """The dialog in the fields of a question; None if its method or id is none, and so nobody's to handle."""
    if not isinstance(data, Mapping):
        return None
    id, method, options = data.get("requestId"), data.get("method"), data.get("options")
    if method not in METHODS or not isinstance(id, str) or not 1 <= len(id) <= LONGEST_ID or _clean(id) != id:
        return None
    given = [one for one in options if isinstance(one, str)] if isinstance(options, list | tuple) else []
    texts = tuple(map(_clean, given[:MOST_OPTIONS])) if method == "select" else ()
    return Dialog(
        id,
        method,
        _text(data.get("title"), LONGEST_TITLE) or "",
        _text(data.get("message"), LONGEST_TEXT),
        tuple(text[:LONGEST_TEXT] for text in texts),
        texts,
        _text(data.get("placeholder"), LONGEST_TEXT),
        _text(data.get("prefill"), LONGEST_TEXT),
        _timeout(data.get("timeout"), usual_timeout_ms),
    )


def fitting(dialog: Dialog, reply: Reply) -> Reply:
    """The reply, if it is one to this dialog, with the full text of a chosen option; else `CANCELLED`."""
    value, confirmed = reply.value, reply.confirmed
    if dialog.method == "confirm":
        return Reply(confirmed=confirmed) if isinstance(confirmed, bool) else CANCELLED
    if not isinstance(value, str) or len(value.encode(errors="replace")) > LONGEST_VALUE:
        return CANCELLED
    if dialog.method != "select":
        return Reply(_clean(value))
    if value in dialog.texts:
        return Reply(value)
    return Reply(dialog.texts[dialog.options.index(value)]) if value in dialog.options else CANCELLED


def question_line(dialog: Dialog, timeout_ms: float) -> bytes:
    """The line in which a child asks, of which so much time is left."""
    data = {
        "requestId": dialog.id,
        "method": dialog.method,
        "title": dialog.title,
        "message": dialog.message,
        "options": list(dialog.options) or None,
        "placeholder": dialog.placeholder,
        "prefill": dialog.prefill,
        "timeout": max(1, round(timeout_ms)),
    }
    present = {name: value for name, value in data.items() if value is not None}
    return msgspec.json.encode({"event": "question", "data": present}) + b"\n"


def read_question(line: bytes) -> Dialog | None:
    """The dialog in a line of a child, or None: then it is something else."""
    match _json(line):
        case {"event": "question", "data": data}:
            return read_dialog(data)
    return None


def response_line(id: str, reply: Reply) -> bytes:
    """The line in which a parent answers."""
    answer: dict[str, Any] = {"cancelled": True}
    if reply.confirmed is not None:
        answer = {"confirmed": reply.confirmed}
    elif reply.value is not None:
        answer = {"value": reply.value}
    return msgspec.json.encode({"type": "ui_response", "requestId": id, **answer}) + b"\n"


def read_response(line: bytes) -> tuple[str, Reply] | None:
    """The id and the reply in a line of a parent, or None. What says that it was cancelled holds no answer."""
    match _json(line):
        case {"type": "ui_response", "requestId": str(id), **fields}:
            if fields.get("cancelled", False) is not False:
                return id, CANCELLED
            value, confirmed = fields.get("value"), fields.get("confirmed")
            return id, Reply(
                value if isinstance(value, str) else None, confirmed if isinstance(confirmed, bool) else None
            )
    return None


def _json(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


def _text(text: object, most: int) -> str | None:
    return _clean(text[:most]) if isinstance(text, str) else None


def _clean(text: str) -> str:
    """Without lone surrogates, which cannot be written."""
    return text.encode(errors="replace").decode()


def _timeout(timeout: object, usual_ms: float) -> float:
    if isinstance(timeout, int | float) and not isinstance(timeout, bool) and timeout > 0:
        return min(timeout, LONGEST_TIMEOUT_MS)
    return usual_ms
