"""A request as Telegram messages: parts of plain text, each small enough to be sent whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from questions.gates.adapter import Ended
from questions.gates.document import document
from questions.gates.responses import Response
from questions.gates.view import ChannelView

from .errors import TooManyParts
from .words import ended_text

__all__ = ["LONGEST_MESSAGE", "MOST_PARTS", "parts_of", "units"]

LONGEST_MESSAGE = 4_096
"""UTF-16 code units, as Telegram counts; everything else in gates counts code points."""
MOST_PARTS = 20
_BETWEEN = "\n\n"


def units(text: str) -> int:
    """The length of a text in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def parts_of(view: ChannelView) -> tuple[str, ...]:
    """The messages that show all of a request, in order: 1 to 20, nothing left out.

    Each begins with which part it is and with the fingerprint, and has room left for how the request ends. Raises
    `TooManyParts`.
    """
    drawn = document(view)
    room = LONGEST_MESSAGE - units(_header(MOST_PARTS, MOST_PARTS, drawn.fingerprint) + _BETWEEN)
    room -= _widest_ending(view)
    bodies = list(_packed(drawn.parts, room))
    if len(bodies) > MOST_PARTS:
        raise TooManyParts(view.decision_id, len(bodies), MOST_PARTS)
    return tuple(_header(number, len(bodies), drawn.fingerprint) + body for number, body in enumerate(bodies, start=1))


def _widest_ending(view: ChannelView) -> int:
    chosen = (Ended("accepted", Response(id), by) for id in view.choices for by in ("human", "timeout"))
    return max(units(ended_text(view, one)) for one in (*chosen, Ended("cancelled"), Ended("expired")))


def _header(number: int, parts: int, fingerprint: str) -> str:
    return f"Part {number}/{parts}\nFingerprint {fingerprint}{_BETWEEN}"


def _packed(segments: Iterable[str], room: int) -> Iterator[str]:
    """As many segments a part as fit, with blank lines between them."""
    part = ""
    for segment in segments:
        if part and units(part + _BETWEEN + segment) <= room:
            part += _BETWEEN + segment
            continue
        if part:
            yield part
        *full, part = _pieces(segment, room)
        yield from full
    yield part


def _pieces(segment: str, room: int) -> Iterator[str]:
    """A segment in pieces that fit: cut at the last line end that fits, else between two code points."""
    while (fitting := _fitting(segment, room)) < len(segment):
        line_end = segment.rfind("\n", 1, fitting + 1)
        yield segment[: fitting if line_end < 0 else line_end]
        segment = segment[fitting:] if line_end < 0 else segment[line_end + 1 :]
    yield segment


def _fitting(text: str, room: int) -> int:
    """How many code points from its beginning fit."""
    if units(text) <= room:
        return len(text)
    used = 0
    for place, char in enumerate(text):
        used += 2 if char > "\uffff" else 1
        if used > room:
            return place
    return len(text)
