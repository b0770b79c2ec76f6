"""From what arrives in a chat to an answer: who, which request, which choice. Whatever is not certain is no answer."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from typing import Any

from questions.gates.adapter import Judged, Launch, Pressed
from questions.gates.errors import InvalidResponse
from questions.gates.responses import Response, read_response
from questions.gates.view import ChannelView

from .bot_api import BotApi
from .codes import Codes, Option
from .cursor import Cursor, Prompt
from .errors import CallFailed
from .updates import Arrival, Chat, Press, Said, Sender
from .words import (
    ENDED,
    NO_SUCH_CODE,
    NO_TEXT,
    NOT_ALLOWED,
    RECEIVED,
    REPLY,
    misfit_text,
    prompt_text,
    refused_text,
    which_text,
)

__all__ = ["Answering"]

_LOG = logging.getLogger(__name__)
_COMMAND = re.compile(r"/answer(?:@\w+)?(?:[ \n]+(?P<code>\w+)(?:[ \n](?P<text>.*))?)?", re.DOTALL | re.IGNORECASE)
_BARE = frozenset("y n yes no ok okay".split())
_MESSAGE = "message-"

Outcome = tuple[Pressed | None, Prompt | None]
_NOTHING: Outcome = (None, None)


class Answering:
    """Deals with what arrives for one bot, one thing at a time. `now`: epoch milliseconds."""

    def __init__(self, api: BotApi, launch: Launch, codes: Codes, now: Callable[[], int]) -> None:
        self._api = api
        self._profile = launch.profile
        self._users = frozenset(launch.allowed_user_ids)
        self._chats = frozenset(launch.allowed_chat_ids)
        self._bot_id = launch.token.partition(":")[0]
        self._codes = codes
        self._now = now

    async def deal_with(self, arrival: Arrival | None, views: Sequence[ChannelView], cursor: Cursor) -> Outcome:
        """The answer that it is, or the prompt that it has led to. Raises `CallFailed` if a prompt was not sent."""
        open_now = [view for view in views if view.expires_at is None or self._now() < view.expires_at]
        if isinstance(arrival, Press):
            return await self._press(arrival, open_now)
        if isinstance(arrival, Said) and arrival.text is not None and self._is_listed(arrival.sender, arrival.chat):
            return await self._said(arrival, arrival.text, open_now, cursor), None
        return _NOTHING

    async def judged(self, answer: Pressed, judged: Judged) -> None:
        """Say that an answer was not counted. Never raises."""
        if judged.accepted:
            return
        is_reply = answer.event_id.startswith(_MESSAGE)
        message_id = int(answer.event_id.removeprefix(_MESSAGE)) if is_reply else None
        await self._say(answer.chat_id, refused_text(judged.error), message_id)

    async def _press(self, press: Press, views: Sequence[ChannelView]) -> Outcome:
        if press.message is None or not self._is_listed(press.sender, press.message.chat):
            await self._acknowledge(press, NOT_ALLOWED)
            return _NOTHING
        if (option := self._codes.buttons(views).get(press.data)) is None:
            await self._acknowledge(press, ENDED)
            return _NOTHING
        chat_id = str(press.message.chat.id)
        if option.terms.input is None:
            await self._acknowledge(press, RECEIVED)
            return self._answer(option, Response(option.choice), press.sender.id, chat_id, press.id), None
        await self._acknowledge(press, REPLY)
        return None, await self._prompt(option, press.sender.id, chat_id, press.message.message_id)

    async def _prompt(self, option: Option, user_id: int, chat_id: str, message_id: int) -> Prompt:
        text = prompt_text(option, self._codes.answer(option, chat_id))
        mention = {"type": "text_mention", "offset": 0, "length": len("You"), "user": {"id": user_id}}
        sent = await self._api.send(
            chat_id,
            text,
            entities=[mention],
            reply_markup={"force_reply": True, "selective": True},
            reply_parameters=_replying_to(message_id),
        )
        return Prompt(chat_id, sent, self._codes.press(option))

    async def _said(self, said: Said, text: str, views: Sequence[ChannelView], cursor: Cursor) -> Pressed | None:
        chat_id = str(said.chat.id)
        if command := _COMMAND.fullmatch(text):
            return await self._command(said, command, views)
        if said.replied and (prompt := cursor.prompt(chat_id, str(said.replied.message_id))):
            return await self._text(said, text, self._codes.buttons(views).get(prompt.code), ENDED)
        if not text.startswith("/") and self._seems_an_answer(said, text, views):
            await self._say(chat_id, which_text(views) if views else ENDED, said.message_id)
        return None

    async def _command(self, said: Said, command: re.Match[str], views: Sequence[ChannelView]) -> Pressed | None:
        """`/answer <code> <text>`: the text is everything after one blank."""
        code, text = command["code"], command["text"]
        if code is None or text is None:
            await self._say(str(said.chat.id), NO_TEXT, said.message_id)
            return None
        return await self._text(said, text, self._codes.typed(views, code, str(said.chat.id)), NO_SUCH_CODE)

    async def _text(self, said: Said, text: str, option: Option | None, otherwise: str) -> Pressed | None:
        asked = None if option is None else option.terms.input
        if option is None or asked is None:
            await self._say(str(said.chat.id), otherwise, said.message_id)
            return None
        given = {"choice": option.choice, "input": {asked.name: text}}
        try:
            response = read_response(option.view.choices, given)
        except InvalidResponse as error:
            await self._say(str(said.chat.id), misfit_text(error.faults), said.message_id)
            return None
        assert said.sender is not None, "nobody is listed without an id"
        return self._answer(option, response, said.sender.id, str(said.chat.id), f"{_MESSAGE}{said.message_id}")

    def _answer(self, option: Option, response: Response, user_id: int, chat_id: str, event_id: str) -> Pressed:
        view = option.view
        # Ids of messages are unique in their chat only.
        key = f"telegram:{self._profile}:{chat_id}:{event_id}"
        return Pressed(view.decision_id, view.request_digest, response, str(user_id), chat_id, event_id, key)

    def _is_listed(self, sender: Sender | None, chat: Chat) -> bool:
        return sender is not None and str(sender.id) in self._users and str(chat.id) in self._chats

    def _seems_an_answer(self, said: Said, text: str, views: Sequence[ChannelView]) -> bool:
        """Whether somebody may take it for an answer: in a group people also talk to each other."""
        if said.replied and said.replied.sender and str(said.replied.sender.id) == self._bot_id:
            return True
        if said.chat.type == "private" and views:
            return True
        labels = {terms.label.casefold() for view in views for terms in view.choices.values()}
        return text.strip().casefold() in _BARE | labels | {choice for view in views for choice in view.choices}

    async def _acknowledge(self, press: Press, text: str) -> None:
        """At once, before anything slow, and with no harm if it fails: apps wait for it with a turning circle."""
        try:
            await self._api.call("answerCallbackQuery", {"callback_query_id": press.id, "text": text})
        except CallFailed as error:
            _LOG.warning("a press was not acknowledged: %s", error)

    async def _say(self, chat_id: str, text: str, message_id: int | None) -> None:
        more = {} if message_id is None else {"reply_parameters": _replying_to(message_id)}
        try:
            await self._api.send(chat_id, text, **more)
        except CallFailed as error:
            _LOG.warning("somebody was not told why an answer does not count: %s", error)


def _replying_to(message_id: int) -> dict[str, Any]:
    return {"message_id": message_id, "allow_sending_without_reply": True}
