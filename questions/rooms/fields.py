"""Fields of what is sent to a room: what is wrong with one, as lines that begin with its path and never quote it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .ballots import is_text

__all__ = ["flag_faults", "one_of_faults", "optional", "text_faults", "unknown_faults", "whole_faults"]


def text_faults(path: str, text: object, least: int, most: int) -> list[str]:
    """Of a text of `least` to `most` code points; where one is needed, blanks alone are not enough."""
    if not isinstance(text, str) or not is_text(text):
        return [f"{path}: must be text of {least} to {most} code points"]
    if not least <= len(text) <= most:
        return [f"{path}: must be {least} to {most} code points, not {len(text)}"]
    return [f"{path}: must not be blank"] if least and text.isspace() else []


def whole_faults(path: str, number: object, least: int, most: int = 2**53) -> list[str]:
    """Of a whole number from `least` to `most`. True is none, and neither is "60" nor 60.0."""
    if type(number) is int and least <= number <= most:
        return []
    return [f"{path}: must be a whole number from {least}" + (f" to {most}" if most < 2**53 else "")]


def flag_faults(path: str, flag: object) -> list[str]:
    """Of true or false."""
    return [] if isinstance(flag, bool) else [f"{path}: must be true or false"]


def one_of_faults(path: str, word: object, words: Iterable[str]) -> list[str]:
    """Of one of some words."""
    return [] if isinstance(word, str) and word in words else [f"{path}: must be one of {', '.join(words)}"]


def optional(value: object, faults: list[str]) -> list[str]:
    """The faults, unless there is no value."""
    return [] if value is None else faults


def unknown_faults(path: str, given: Mapping[str, object], known: Iterable[str]) -> list[str]:
    """Of names that are not known; each fault says which are. Names are cut, since they come from outside."""
    known = tuple(known)
    return [f"{path}.{str(name)[:64]}: not known; there are {', '.join(known)}" for name in given if name not in known]
