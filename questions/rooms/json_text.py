"""Reading JSON so that any two programs read the same: nothing twice, no number that is none, an end to everything."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import attrs

from questions.digest import canonical_json

from .errors import InvalidJson

__all__ = ["DEEPEST", "LARGEST", "JsonText", "read_json"]

LARGEST = 16 * 1024 * 1024
"""Bytes."""
DEEPEST = 64
"""Lists and objects in one another."""

_MOST_FAULTS = 100
_EXACT = 2**53 - 1
_HALF_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F]")
_BIG = 16
"""Digits from which on an integer may be more than a double can hold exactly."""


@attrs.frozen
class JsonText:
    """A text of JSON, and what it says. Numbers are doubles, as in any language; whole ones up to 2**53 - 1 are int."""

    data: bytes = attrs.field(repr=False)
    value: Any
    _has_only_plain_numbers: bool

    @property
    def is_canonical(self) -> bool:
        """Whether it is written as RFC 8785 has it, so that any program that writes the same value writes the same."""
        if self.data.isascii() and self._has_only_plain_numbers:  # then the rules of `json` are those of RFC 8785
            plain = json.dumps(self.value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            if plain.encode() == self.data:
                return True
        return canonical_json(self.value) == self.data


def read_json(data: bytes, largest: int = LARGEST, path: str = "$") -> JsonText:
    """Read a text of JSON of up to `largest` bytes. `path` is what it is called in faults.

    Raises `InvalidJson` with every fault: of what is no JSON in UTF-8, and of what JSON lets be but programs read
    differently (RFC 7493): a key that is there twice, a number beyond the doubles, half of a surrogate pair.
    """
    if len(data) > largest:
        raise InvalidJson([f"{path}: has {len(data)} bytes, more than {largest}"])
    reading = _Reading()
    try:
        value = reading.decoder().decode(data.decode())
    except UnicodeDecodeError as error:
        raise InvalidJson([f"{path}: is not UTF-8, from byte {error.start} on"]) from None
    except json.JSONDecodeError as error:
        raise InvalidJson([f"{path}: is no JSON, from character {error.pos} on"]) from None
    except RecursionError:
        raise InvalidJson([f"{path}: is nested more than {DEEPEST} deep"]) from None
    if _is_too_deep(value):
        raise InvalidJson([f"{path}: is nested more than {DEEPEST} deep"])
    if reading.is_suspect or _HALF_CHARACTER.search(data):
        faults = [fault for fault, _ in zip(_faults(value, path), range(_MOST_FAULTS), strict=False)]
        if faults:
            raise InvalidJson(faults)
    return JsonText(data, value, reading.has_only_plain_numbers)


class _Doubled(dict[str, Any]):
    """An object in which these keys stand more than once."""

    twice: list[str]


class _NoNumber(float):
    """What stands for a number that is none, or is beyond the doubles."""


class _Reading:
    """What is noticed while a text is read; where it was is looked for only if there was something."""

    def __init__(self) -> None:
        self.is_suspect = False
        self.has_only_plain_numbers = True

    def decoder(self) -> json.JSONDecoder:
        return json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_float=self._double,
            parse_int=self._integer,
            parse_constant=self._constant,
        )

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) == len(pairs):
            return made
        self.is_suspect = True
        doubled = _Doubled(made)
        seen: set[str] = set()
        doubled.twice = list(dict.fromkeys(name for name, _ in pairs if name in seen or seen.add(name)))  # type: ignore[func-returns-value]
        return doubled

    def _integer(self, text: str) -> float:
        if len(text) < _BIG:
            return int(text)
        number = self._double(text)
        return int(number) if abs(number) <= _EXACT else number

    def _double(self, text: str) -> float:
        number = float(text)
        if number.is_integer() or "e" in text or "E" in text:
            self.has_only_plain_numbers = False
        return number if abs(number) != float("inf") else self._constant(text)

    def _constant(self, text: str) -> float:  # noqa: ARG002
        self.is_suspect = True
        return _NoNumber("nan")


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [below for one in level for below in _below(one) if isinstance(below, dict | list)]
        if not level:
            return False
    return True


def _below(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _faults(value: Any, path: str) -> Iterator[str]:
    """Everything that is wrong in a value, each with its path. No deeper than `DEEPEST`."""
    if isinstance(value, _Doubled):
        yield from (f"{path}.{_named(name)}: is there twice" for name in value.twice)
    if isinstance(value, dict):
        for name, below in value.items():
            if not _is_text(name):
                yield f"{path}: has a key with half of a surrogate pair"
            yield from _faults(below, f"{path}.{_named(name)}")
    elif isinstance(value, list):
        for place, below in enumerate(value):
            yield from _faults(below, f"{path}[{place}]")
    elif isinstance(value, _NoNumber):
        yield f"{path}: is no number that a double can hold"
    elif isinstance(value, str) and not _is_text(value):
        yield f"{path}: has half of a surrogate pair"


def _named(name: str) -> str:
    """A key in a path: short, and as text that can be written."""
    return name[:40].encode(errors="backslashreplace").decode()


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
