"""Values of JSON: what can be one, and how it is kept so that nobody can change it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from questions.digest import canonical_json

from .forms import MOST, at

__all__ = ["LARGEST_VALUE", "frozen", "read_json", "value_faults", "write_json"]

LARGEST_VALUE = 2**20
"""Bytes of canonical JSON that a value may have."""
_DEEPEST = 64


def value_faults(path: str, value: object) -> list[str]:
    """Why it is no value of JSON that comes out the same in every language: all faults, each with its path.

    Refused: other types, names that are no text, NaN and infinities, whole numbers beyond 2**53 - 1, text with lone
    surrogates, more than 64 levels, more than 1 MiB.
    """
    faults = list(_faults(path, value, 0))
    if not faults and (size := len(canonical_json(value))) > LARGEST_VALUE:
        faults.append(f"{path}: {size} bytes, and at most {LARGEST_VALUE} are allowed")
    return faults


def frozen(value: Any) -> str:
    """The canonical JSON of a value without faults, as text."""
    return canonical_json(value).decode()


def write_json(value: Any) -> str:
    """JSON as it is stored and sent: one line, with the fields in the order that they have."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def read_json(text: str | bytes) -> Any:
    """The value that is written there. Raises `ValueError`, for a field that stands there twice too.

    A whole number beyond 2**53 - 1 is read as the double that it was written from.
    """
    try:
        return json.loads(text, parse_int=_number, parse_constant=_refused, object_pairs_hook=_fields)
    except RecursionError:
        raise ValueError("too deep") from None


def _faults(path: str, value: object, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        yield f"{path}: more than {_DEEPEST} levels deep"
    elif type(value) is dict:
        for name, inner in value.items():
            yield from _name_faults(path, name)
            yield from _faults(at(path, name), inner, depth + 1)
    elif type(value) is list or type(value) is tuple:
        for place, inner in enumerate(value):
            yield from _faults(f"{path}[{place}]", inner, depth + 1)
    else:
        yield from (f"{path}: {fault}" for fault in _scalar_faults(value))


def _name_faults(path: str, name: object) -> list[str]:
    if type(name) is not str:
        return [f"{at(path, name)}: its name must be text, not {type(name).__name__}"]
    return [f"{at(path, name)}: its name has a lone surrogate"] if _has_surrogate(name) else []


def _scalar_faults(value: object) -> list[str]:
    if value is None or type(value) is bool:
        return []
    if type(value) is str:
        return ["has a lone surrogate"] if _has_surrogate(value) else []
    if type(value) is int:
        return [] if abs(value) <= MOST else ["a whole number beyond 2**53 - 1; give it as text"]
    if type(value) is float:
        return [] if math.isfinite(value) else ["must be a finite number"]
    return [f"must be a value of JSON, not {type(value).__name__}"]


def _has_surrogate(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text)


def _number(digits: str) -> int | float:
    number = float(digits)
    return int(digits) if abs(number) <= MOST else number


def _refused(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field stands there twice")
    return fields
