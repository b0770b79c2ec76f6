"""Objects of JSON: which fields there are to be, and whole numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeGuard

from questions.visible import visible

__all__ = ["MOST", "at", "field_faults", "is_whole", "object_faults"]

MOST = 2**53 - 1
"""Whole numbers are exact in every language up to here."""


def at(path: str, name: object) -> str:
    """The path of a field, whatever it is called."""
    return f"{path}.{visible(str(name)[:64])}"


def object_faults(path: str, given: object) -> list[str]:
    """Whether it is an object at all."""
    return [] if isinstance(given, Mapping) else [f"{path}: must be an object, not {type(given).__name__}"]


def field_faults(path: str, given: Mapping[Any, Any], needed: Collection[str], known: Collection[str]) -> list[str]:
    """Fields that are missing, and fields that nobody knows. `known`: those that may be there besides."""
    faults = [f"{at(path, name)}: missing" for name in needed if name not in given]
    return faults + [f"{at(path, name)}: not known" for name in given if name not in needed and name not in known]


def is_whole(number: object, least: int, most: int = MOST) -> TypeGuard[int]:
    """Whether it is a whole number within bounds; True is none."""
    return type(number) is int and least <= number <= most
