"""Policies that somebody might write, for the tests of what is done with them."""

from typing import Any

import attrs

from questions import Collected, CustomPolicy


@attrs.frozen
class OneOfTwo(CustomPolicy[str]):
    """It takes two answers, and gives the shorter one."""

    def is_enough(self, entry: Any) -> bool:
        return bool(entry.answers.count == 2)

    def result(self, ask: Any, collected: Collected[Any]) -> str:
        given = [str(one.answer) for one in collected.answers]
        return min(given, key=len, default=str(ask.question.message))


@attrs.frozen
class Raising(OneOfTwo):
    """One with a fault in it."""

    def is_enough(self, entry: Any) -> bool:
        raise ZeroDivisionError(str(entry))
