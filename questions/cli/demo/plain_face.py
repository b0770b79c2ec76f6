"""The demo in plain text, for a pipe, a log, or a machine without `rich`."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TextIO

from questions.reports import Opened, Settled
from questions.visible import visible

from .events import Event, Passed, Verdict
from .summary import COLUMNS, row, totals

__all__ = ["PlainFace"]

_WIDTHS = (46, 9, 12, 24, 24, 6)


class PlainFace:
    """Writes a line for each event, and a table at the end."""

    def __init__(self, output: TextIO) -> None:
        self._output = output

    def show(self, event: Event) -> None:
        """Write one line, or none: how a question ended is told by the agent's verdict, and by the table."""
        match event:
            case Passed(message=message, why=why):
                self._write(f"pass    {message}  ({why})")
            case Opened(message=message, audience=audience):
                self._write(f"ask     {message}  (of {', '.join(map(str, audience)) or 'nobody yet'})")
            case Verdict(message=message, runs=runs, why=why):
                self._write(f"{'run ' if runs else 'stop'}    {message}  ({why})")

    def finish(self, settled: Sequence[Settled]) -> None:
        """Write the summary table and the totals."""
        self._write("")
        self._row(COLUMNS)
        self._row(tuple("-" * width for width in _WIDTHS))
        for each in settled:
            self._row(row(each))
        self._write(f"\n{totals(settled)}")

    def _row(self, cells: Sequence[str]) -> None:
        wrapped = [textwrap.wrap(visible(cell), width) or [""] for cell, width in zip(cells, _WIDTHS, strict=True)]
        for number in range(max(map(len, wrapped))):
            parts = (cell[number] if number < len(cell) else "" for cell in wrapped)
            self._write("  ".join(part.ljust(width) for part, width in zip(parts, _WIDTHS, strict=True)).rstrip())

    def _write(self, line: str) -> None:
        print(line, file=self._output, flush=True)
