"""What the Telegram channel can refuse.

QuestionError
├── InvalidTelegram (Invalid)   what it was launched with cannot be
├── InvalidUpdate (Invalid)     an update without a number; it cannot be dealt with
├── TooManyParts                a request is too long for it; nothing was sent
├── AnotherPoller               another program takes the updates of the same bot
├── CallFailed                  the Bot API has not done what it was asked, or it is not known
└── TokenRefused                a token does not belong to a bot, or it could not be found out
"""

from __future__ import annotations

from typing import Literal

import attrs

from questions.errors import Invalid, QuestionError

__all__ = ["AnotherPoller", "CallFailed", "InvalidTelegram", "InvalidUpdate", "TokenRefused", "TooManyParts"]


class InvalidTelegram(Invalid):
    """Settings that cannot be: each fault with its path, and never the token. Nothing was started."""


class InvalidUpdate(Invalid):
    """The Bot API reports something that is no update. It is passed over."""


@attrs.define(eq=False, slots=False, str=False)
class TooManyParts(QuestionError):
    """Request `id` takes `parts` messages, and `most` are allowed. Nothing was sent; ask with a shorter text."""

    id: str
    parts: int
    most: int

    def __str__(self) -> str:
        return f"decision {self.id!r} takes {self.parts} messages, and at most {self.most} are sent; shorten its text"


@attrs.define(eq=False, slots=False, str=False)
class CallFailed(QuestionError):
    """A call of the Bot API has failed.

    `state`: failed, so that it has done nothing and may be tried again, or unknown. `reason`: `http_400` and the like,
    `no_connection`, `no_response`, `malformed`, `no_message_id`, `out_of_time`. `description`: what the API says about
    it, without the token; it can name private things, so that the text of the error leaves it out.
    """

    method: str
    state: Literal["failed", "unknown"]
    reason: str
    description: str = ""

    def __str__(self) -> str:
        happened = "has done nothing" if self.state == "failed" else "may or may not have happened"
        return f"{self.method} {happened}: {self.reason}"


class AnotherPoller(QuestionError):
    """Another program polls the bot, or it has a webhook. Answers may go there; stop the one, or remove the other."""

    def __str__(self) -> str:
        return "another program takes the updates of this bot; stop it, or remove the bot's webhook"


@attrs.define(eq=False, slots=False, str=False)
class TokenRefused(QuestionError):
    """A token was not confirmed. `why`: no response, HTTP and a number, or rejected. Never the address or the token."""

    why: str

    def __str__(self) -> str:
        return f"the bot's token could not be confirmed: {self.why}; take it from BotFather again, or try later"
