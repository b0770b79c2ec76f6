"""Texts that authors write and people read: brought into one form, then checked.

In this order: line ends become line feeds, Unicode becomes NFC, then blank, too long, and characters that are not
shown as they are. Nothing is trimmed and nothing is repaired. Lengths are code points.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from questions.visible import unshowable, visible

__all__ = ["normal", "same_looks", "shown", "text_faults", "words"]

_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\s_-]+")


def normal(text: Any) -> Any:
    """The text with line feeds for line ends, in NFC; what is no text is left as it is, for the faults to name."""
    if type(text) is not str:
        return text
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))


def text_faults(path: str, text: object, longest: int, *, lines: bool) -> list[str]:
    """What is wrong with a text of at most `longest` code points. `lines`: whether tab and line feed are allowed."""
    if type(text) is not str:
        return [f"{path}: must be text, not {type(text).__name__}"]
    text = normal(text)
    assert isinstance(text, str)
    if not text.strip():
        return [f"{path}: must not be empty or blank"]
    faults = [f"{path}: {len(text)} code points, and at most {longest} are allowed"] if len(text) > longest else []
    if bad := unshowable(text, lines=lines):
        what = "this text has one line" if bad[0] in "\t\n" else "a control or bidirectional character"
        faults.append(f"{path}: U+{ord(bad[0]):04X} at {bad.start()} is not allowed: {what}")
    return faults


def shown(text: str) -> str:
    """Any text, so that it can be shown: what is refused elsewhere stands as U+FFFD; tab and line feed stay."""
    text = normal(text)
    if unshowable(text, lines=True) is None:
        return text
    return "".join("\ufffd" if unshowable(char, lines=True) else char for char in text)


def same_looks(label: str) -> str:
    """What is the same for labels that people cannot tell apart by looking: blanks, and what is not seen at all."""
    seen = "".join(char for char in label if visible(char) == char)
    return " ".join(seen.split())


def words(name: str) -> list[str]:
    """The words of a name, however they are put together: `planDigest`, `plan_digest` and `PlanDigest` have two."""
    return [word for word in _BETWEEN_WORDS.sub(" ", name).split(" ") if word]
