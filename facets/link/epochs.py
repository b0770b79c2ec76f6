"""Which readable a revision belongs to."""

from __future__ import annotations

import secrets
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

from facets.readable import Readable

__all__ = ["Epochs"]


class Epochs:
    """Names for readables, each used once: a revision counts only for the readable that it was read from.

    A readable that was released and made anew counts from the start, and would else take an old revision for its own.
    """

    def __init__(self) -> None:
        self.start = secrets.token_hex(5)
        """Another one after each start of the process."""
        self._numbers = count(1)
        self._known: WeakKeyDictionary[Readable[Any], str] = WeakKeyDictionary()

    def of(self, readable: Readable[Any]) -> str:
        """The epoch of a readable."""
        epoch = self._known.get(readable)
        if epoch is None:
            epoch = self._known[readable] = f"{self.start}.{next(self._numbers)}"
        return epoch
