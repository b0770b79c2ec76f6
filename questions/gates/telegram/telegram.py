"""`Telegram`: one bot as a channel of gates."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import trio

from questions.errors import QuestionError
from questions.gates.adapter import Ended, Judged, Launch, MessageRef, Pressed, Report
from questions.gates.adapter import Update as Reported
from questions.gates.view import ChannelView

from .answering import Answering
from .bot_api import PATIENCE, BotApi, open_bot_api
from .codes import Codes
from .cursor import Cursor, Prompt
from .delivery import Time, deliver
from .errors import AnotherPoller, CallFailed, InvalidUpdate, TokenRefused
from .profile import base_url, check_launch
from .settling import close_messages, is_done_before
from .updates import read_update

__all__ = ["Telegram", "open_telegram"]

_LOG = logging.getLogger(__name__)
_POLL_SECONDS = 2
_MOST_TRIES = 3
_BACK_OFF = 1.0  # seconds until the next poll after one that failed
_MOST_FAILURES = 5
_NO_TOKEN = ("http_401", "http_404")


class Telegram:
    """An adapter (`questions.gates.adapter.Adapter`). Lives as long as the block of `open_telegram`.

    It keeps nothing that matters: codes are made again from the open requests, and what a prompt asks for stands in
    the cursor, which the server stores. `now`: epoch milliseconds.
    """

    def __init__(
        self, api: BotApi, launch: Launch, now: Callable[[], int], pause: Callable[[float], Awaitable[object]]
    ) -> None:
        self._api = api
        self._codes = Codes(launch.profile, launch.key)
        self._answering = Answering(api, launch, self._codes, now)
        self._chat_ids = sorted(set(launch.allowed_chat_ids))
        self._cursor = Cursor.read(launch.cursor)
        self._deleted: set[Prompt] = set()
        self._pause = pause
        self._failures = 0
        self._tries: tuple[int, int] = (-1, 0)

    async def present(self, view: ChannelView, attempt_id: str, shown: Sequence[MessageRef]) -> Report:  # noqa: ARG002
        """Send all parts to every listed chat, but for those that are shown already."""
        return await deliver(self._api, self._codes, view, self._chat_ids, shown)

    async def settle(self, view: ChannelView, ended: Ended, messages: Sequence[MessageRef]) -> Report:
        """Take the buttons away, say how it ended, and delete what asks for a text."""
        report = await close_messages(self._api, view, ended, messages)
        codes = self._codes.buttons([view])
        for one in self._cursor.prompts:
            if one.code in codes:
                await self._delete(one)
        return report

    async def poll(self, cursor: str, views: Sequence[ChannelView]) -> AsyncGenerator[Reported, None]:
        """One batch of updates. One that fails for the moment is left for the next batch, a few times.

        Raises `TokenRefused`, `AnotherPoller` or `CallFailed` when there were no updates five times in a row, so that
        the server can say so.
        """
        time = Time()
        self._cursor = Cursor.read(cursor)
        codes = self._codes.buttons(views) if self._cursor.prompts else {}
        if gone := frozenset(one for one in self._cursor.prompts if one.code not in codes):
            for one in gone:
                await self._delete(one)
            self._cursor = self._cursor.without(gone)
            yield Reported(self._cursor.text)
        for raw in await self._arrived():
            try:
                number, arrival = read_update(raw)
            except InvalidUpdate as error:
                _LOG.error("passed over what is no update: %s", error)
                continue
            if number < self._cursor.offset:
                continue
            try:
                answer, prompt = await self._answering.deal_with(arrival, views, self._cursor)
            except Exception as error:
                if self._is_worth_another_try(number, error):
                    return
                answer = prompt = None
            self._cursor = self._cursor.after(number, prompt)
            yield Reported(self._cursor.text, answer)
            if time.is_over:
                return

    async def answered(self, answer: Pressed, judged: Judged) -> None:
        """Say to who has answered why it was not counted; how a request ended is seen in its messages."""
        await self._answering.judged(answer, judged)

    async def _arrived(self) -> list[Any]:
        """The updates from the cursor on. After an error there are none, and a pause."""
        wanted = {"timeout": _POLL_SECONDS, "allowed_updates": ["callback_query", "message"]}
        try:
            found = await self._api.call("getUpdates", wanted | {"offset": self._cursor.offset}, seconds=_POLL_SECONDS)
        except CallFailed as error:
            self._failures += 1
            if self._failures >= _MOST_FAILURES:
                raise _named(error) from None
            await self._pause(_BACK_OFF)
            return []
        self._failures = 0
        return found if isinstance(found, list) else []

    def _is_worth_another_try(self, number: int, error: Exception) -> bool:
        """Whether an update that could not be dealt with stays, for the next batch. The log names nobody."""
        tries = self._tries[1] + 1 if self._tries[0] == number else 1
        self._tries = number, tries
        is_refused = isinstance(error, CallFailed) and error.reason in ("http_400", "http_403")
        if is_refused or tries >= _MOST_TRIES:
            said = str(error) if isinstance(error, CallFailed) else type(error).__name__
            _LOG.error("gave up on update %d after %d tries: %s", number, tries, said)
            return False
        return True

    async def _delete(self, prompt: Prompt) -> None:
        """Apps show a prompt again later, so it is removed; one that stays does no harm."""
        if prompt in self._deleted:
            return
        try:
            place = {"chat_id": int(prompt.chat_id), "message_id": int(prompt.message_id)}
            await self._api.call("deleteMessage", place)
        except CallFailed as error:
            if not is_done_before(error):
                _LOG.warning("a prompt was not deleted: %s", error)
        self._deleted.add(prompt)


def _named(error: CallFailed) -> QuestionError:
    """What an operator can act upon: a server learns of an error by the name of its class."""
    if error.reason == "http_409":
        return AnotherPoller()
    return TokenRefused(f"HTTP {error.reason[5:]}") if error.reason in _NO_TOKEN else error


@asynccontextmanager
async def open_telegram(
    launch: Launch,
    *,
    now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    patience: float = PATIENCE,
    pause: Callable[[float], Awaitable[object]] = trio.sleep,
) -> AsyncIterator[Telegram]:
    """One bot as a channel, for the length of the block.

    `now`: epoch milliseconds. `patience`: seconds that a reply may take. `pause`: how it waits, in seconds. Raises
    `InvalidTelegram`, and `MissingExtra` without httpx. Nothing is asked of Telegram yet.
    """
    check_launch(launch)
    async with open_bot_api(launch.token, base_url(launch), patience=patience, pause=pause) as api:
        yield Telegram(api, launch, now, pause)
