"""A channel that shows requests in Telegram chats and takes answers from there: `python -m questions.gates.telegram`.

It runs in a process of its own and imports neither a store nor workflow code.
"""

from typing import TYPE_CHECKING

from facets.late import offered_late

if TYPE_CHECKING:
    from .bot_api import BASE_URL, check_token
    from .errors import AnotherPoller, CallFailed, InvalidTelegram, TokenRefused, TooManyParts
    from .telegram import Telegram, open_telegram
else:
    __getattr__ = offered_late(__name__, "bot_api errors telegram")

__all__ = [
    "BASE_URL",
    "AnotherPoller",
    "CallFailed",
    "InvalidTelegram",
    "Telegram",
    "TokenRefused",
    "TooManyParts",
    "check_token",
    "open_telegram",
]
