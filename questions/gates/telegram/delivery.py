"""Sending the parts of a request to every chat, each exactly once as far as anybody can know."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import trio

from questions.gates.adapter import MessageRef, Report
from questions.gates.view import ChannelView

from .bot_api import BotApi
from .codes import Codes, Option
from .errors import CallFailed, TooManyParts
from .rendering import parts_of

__all__ = ["Time", "content_digest", "deliver", "worst"]

_LONGEST_COMMAND = 40.0
"""Seconds after which nothing new is begun: with the longest pause of one call it stays within two minutes."""

# What concerns this chat alone: it is gone, the bot was sent away, or its reply was lost. Others may still be reached.
_ONE_CHAT = ("http_400", "http_403", "no_response", "no_message_id", "malformed")


def content_digest(text: str) -> str:
    """By which a message is recognised as showing this very text."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


async def deliver(
    api: BotApi, codes: Codes, view: ChannelView, chat_ids: Sequence[str], shown: Sequence[MessageRef]
) -> Report:
    """Show all parts in all chats, but for those that are shown already.

    In each chat it stops at the first part that is not known to have arrived: nobody gets the buttons without what
    they are about. What is shown already has to be what would be sent now, or it is in doubt.
    """
    try:
        parts = parts_of(view)
    except TooManyParts:
        return Report("failed", tuple(shown), "too_many_parts")
    known = {(one.recipient_index, one.part_index): one for one in shown}
    wanted = _wanted(chat_ids, parts)
    if any(wanted.get(place) != (one.chat_id, one.content_digest) for place, one in known.items()):
        return Report("unknown", tuple(shown), "evidence_mismatch")
    delivery = _Delivery(api, parts, _keyboard(codes, view), known)
    failures = await delivery.run(chat_ids)
    return worst(failures, tuple(delivery.known[place] for place in sorted(delivery.known)))


def worst(failures: Sequence[CallFailed], messages: tuple[MessageRef, ...]) -> Report:
    """What came of several calls together: doubt is worse than failure."""
    if not failures:
        return Report("confirmed", messages)
    gravest = next((one for one in failures if one.state == "unknown"), failures[0])
    return Report(gravest.state, messages, gravest.reason)


class Time:
    """How long a command has taken, so that it ends before its server loses patience."""

    def __init__(self) -> None:
        self._begun = trio.current_time()

    @property
    def is_over(self) -> bool:
        """Whether nothing new is to be begun."""
        return trio.current_time() - self._begun > _LONGEST_COMMAND

    def check(self, method: str) -> None:
        """Raises `CallFailed`, failed, if there is no time for another call."""
        if self.is_over:
            raise CallFailed(method, "failed", "out_of_time")


class _Delivery:
    def __init__(
        self,
        api: BotApi,
        parts: Sequence[str],
        keyboard: Mapping[str, Any],
        known: Mapping[tuple[int, int], MessageRef],
    ) -> None:
        self._api = api
        self._parts = parts
        self._keyboard = keyboard
        self.known = dict(known)
        self._time = Time()

    async def run(self, chat_ids: Sequence[str]) -> list[CallFailed]:
        """One failure at most for each chat."""
        failures: list[CallFailed] = []
        for recipient, chat_id in enumerate(chat_ids):
            try:
                await self._to_chat(recipient, chat_id)
            except CallFailed as error:
                failures.append(error)
                if error.reason not in _ONE_CHAT:
                    break
        return failures

    async def _to_chat(self, recipient: int, chat_id: str) -> None:
        for place, text in enumerate(self._parts):
            if (recipient, place) in self.known:
                continue
            self._time.check("sendMessage")
            more = {"reply_markup": self._keyboard} if place == len(self._parts) - 1 else {}
            message_id = await self._api.send(chat_id, text, **more)
            self.known[recipient, place] = MessageRef(chat_id, message_id, recipient, place, content_digest(text))


def _wanted(chat_ids: Sequence[str], parts: Sequence[str]) -> dict[tuple[int, int], tuple[str, str]]:
    digests = [content_digest(text) for text in parts]
    return {
        (recipient, place): (chat_id, digest)
        for recipient, chat_id in enumerate(chat_ids)
        for place, digest in enumerate(digests)
    }


def _keyboard(codes: Codes, view: ChannelView) -> dict[str, Any]:
    """A row for each choice, with its label on the button."""
    options = [Option(view, choice) for choice in view.choices]
    return {"inline_keyboard": [[{"text": one.label, "callback_data": codes.press(one)}] for one in options]}
