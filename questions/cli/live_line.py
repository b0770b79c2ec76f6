"""One line of a terminal that is written anew as things change, and is gone at the end."""

from __future__ import annotations

import os
import unicodedata
from bisect import bisect_right
from contextlib import suppress
from itertools import accumulate
from typing import TextIO

import attrs

__all__ = ["LiveLine", "is_screen"]


def is_screen(stream: TextIO) -> bool:
    """Whether it is a terminal on which a line can be written anew."""
    return stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"


@attrs.define
class LiveLine:
    """The line in which the cursor of a terminal stands."""

    _stream: TextIO

    def write(self, text: str) -> None:
        """Show this in place of what it says; as much of it as fits in."""
        shown = _fitting(text, _columns_of(self._stream) - 1)
        print(f"\r{shown}\x1b[K", end="", file=self._stream, flush=True)

    def end(self) -> None:
        """Leave nothing of it."""
        self.write("")


def _columns_of(stream: TextIO) -> int:
    """How wide its terminal is; standard output may be none, or another one."""
    with suppress(OSError, ValueError):
        if columns := os.get_terminal_size(stream.fileno()).columns:
            return columns
    return 80


def _fitting(text: str, room: int) -> str:
    """The text, or as much of its beginning as fits in, with dots: a line that is broken cannot be written anew."""
    ends = [*accumulate(map(_cells, text))]
    if not ends or ends[-1] <= room:
        return text
    dots = "..."[: max(room, 0)]
    return text[: bisect_right(ends, room - len(dots))] + dots


def _cells(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
