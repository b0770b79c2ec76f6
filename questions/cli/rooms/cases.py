"""Reading a file of cases: one JSON object a line, each line on its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

import attrs

from questions.cli.bad_command import BadCommand
from questions.rooms.errors import InvalidJson
from questions.rooms.json_text import read_json
from questions.visible import visible

__all__ = ["LONGEST_LINE", "Line", "lines_of", "opened"]

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes: some 700,000 ballots."""


@attrs.frozen
class Line:
    """One line that is not blank: what it says, or why that cannot be read."""

    number: int
    """From 1."""
    value: object = None
    fault: str | None = None


def lines_of(name: str) -> Iterator[Line]:
    """The lines of a file, or of standard input (`-`), read as they are asked for. Raises `BadCommand`."""
    with opened(name) as file:
        number = 0
        while data := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(data) > LONGEST_LINE:
                raise BadCommand(f"{visible(name)}:{number}: longer than {LONGEST_LINE} bytes; give a case a line.")
            if data.strip():
                yield _read(number, data)


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """A file, or standard input (`-`), to be read in this block. Raises `BadCommand`."""
    if name == "-":
        yield sys.stdin.buffer
        return
    try:
        file = open(name, "rb")  # noqa: PTH123, SIM115
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "not a name of a file"
        raise BadCommand(f"{visible(name)} cannot be read: {why}.") from None
    with file:
        yield file


def _read(number: int, data: bytes) -> Line:
    try:
        return Line(number, read_json(data, LONGEST_LINE).value)
    except InvalidJson as error:
        return Line(number, fault=str(error))
