"""The three standard streams, so that none of them can change what a command has decided.

A stream may be closed, full, or read by nobody any more. What is told on standard error is then lost and nothing else;
what is printed on standard output is the result, so that its loss is told.
"""

from __future__ import annotations

import os
import sys
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any, TextIO

__all__ = ["output_fault", "prepare_streams"]

_MODES = {"stdin": "r", "stdout": "w", "stderr": "w"}


def prepare_streams() -> None:
    """Open what is closed on nothing, and let no stream fail more than once. For the length of the process.

    Whatever the locale, a character that it has not is shown as its code.
    """
    for descriptor, (name, mode) in enumerate(_MODES.items()):
        if _is_closed(descriptor):  # and the next file to be opened would be taken for it
            os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, open(descriptor, mode, closefd=False, encoding="utf-8"))  # noqa: SIM115  # see above
    if sys.stdout is sys.__stdout__:
        sys.stdout = _guarded(sys.stdout, is_result=True)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _guarded(sys.stderr, is_result=False)


def output_fault() -> OSError | None:
    """Why something that was printed could not be written; from then on nothing is. None: all was."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw.fault if isinstance(raw, _Guarded) else None


def _guarded(stream: TextIO | Any, *, is_result: bool) -> TextIO | Any:
    """The same file as another stream."""
    stream.flush()
    raw = _Guarded(stream.fileno(), "w", closefd=False)
    raw.is_result = is_result
    line_by_line = not is_result or stream.isatty()
    return TextIOWrapper(
        BufferedWriter(raw), encoding=stream.encoding, errors="backslashreplace", line_buffering=line_by_line
    )


class _Guarded(FileIO):
    """A file that raises what keeps it from being written once, if it is the result; else it loses that."""

    is_result = False
    fault: OSError | None = None

    def write(self, data: Any, /) -> int:
        if self.fault is None:
            try:
                return super().write(data)
            except OSError as error:
                self.fault = error
                if self.is_result:
                    raise
        return len(memoryview(data).cast("B"))


def _is_closed(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return True
    return False
