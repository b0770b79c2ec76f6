"""Objects of JSON: which fields there are to be, and whole numbers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeGuard

from questions.visible import visible

__all__ = [
    "LONGEST_NAME",
    "MOST",
    "Check",
    "at",
    "checked_faults",
    "field_faults",
    "is_whole",
    "list_faults",
    "number_faults",
    "object_faults",
    "one_of",
]

MOST = 2**53 - 1
"""Whole numbers are exact in every language up to here."""
LONGEST_NAME = 64
"""Code points of the name of a field that a fault says."""


Check = Callable[[str, object], list[str]]
"""What is wrong with something, each fault with the path that was given."""


def at(path: str, name: object) -> str:
    """The path of a field, whatever it is called."""
    return f"{path}.{visible(str(name)[:LONGEST_NAME])}"


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


def checked_faults(path: str, given: object, needed: Mapping[str, Check], known: Mapping[str, Check]) -> list[str]:
    """What is wrong with an object and what its fields hold. `known`: fields that may be there besides."""
    if not isinstance(given, Mapping):
        return object_faults(path, given)
    checks = {**needed, **known}
    faults = field_faults(path, given, needed, known)
    return faults + [fault for name in given if name in checks for fault in checks[name](at(path, name), given[name])]


def list_faults(check: Check) -> Check:
    """A list of things, each of which is checked."""

    def faults(path: str, given: object) -> list[str]:
        if not isinstance(given, list):
            return [f"{path}: must be a list, not {type(given).__name__}"]
        return [fault for place, one in enumerate(given) for fault in check(f"{path}[{place}]", one)]

    return faults


def number_faults(least: int) -> Check:
    """A whole number from `least`."""
    return lambda path, number: [] if is_whole(number, least) else [f"{path}: a whole number of {least} or more"]


def one_of(*values: str) -> Check:
    """One of a few words."""
    return lambda path, given: [] if given in values else [f"{path}: one of {', '.join(values)}"]
