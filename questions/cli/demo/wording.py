"""Answers in words: the same in every line, table and picture of the demo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from facets import Who

__all__ = ["given"]

_WORDS = {True: "Allow", False: "Deny"}


def given(answers: Iterable[tuple[Who, Any]]) -> str:
    """Who answered what: "Alice: Allow, Bob: Deny"."""
    return ", ".join(f"{who}: {_WORDS[answer] if isinstance(answer, bool) else answer}" for who, answer in answers)
