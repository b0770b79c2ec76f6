"""Doing something again and again, also while the store cannot be reached."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from random import random
from typing import NoReturn

import trio

from facets.errors import Retryable

__all__ = ["repeat"]

_SHORTEST, _LONGEST = 0.1, 5.0
"""Seconds between tries: they double, with jitter, so that a hundred hosts do not come back at once."""

_log = logging.getLogger("questions")


async def repeat(step: Callable[[], Awaitable[object]], what: str) -> NoReturn:
    """Do `step` for ever. After one that others may repeat too there is a pause, longer each time until it works.

    `what`: what does not happen meanwhile, for the log, which hears of it once. All else that `step` raises ends it.
    """
    pause = _SHORTEST
    while True:
        try:
            await step()
            pause = _SHORTEST
        except Retryable as lost:
            if pause == _SHORTEST:
                _log.warning("%s stands still and will go on by itself: %s", what, lost)
            await trio.sleep(pause * (1 + random()) / 2)
            pause = min(2 * pause, _LONGEST)
