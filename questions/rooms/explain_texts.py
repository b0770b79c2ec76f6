"""Names and numbers as an explanation shows them: short, in one line, and no two that differ looking the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from unicodedata import east_asian_width, normalize

from questions.visible import visible

__all__ = ["Names", "Numbers", "counted", "listed", "percent", "shown"]

_LONGEST = 32
"""Columns of a name; East Asian characters take two."""
_MOST_LISTED = 6
_NOT_XML = re.compile("[\ufffe\uffff]")
_NUMBERED = re.compile(r"\(no\. \d+\)\s*$")


def shown(text: str) -> str:
    """A text of somebody else's in one line, with what cannot be seen made visible, and cut if it is long."""
    one_line = visible(text[: 2 * _LONGEST]).replace("\n", "\\n").replace("\t", "\\t")
    one_line = _NOT_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", one_line)
    width = 0
    for place, character in enumerate(one_line):
        width += 2 if east_asian_width(character) in "WF" else 1
        if width > _LONGEST:
            return f"{one_line[:place]}\u2026"
    return one_line if len(text) <= 2 * _LONGEST else f"{one_line}\u2026"


def _look(name: str) -> str:
    """What names have in common that readers cannot tell apart: blanks, and characters that are written in two ways."""
    return " ".join(normalize("NFKC", name).split())


class Names:
    """The options of a vote as they are shown. `labels`: what people call them, if that is not what they are."""

    def __init__(self, options: Sequence[str], labels: Mapping[str, str]) -> None:
        self._shown: dict[str, str] = {}
        taken: dict[str, int] = {}
        for option in options:
            self._shown[option] = name = shown(labels.get(option, option))
            taken[_look(name)] = taken.get(_look(name), 0) + 1
        for place, (option, name) in enumerate(list(self._shown.items()), 1):
            if taken[_look(name)] > 1 or not name.strip() or _NUMBERED.search(_look(name)):  # cut alike, or called so
                self._shown[option] = f"{name} (no. {place})".lstrip()

    def __call__(self, option: str) -> str:
        """The name of an option, without quotes."""
        return self._shown[option]

    def quoted(self, options: Iterable[str]) -> str:
        """Several in a sentence."""
        return listed([f'"{self(option)}"' for option in options])


def listed(words: Sequence[str]) -> str:
    """`a, b and c`; of very many the first few, and how many more there are."""
    if len(words) > _MOST_LISTED:
        return f"{', '.join(words[: _MOST_LISTED - 1])} and {len(words) - _MOST_LISTED + 1} more"
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def counted(number: int, what: str) -> str:
    """`1 ballot`, `2 ballots`."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


class Numbers:
    """Numbers with as few digits as tell all of these apart."""

    def __init__(self, values: Iterable[float]) -> None:
        distinct = set(values)
        fitting = (digits for digits in (2, 4, 8) if len({_written(one, digits) for one in distinct}) == len(distinct))
        self._digits = next(fitting, None)

    def __call__(self, value: float) -> str:
        """One of them in digits."""
        return repr(float(value)) if self._digits is None else _written(value, self._digits)


def _written(value: float, digits: int) -> str:
    if abs(value) >= 2**53:
        return repr(float(value))
    return f"{value:,.{digits}f}".rstrip("0").rstrip(".") if value != int(value) else f"{int(value):,}"


def percent(share: float, beside: float) -> str:
    """A share in per cent, with as many digits as tell it apart from another one."""
    for digits in (1, 3, 6):
        if share == beside or f"{100 * share:.{digits}f}" != f"{100 * beside:.{digits}f}":
            text = f"{100 * share:.{digits}f}"
            return f"{text.rstrip('0').rstrip('.')} %"
    return f"{100 * share!r} %"
