"""Any value of JSON as blocks that people can read: `present_value`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from questions.digest import canonical_json

from .digests import sealed
from .errors import InvalidRequest
from .presentation import LONGEST_TEXT, MOST_ITEMS, Block, Bullets, Field, Fields, Paragraph, Section
from .texts import shown, words
from .values import value_faults

__all__ = ["present_value"]

_BETWEEN = " / "
_NAMED: Any = {None: "None", True: "Yes", False: "No"}


def present_value(value: Any, *, most_blocks: int = 240, longest: int = 60_000) -> tuple[Block, ...]:
    """A value as blocks. Names become labels (`planDigest`: Plan Digest), plain members stand first, as fields.

    Members are in the order of their names. What would be refused is shown otherwise: text of several lines as
    paragraphs, nothing as "(empty)", control characters as U+FFFD.

    `most_blocks`, `longest` (code points in all): what it may take, so that there is room beside it. From what does
    not fit on, whole blocks are left out, and a last paragraph says so, with the digest and the size of the value.
    Raises `InvalidRequest` for what is no JSON.
    """
    if faults := value_faults("$.value", value):
        raise InvalidRequest(faults)
    notice = _notice(value)
    kept: list[Block] = []
    room = longest - len(notice.text)
    for block in _blocks(value, ()):
        room -= _length(block)
        if len(kept) == most_blocks - 1 or room < 0 or not _fits(block):
            return (*_without_empty_sections(kept), notice)
        kept.append(block)
    return tuple(kept)


def _notice(value: Any) -> Paragraph:
    size = len(canonical_json(value))
    return Paragraph(f"Not everything is shown here. The whole value has {size} bytes and the digest {sealed(value)}.")


def _blocks(value: Any, path: tuple[str, ...]) -> Iterator[Block]:
    if isinstance(value, dict) and value:
        yield from _members(value, path)
    elif isinstance(value, list | tuple) and value:
        yield from _entries(value, path)
    else:
        yield from _paragraphs(_text(value))


def _members(value: dict[str, Any], path: tuple[str, ...]) -> Iterator[Block]:
    members = [(_label(name), value[name]) for name in sorted(value, key=_code_units)]
    plain = [Field(label, _text(member)) for label, member in members if _is_line(member)]
    yield from (Fields(chunk) for chunk in _chunks(plain))
    for label, member in members:
        if not _is_line(member):
            yield Section(_BETWEEN.join((*path, label)))
            yield from _blocks(member, (*path, label))


def _entries(value: Sequence[Any], path: tuple[str, ...]) -> Iterator[Block]:
    """Runs of plain entries as bullets, in order; each other entry under its number."""
    for is_plain, run in groupby(enumerate(value, 1), key=lambda entry: _is_line(entry[1])):
        if is_plain:
            yield from (Bullets(chunk) for chunk in _chunks([_text(entry) for _, entry in run]))
            continue
        for place, entry in run:
            yield Section(_BETWEEN.join((*path, str(place))))
            yield from _blocks(entry, (*path, str(place)))


def _paragraphs(text: str) -> Iterator[Paragraph]:
    for start in range(0, len(text), LONGEST_TEXT):
        chunk = text[start : start + LONGEST_TEXT]
        yield Paragraph(chunk if chunk.strip() else "(blank)")


def _is_line(value: Any) -> bool:
    """Whether it fits into one line: then it is a field or a bullet."""
    if isinstance(value, dict | list | tuple):
        return not value
    text = _text(value)
    return len(text) <= LONGEST_TEXT and "\n" not in text and "\t" not in text


def _text(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return str(_NAMED[value])
    if isinstance(value, str):
        text = shown(value)
        return text if text.strip() else "(blank)" if text else "(empty)"
    return "(empty)" if value in ({}, [], ()) else canonical_json(value).decode()


def _label(name: str) -> str:
    return " ".join(word[:1].upper() + word[1:] for word in words(shown(name))) or "(empty)"


def _code_units(name: str) -> bytes:
    return name.encode("utf-16-be")


def _chunks(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (items[start : start + MOST_ITEMS] for start in range(0, len(items), MOST_ITEMS))


def _texts(block: Block) -> list[str]:
    match block:
        case Section(title=text) | Paragraph(text=text):
            return [text]
        case Fields(items=items):
            return [text for item in items for text in (item.label, item.value)]
        case Bullets(items=items):
            return list(items)
    return []


def _length(block: Block) -> int:
    return sum(map(len, _texts(block)))


def _fits(block: Block) -> bool:
    return all(len(text) <= LONGEST_TEXT for text in _texts(block))


def _without_empty_sections(blocks: list[Block]) -> list[Block]:
    while blocks and isinstance(blocks[-1], Section):
        blocks = blocks[:-1]
    return blocks
