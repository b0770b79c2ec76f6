"""Codes that stand for a choice of a request: opaque, unforgeable, and remembered nowhere.

They are made again from the requests that are open, with a key that is stored for the profile. So a button outlives a
restart and a new bot token, and one of an older request matches nothing.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterable, Iterator

import attrs

from questions.gates.choices import ChoiceTerms
from questions.gates.view import ChannelView
from questions.visible import visible

__all__ = ["Codes", "Option"]


@attrs.frozen
class Option:
    """A choice of an open request."""

    view: ChannelView
    choice: str

    @property
    def terms(self) -> ChoiceTerms:
        """What it is called, and the text that it takes."""
        return self.view.choices[self.choice]

    @property
    def label(self) -> str:
        """What its button says."""
        return visible(self.terms.label)


class Codes:
    """The codes of one profile. `key`: 32 random bytes, which no repr shows."""

    def __init__(self, profile: str, key: bytes) -> None:
        self._profile = profile
        self._key = key

    def press(self, option: Option) -> str:
        """What its button sends: 35 bytes, where Telegram takes 64."""
        return "qg:" + base64.urlsafe_b64encode(self._mac("press", option)[:24]).decode()

    def answer(self, option: Option, chat_id: str) -> str:
        """What people type in `/answer` in one chat: 10 letters and digits. Listed people alone can try them out."""
        return base64.b32encode(self._mac("answer", option, chat_id)).decode()[:10]

    def buttons(self, views: Iterable[ChannelView]) -> dict[str, Option]:
        """What each button of the open requests stands for."""
        return {self.press(one): one for one in _options(views)}

    def typed(self, views: Iterable[ChannelView], code: str, chat_id: str) -> Option | None:
        """The choice that a typed code stands for in this chat, in any case, if its request is open."""
        given = code.upper()
        return next((one for one in _options(views) if self.answer(one, chat_id) == given), None)

    def _mac(self, purpose: str, option: Option, *more: str) -> bytes:
        fields = (purpose, self._profile, option.view.request_digest, option.choice, *more)
        return hmac.digest(self._key, "\0".join(fields).encode(), hashlib.sha256)


def _options(views: Iterable[ChannelView]) -> Iterator[Option]:
    return (Option(view, choice) for view in views for choice in view.choices)
