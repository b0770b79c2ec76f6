"""A client of the Bot API: a call has succeeded, has done nothing, or nobody knows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec
import trio

from facets.errors import MissingExtra
from questions.visible import visible

from .errors import CallFailed, TokenRefused

if TYPE_CHECKING:
    from .wire import Wire

__all__ = ["BASE_URL", "PATIENCE", "BotApi", "check_token", "open_bot_api"]

BASE_URL = "https://api.telegram.org"
PATIENCE = 10.0
_LONGEST_PAUSE = 60.0  # seconds that one call waits in all when it is told to slow down
_LONGEST_DESCRIPTION = 300
# From a gateway in between: the API itself may have done it.
_GATEWAYS = (502, 504)


class _Parameters(msgspec.Struct):
    retry_after: float | None = None


class _Reply(msgspec.Struct):
    ok: bool
    result: Any = None
    description: str = ""
    parameters: _Parameters | None = None


class BotApi:
    """One bot. Lives as long as the block of `open_bot_api`. Neither its repr nor its errors have the token."""

    def __init__(self, wire: Wire, token: str, pause: Callable[[float], Awaitable[object]]) -> None:
        self._wire = wire
        self._token = token
        self._pause = pause

    async def call(self, method: str, parameters: Mapping[str, Any] | None = None, *, seconds: float = 0) -> Any:
        """The result of a method. `seconds`: how much longer than usual it may take, for long polls.

        Told to slow down, it does, for up to a minute. Raises `CallFailed`. Cancelled, it may have happened.
        """
        waited = 0.0
        while True:
            status, body = await self._wire.post(method, parameters or {}, seconds)
            reply = _read(body)
            pause = reply.parameters.retry_after if status == 429 and reply and reply.parameters else None
            if pause is None or waited + pause > _LONGEST_PAUSE:
                return self._result(method, status, reply)
            waited += pause
            await self._pause(pause)

    async def send(self, chat_id: str, text: str, **more: Any) -> str:
        """Sends a plain text and returns the id of the message. Raises `CallFailed`; unknown too if no id came back.

        Links in it are not looked up for a preview.
        """
        given = {"chat_id": int(chat_id), "text": text, "link_preview_options": {"is_disabled": True}, **more}
        result = await self.call("sendMessage", given)
        id = result.get("message_id") if isinstance(result, dict) else None
        if type(id) is not int:
            raise CallFailed("sendMessage", "unknown", "no_message_id")
        return str(id)

    def _result(self, method: str, status: int, reply: _Reply | None) -> Any:
        is_success = 200 <= status < 300
        if is_success and reply is not None and reply.ok:
            return reply.result
        if reply is None and (is_success or status in _GATEWAYS):
            raise CallFailed(method, "unknown", "malformed" if is_success else f"http_{status}")
        said = "" if reply is None else visible(reply.description).replace(self._token, "")[:_LONGEST_DESCRIPTION]
        raise CallFailed(method, "failed", "not_ok" if is_success else f"http_{status}", said)


@asynccontextmanager
async def open_bot_api(
    token: str,
    base_url: str = BASE_URL,
    *,
    patience: float = PATIENCE,
    pause: Callable[[float], Awaitable[object]] = trio.sleep,
) -> AsyncIterator[BotApi]:
    """A client for the length of the block. Raises `MissingExtra` without httpx.

    `patience`: seconds that a reply may take. `pause`: how it waits, in seconds, when it is told to slow down.
    """
    try:
        from .wire import open_wire  # noqa: PLC0415  # httpx comes with an extra
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "httpx":
            raise
        raise MissingExtra("The Telegram channel", "httpx", "telegram", "the channels terminal and web") from None
    async with open_wire(token, base_url, patience) as wire:
        yield BotApi(wire, token, pause)


async def check_token(token: str, base_url: str = BASE_URL) -> str:
    """The user name of the bot that a token belongs to. Raises `TokenRefused`, and `MissingExtra` without httpx."""
    try:
        async with open_bot_api(token, base_url) as api:
            found = await api.call("getMe")
    except CallFailed as error:
        why = _why(error.reason)
    else:
        if isinstance(found, dict) and isinstance(found.get("username"), str):
            return visible(found["username"])
        why = "rejected"
    raise TokenRefused(why)


def _why(reason: str) -> str:
    if reason.startswith("http_"):
        return f"HTTP {reason.removeprefix('http_')}"
    return "rejected" if reason == "not_ok" else "no response"


def _read(body: bytes) -> _Reply | None:
    try:
        return msgspec.json.decode(body, type=_Reply)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
