"""Which keys answer a question that was brought in front of somebody, and from when on they count.

Pure: the time is an argument. A key counts only once the question has been in view for a while, so that neither a key
from the buffer nor one meant for the question before answers this one.
"""

from __future__ import annotations

from questions.question import Confirm, Question, Select

__all__ = ["ARMING_DELAY", "Arming", "chosen"]

ARMING_DELAY = 0.5
"""Seconds for which a question is in front before keys count."""

_CONFIRM_KEYS = {"y": True, "n": False}


class Arming:
    """When keys begin to count for what is in front. Nothing counts before anything was shown."""

    def __init__(self) -> None:
        self._since = float("inf")

    def hide(self) -> None:
        """Something else comes in front, and has not been shown yet."""
        self._since = float("inf")

    def show(self, now: float) -> None:
        """It is in view from now on."""
        self._since = now

    def remaining(self, at: float) -> float:
        """Seconds until a key that was pressed at a time would count; zero or less: it does."""
        return self._since + ARMING_DELAY - at


def chosen(question: Question[object], key: str) -> bool | str | None:
    """What a single key answers: y and n a confirm, a digit a select; None: nothing."""
    if isinstance(question, Confirm):
        return _CONFIRM_KEYS.get(key.lower())
    if isinstance(question, Select) and key.isdecimal() and 1 <= int(key) <= len(question.options):
        return question.options[int(key) - 1].id
    return None
