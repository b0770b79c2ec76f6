"""`picture`: an explanation as an SVG document, without a browser.

Built as a tree, so that nothing in a name can be taken for markup. Whatever colour says is said by a pattern and by a
word, too; it follows the reader's choice of dark or light, and has a title and a description for those who hear it.
"""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from xml.etree.ElementTree import Element, SubElement, tostring

from .explain_parts import Bar, Chart, Explanation, Table

__all__ = ["picture"]

_WIDTH, _MARGIN, _LINE = 760, 24, 20
_BARS, _LONGEST = 300, 300
"""Where bars begin, and how long the longest is."""
_CELL = 44
_CHARACTERS = 96
"""In one line of text."""
_STYLE = """
svg { background: #ffffff; color: #1b1b1f; }
text { fill: currentColor; font: 14px system-ui, sans-serif; }
.title { font-size: 18px; font-weight: 700; }
.head { font-weight: 700; }
.name { text-anchor: end; }
.cell { text-anchor: middle; }
.won { font-weight: 700; }
.quiet { opacity: 0.8; }
.bar { stroke: currentColor; stroke-width: 1; }
.wins { fill: #0b57d0; }
.line { stroke: currentColor; stroke-dasharray: 4 3; }
.ink { stroke: currentColor; fill: none; }
.dot { fill: currentColor; stroke: none; }
@media (prefers-color-scheme: dark) {
  svg { background: #16171b; color: #ececf1; }
  .wins { fill: #8ab4f8; }
}
"""
_FILLS = {"": "url(#dots)", "goes": "url(#stripes)", "wins": ""}


def picture(explanation: Explanation) -> str:
    """The SVG document, well-formed XML in one text. Its size is bounded, as the explanation's is."""
    page = _Page(explanation)
    page.text(explanation.title, "title")
    page.gap()
    for reason in explanation.reasons:
        page.text(reason)
    for chart in explanation.charts:
        page.chart(chart)
    for table in explanation.tables:
        page.table(table)
    return page.finish()


class _Page:
    """A document that grows downwards."""

    def __init__(self, explanation: Explanation) -> None:
        names = {"role": "img", "aria-labelledby": "title desc", "xmlns": "http://www.w3.org/2000/svg"}
        self._root = Element("svg", names)
        _add(self._root, "title", explanation.title, id="title")
        _add(self._root, "desc", "\n".join(_description(explanation)), id="desc")
        _add(self._root, "style", _STYLE)
        self._patterns()
        self._y = _MARGIN + 4

    def _patterns(self) -> None:
        inside = SubElement(self._root, "defs")
        size = {"width": "6", "height": "6", "patternUnits": "userSpaceOnUse"}
        dots, stripes = (SubElement(inside, "pattern", {"id": name, **size}) for name in ("dots", "stripes"))
        _add(dots, "circle", cx="3", cy="3", r="1", **{"class": "dot"})
        _add(stripes, "path", d="M0 6 L6 0", **{"class": "ink"})

    def gap(self) -> None:
        """Some room."""
        self._y += _LINE // 2

    def text(self, words: str, kind: str = "") -> None:
        """A sentence, in as many lines as it takes."""
        for line in wrap(words, _CHARACTERS if kind != "title" else 70) or [""]:
            _add(self._root, "text", line, x=str(_MARGIN), y=str(self._y), **{"class": kind})
            self._y += _LINE

    def chart(self, chart: Chart) -> None:
        """Bars, each with its name before it, and its number and what becomes of it after it."""
        self.gap()
        self.text(chart.title, "head")
        top = self._y - 14
        for bar in chart.bars:
            self._bar(bar, _LONGEST * max(bar.value, 0.0) / chart.longest)
        if chart.limit is not None:
            x = f"{_BARS + _LONGEST * chart.limit / chart.longest:.1f}"
            _add(self._root, "line", x1=x, x2=x, y1=str(top), y2=str(self._y - 12), **{"class": "line"})
        if chart.left_out:
            self.text(f"and {chart.left_out} more", "quiet")
        if chart.limit_words:
            self.text(f"Dashed line: {chart.limit_words}", "quiet")

    def _bar(self, bar: Bar, length: float) -> None:
        y, won = str(self._y), "won" if bar.mark == "wins" else ""
        _add(self._root, "text", bar.name, x=str(_BARS - 10), y=y, **{"class": f"name {won}".rstrip()})
        kind = "bar wins" if bar.mark == "wins" else "bar"
        rect = _add(self._root, "rect", x=str(_BARS), y=str(self._y - 12), width=f"{length:.1f}", height="15")
        rect.set("class", kind)
        if fill := _FILLS[bar.mark]:
            rect.set("fill", fill)
        words = f"{bar.written} ({bar.mark})" if bar.mark else bar.written
        _add(self._root, "text", words, x=f"{_BARS + length + 8:.1f}", y=y, **{"class": won})
        self._y += _LINE + 2

    def table(self, table: Table) -> None:
        """Rows under heads; the first column is as wide as names are."""
        self.gap()
        self.text(table.title, "head")
        for row in (table.heads, *table.rows):
            for place, cell in enumerate(row):
                x = str(_BARS - 10 if place == 0 else _BARS + _CELL * place - _CELL // 2)
                kind = "name" if place == 0 else "cell won" if cell.endswith("*") else "cell"
                _add(self._root, "text", cell, x=x, y=str(self._y), **{"class": kind})
            self._y += _LINE
        if table.left_out:
            self.text(table.left_out, "quiet")

    def finish(self) -> str:
        """The document."""
        height = str(self._y + _MARGIN - _LINE // 2)
        self._root.set("viewBox", f"0 0 {_WIDTH} {height}")
        self._root.set("width", str(_WIDTH))
        self._root.set("height", height)
        return tostring(self._root, encoding="unicode") + "\n"


def _description(explanation: Explanation) -> Iterator[str]:
    """All that the picture shows, in words."""
    yield from explanation.reasons
    for chart in explanation.charts:
        bars = ", ".join(f"{bar.name} {bar.written}" + (f" ({bar.mark})" if bar.mark else "") for bar in chart.bars)
        yield f"{chart.title}: {bars}"
    for table in explanation.tables:
        yield from table.lines()


def _add(parent: Element, tag: str, text: str | None = None, **attributes: str) -> Element:
    made = SubElement(parent, tag, {name: value for name, value in attributes.items() if value})
    made.text = text
    return made
