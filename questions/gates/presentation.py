"""What people are shown: a summary and blocks of text. It is the only source of text that channels have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from .errors import InvalidRequest
from .forms import field_faults, object_faults
from .texts import normal, text_faults

__all__ = [
    "LONGEST_TEXT",
    "LONGEST_TOTAL",
    "MOST_BLOCKS",
    "MOST_ITEMS",
    "PRESENTATION",
    "Block",
    "Bullets",
    "Field",
    "Fields",
    "Paragraph",
    "Preformatted",
    "Presentation",
    "Section",
    "presentation_faults",
    "read_presentation",
]

PRESENTATION = "questions.decision-presentation.v1"
MOST_BLOCKS, MOST_ITEMS = 256, 256
LONGEST_TEXT, LONGEST_TOTAL = 16_000, 64_000  # code points


def _items(items: Any) -> Any:
    return tuple(map(normal, items)) if isinstance(items, list | tuple) else items


@attrs.frozen
class Paragraph:
    """Text of one or more lines."""

    text: str = attrs.field(converter=normal)


@attrs.frozen
class Section:
    """One line that labels what follows, up to the next section."""

    title: str = attrs.field(converter=normal)


@attrs.frozen
class Bullets:
    """1 to 256 points of one line each."""

    items: Sequence[str] = attrs.field(converter=_items)


@attrs.frozen
class Field:
    """A value of one line under a label of one line."""

    label: str = attrs.field(converter=normal)
    value: str = attrs.field(converter=normal)


@attrs.frozen
class Fields:
    """1 to 256 labelled values."""

    items: Sequence[Field] = attrs.field(converter=_items)


@attrs.frozen
class Preformatted:
    """Text of one or more lines whose spacing matters, such as a command or a difference."""

    text: str = attrs.field(converter=normal)


Block = Paragraph | Section | Bullets | Fields | Preformatted

_KINDS: Mapping[type[Block], str] = {
    Paragraph: "paragraph",
    Section: "section",
    Bullets: "bullets",
    Fields: "fields",
    Preformatted: "preformatted",
}


@attrs.frozen
class Presentation:
    """A summary of one line, and up to 256 blocks in their order. Immutable.

    A text has at most 16,000 code points, all together at most 64,000. Line ends become line feeds, and Unicode NFC;
    nothing is trimmed, cut or repaired. Raises `InvalidRequest` with every fault.
    """

    summary: str = attrs.field(converter=normal)
    blocks: Sequence[Block] = attrs.field(default=(), converter=_items)

    def __attrs_post_init__(self) -> None:
        if faults := presentation_faults("$.presentation", self.as_json()):
            raise InvalidRequest(faults)

    def as_json(self) -> dict[str, Any]:
        """As it stands in a request."""
        blocks = list(map(_plain, self.blocks)) if isinstance(self.blocks, tuple) else self.blocks
        return {"schema": PRESENTATION, "summary": self.summary, "blocks": blocks}


def read_presentation(given: Mapping[str, Any]) -> Presentation:
    """The presentation of plain data, as in a request. Raises `InvalidRequest` with every fault."""
    if faults := presentation_faults("$.presentation", given):
        raise InvalidRequest(faults)
    return Presentation(given["summary"], list(map(_read_block, given["blocks"])))


def presentation_faults(path: str, given: object) -> list[str]:
    """What is wrong with a presentation as it stands in a request."""
    if not isinstance(given, Mapping):
        return object_faults(path, given)
    faults = field_faults(path, given, ("schema", "summary", "blocks"), ())
    if "schema" in given and given["schema"] != PRESENTATION:
        faults.append(f"{path}.schema: must be {PRESENTATION}")
    if "summary" in given:
        faults += _line_faults(f"{path}.summary", given["summary"])
    if "blocks" in given:
        faults += _blocks_faults(f"{path}.blocks", given["blocks"])
    if (total := sum(len(normal(text)) for text in _texts(given))) > LONGEST_TOTAL:
        faults.append(f"{path}: {total} code points in all, and at most {LONGEST_TOTAL} are allowed")
    return faults


def _blocks_faults(path: str, given: object) -> list[str]:
    if not isinstance(given, list | tuple):
        return [f"{path}: must be a list of blocks"]
    if len(given) > MOST_BLOCKS:
        return [f"{path}: {len(given)} blocks, and at most {MOST_BLOCKS} are allowed"]
    return [fault for place, block in enumerate(given) for fault in _block_faults(f"{path}[{place}]", block)]


def _block_faults(path: str, block: object) -> list[str]:
    if not isinstance(block, Mapping):
        return object_faults(path, block)
    kind = block.get("kind")
    if not isinstance(kind, str) or kind not in _FORMS:
        return [f"{path}.kind: one of {', '.join(_FORMS)}"]
    name, check = _FORMS[kind]
    faults = field_faults(path, block, ("kind", name), ())
    return faults + (check(f"{path}.{name}", block[name]) if name in block else [])


def _line_faults(path: str, text: object) -> list[str]:
    return text_faults(path, text, LONGEST_TEXT, lines=False)


def _lines_faults(path: str, text: object) -> list[str]:
    return text_faults(path, text, LONGEST_TEXT, lines=True)


def _field_item_faults(path: str, item: object) -> list[str]:
    if not isinstance(item, Mapping):
        return object_faults(path, item)
    faults = field_faults(path, item, ("label", "value"), ())
    given = [name for name in ("label", "value") if name in item]
    return faults + [fault for name in given for fault in _line_faults(f"{path}.{name}", item[name])]


def _each(check: Callable[[str, object], list[str]]) -> Callable[[str, object], list[str]]:
    def check_all(path: str, items: object) -> list[str]:
        if not isinstance(items, list | tuple):
            return [f"{path}: must be a list"]
        if not 1 <= len(items) <= MOST_ITEMS:
            return [f"{path}: {len(items)} items, and there must be 1 to {MOST_ITEMS}"]
        return [fault for place, item in enumerate(items) for fault in check(f"{path}[{place}]", item)]

    return check_all


_FORMS: Mapping[str, tuple[str, Callable[[str, object], list[str]]]] = {
    "paragraph": ("text", _lines_faults),
    "section": ("title", _line_faults),
    "bullets": ("items", _each(_line_faults)),
    "fields": ("items", _each(_field_item_faults)),
    "preformatted": ("text", _lines_faults),
}


def _texts(given: Mapping[str, Any]) -> Iterator[str]:
    """Every text in it, however malformed it is, but for its schema and the kinds of its blocks."""
    waiting: list[Any] = [given.get("summary"), given.get("blocks")]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting += [inner for name, inner in one.items() if name != "kind"]
        elif isinstance(one, list | tuple):
            waiting += one


def _plain(block: Any) -> Any:
    """A block as plain data; what is none is left as it is, for the faults to name."""
    if type(block) not in _KINDS:
        return block
    fields = attrs.asdict(block, recurse=False)
    if isinstance(block, Bullets | Fields) and isinstance(block.items, tuple):
        fields["items"] = [attrs.asdict(item) if isinstance(item, Field) else item for item in block.items]
    return {"kind": _KINDS[type(block)], **fields}


def _read_block(given: Mapping[str, Any]) -> Block:
    kind = next(kind for kind, name in _KINDS.items() if name == given["kind"])
    if kind is Fields:
        return Fields([Field(item["label"], item["value"]) for item in given["items"]])
    return kind(given[_FORMS[given["kind"]][0]])
