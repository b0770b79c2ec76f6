"""Times as they are typed: a number and its unit, or plain seconds."""

from __future__ import annotations

import argparse
import math
import re

__all__ = ["in_words", "parse_duration", "parse_seconds"]

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def parse_duration(text: str) -> float:
    """Seconds of `90s`, `30m`, `8h` or `30d`. Raises `argparse.ArgumentTypeError`."""
    match = re.fullmatch(r"(\d{1,9})([smhd])", text, re.ASCII)
    if match is None:
        raise argparse.ArgumentTypeError("a number and s, m, h or d, such as 30m, 8h or 30d")
    return float(match[1]) * _UNITS[match[2]]


def parse_seconds(text: str) -> float:
    """Seconds, 0 or more. Raises `argparse.ArgumentTypeError`."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError("seconds, 0 or more")
    return seconds


def in_words(seconds: float) -> str:
    """`59 s`, `4:05`, `3:02:00`, `2 d 3:00:00`: as a countdown shows it, rounded up to the second."""
    whole = math.ceil(max(seconds, 0))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    clock = f"{hours}:{minutes:02}:{rest:02}" if hours or days else f"{minutes}:{rest:02}"
    return f"{days} d {clock}" if days else clock
