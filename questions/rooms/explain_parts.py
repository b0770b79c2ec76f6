"""What an explanation is made of: sentences, charts of bars and tables; as plain data, and as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import attrs

from .outcome import Status

__all__ = ["MOST_BARS", "Bar", "Chart", "Explanation", "Reasons", "Table"]

MOST_BARS = 20
"""In one chart; the others are counted."""
_WIDTH = 24
"""Characters of the longest bar."""

Mark = Literal["", "wins", "goes"]


@attrs.frozen
class Bar:
    """An option, or a voter, and a number. Texts are ready to be shown: in one line, short, with nothing hidden."""

    name: str
    value: float
    written: str
    mark: Mark = ""


@attrs.frozen
class Chart:
    """Bars, the longest first."""

    title: str
    bars: tuple[Bar, ...]
    limit: float | None = None
    """Where a line is drawn."""
    limit_words: str = ""
    """What is beyond it, or what it is."""
    left_out: int = 0
    """How many bars more there would be."""

    @property
    def longest(self) -> float:
        """What the longest bar, or the line, stands for."""
        return max([1e-9, self.limit or 0.0, *(bar.value for bar in self.bars)])

    def lines(self) -> Iterator[str]:
        """As text."""
        yield self.title
        name = max((len(bar.name) for bar in self.bars), default=0)
        number = max((len(bar.written) for bar in self.bars), default=0)
        for bar in self.bars:
            drawn = "#" * round(_WIDTH * max(bar.value, 0.0) / self.longest)
            mark = f"({bar.mark})" if bar.mark else ""
            yield f"  {bar.name:<{name}}  {bar.written:>{number}}  {drawn} {mark}".rstrip()
        if self.left_out:
            yield f"  and {self.left_out} more"
        if self.limit_words:
            yield f"  {self.limit_words}"


@attrs.frozen
class Table:
    """Rows of texts under heads."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: str = ""
    """What is not in it, in words."""

    def lines(self) -> Iterator[str]:
        """As text."""
        yield self.title
        widths = [max(map(len, column)) for column in zip(self.heads, *self.rows, strict=True)]
        for row in (self.heads, *self.rows):
            first, *others = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            yield f"  {first}  {'  '.join(others)}".rstrip()
        if self.left_out:
            yield f"  {self.left_out}"


@attrs.define
class Reasons:
    """What one mechanism has to say: sentences and figures, gathered one after the other."""

    sentences: list[str] = attrs.field(factory=list)
    charts: list[Chart] = attrs.field(factory=list)
    tables: list[Table] = attrs.field(factory=list)


@attrs.frozen
class Explanation:
    """Why a vote came out as it did. Immutable; made by `explain`, from the count itself.

    All texts are ready to be shown: names are cut to a bearable length, and nothing in them is invisible.
    """

    id: str
    mechanism: str
    winner: str | None
    """The option as it is written in the case; None: nobody has won."""
    status: Status
    title: str
    """The result, in one sentence."""
    reasons: tuple[str, ...]
    """Why, a sentence each."""
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        return attrs.asdict(self)

    def as_text(self) -> str:
        """For people: the result, the reasons, then the figures."""
        figures: Sequence[Chart | Table] = (*self.charts, *self.tables)
        parts = [[self.title, *(f"- {reason}" for reason in self.reasons)], *(list(one.lines()) for one in figures)]
        return "\n\n".join("\n".join(part) for part in parts)
