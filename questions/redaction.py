"""Keeping what must not be seen out of every text that is made by accident."""

from __future__ import annotations

from typing import Any, Generic, NoReturn, TypeVar, final

__all__ = ["HIDDEN", "Secret", "redact"]

T = TypeVar("T")

HIDDEN = "<hidden>"
"""What stands in texts where a secret was."""


@final
class Secret(Generic[T]):
    """A value that shows itself to `reveal()` and to nothing else: not in repr, str, format, pickle or copies.

    Every answer is wrapped on its way in, before it is known whether its question is a secret one, so that no
    traceback with the locals of our frames holds it (Q-SEC-1).
    """

    __slots__ = ("__value",)

    def __init__(self, value: T) -> None:
        self.__value = value

    def reveal(self) -> T:
        """The value. Do not bind it to a name in a frame that can raise."""
        return self.__value

    def __repr__(self) -> str:
        return HIDDEN

    def __format__(self, spec: str) -> str:
        return HIDDEN

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret cannot be pickled")


def redact(value: Any, secret: bool) -> Any:
    """The value for a text: hidden if it is a secret."""
    return HIDDEN if secret or isinstance(value, Secret) else value
