"""Single keys from a terminal, through trio, and a terminal that is as it was afterwards, whatever happens."""

from __future__ import annotations

import codecs
import os
import re
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager

import trio

__all__ = ["Keyboard", "keys_in"]

_KEY = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.)?|[\s\S]")
_NAMED = {
    "\r": "enter",
    "\n": "enter",
    "\t": "tab",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x1b[B": "down",
    "\x1bOB": "down",
    "\x1b[6~": "down",
}


def keys_in(text: str) -> list[str]:
    """The keys in what a terminal sent: a printable character, or a name. Other control keys are left out."""
    named = (_NAMED.get(key, key) for key in _KEY.findall(text))
    return [key for key in named if key in _NAMED.values() or key.isprintable()]


class Keyboard:
    """The keys of the terminal behind `fd`. Belongs to one task; usable inside `with keyboard.direct()`."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._decode = codecs.getincrementaldecoder("utf-8")("ignore").decode

    @contextmanager
    def direct(self) -> Iterator[None]:
        """Keys come one by one and are not echoed; Ctrl-C still interrupts. Restored at the end of the block."""
        self._before = before = termios.tcgetattr(self._fd)
        tty.setcbreak(self._fd, termios.TCSAFLUSH)
        try:
            yield
        finally:
            # Flush: a key meant for a question must not reach the shell that comes after.
            termios.tcsetattr(self._fd, termios.TCSAFLUSH, before)

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Inside `direct()`: the terminal is as it was before, for the shell while the program is stopped."""
        direct = termios.tcgetattr(self._fd)
        termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)
        try:
            yield
        finally:
            termios.tcsetattr(self._fd, termios.TCSAFLUSH, direct)

    async def read(self) -> list[str]:
        """Wait for keys. Returns several when they came at once (a paste); none at all once the terminal has gone."""
        while True:
            await trio.lowlevel.wait_readable(self._fd)
            try:
                sent = os.read(self._fd, 4096)
            except OSError:
                return []
            if not sent or (keys := keys_in(self._decode(sent))):
                return keys if sent else []

    def discard(self) -> None:
        """Drop what was typed and not read yet."""
        termios.tcflush(self._fd, termios.TCIFLUSH)
