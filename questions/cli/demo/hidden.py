"""Characters that a person cannot see, or that change what a reader makes of the rest."""

from __future__ import annotations

from functools import lru_cache

from questions.visible import visible

__all__ = ["has_hidden", "is_hidden"]


@lru_cache(4096)
def is_hidden(char: str) -> bool:
    """Whether `char` is one of those that people are shown escaped."""
    return visible(char) != char


def has_hidden(value: object) -> bool:
    """Whether any text in a JSON value, keys included, holds such a character."""
    if isinstance(value, str):
        return visible(value) != value
    if isinstance(value, dict):
        return any(has_hidden(part) for pair in value.items() for part in pair)
    return isinstance(value, list) and any(map(has_hidden, value))
