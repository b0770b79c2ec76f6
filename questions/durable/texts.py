"""Texts from outside: how long they may be, and that they can be written at all."""

from __future__ import annotations

__all__ = ["text_faults"]


def text_faults(path: str, text: object, least: int, most: int) -> list[str]:
    """What is wrong with a text of `least` to `most` code points, as lines; it is never quoted.

    Where at least one is needed, blanks alone are not enough. Lone surrogates, which Python's texts may hold, can be
    written neither in JSON nor in UTF-8.
    """
    if not isinstance(text, str):
        return [f"{path}: text of {least} to {most} code points"]
    if not least <= len(text) <= most:
        return [f"{path}: {least} to {most} code points, not {len(text)}"]
    if least and text.isspace():
        return [f"{path}: not blank"]
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        return [f"{path}: Unicode text, without lone surrogates"]
    return []
