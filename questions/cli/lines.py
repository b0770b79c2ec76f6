"""Texts of others, as one line of output."""

from __future__ import annotations

from questions.visible import visible

__all__ = ["line_of"]


def line_of(text: str) -> str:
    """A text in one line, with what cannot be seen made visible; so that none can pass for another line."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")
