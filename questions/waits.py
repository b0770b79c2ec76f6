"""What a program puts around the waits of its asks, such as a span of a trace; it can fail without harm."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .config import Around

__all__ = ["waiting_in"]

_log = logging.getLogger("questions")


@contextmanager
def waiting_in(around: Around, id: str) -> Iterator[None]:
    """The block waits inside `around(id)`. What that raises is logged: who waits is known to the store already."""
    try:
        inside = around(id)
        inside.__enter__()  # not `with`, which could not tell its errors from those of the block
    except Exception:
        _log.exception("what is put around the wait for question %s has failed", id)
        yield
        return
    try:
        yield
    finally:
        try:
            inside.__exit__(*sys.exc_info())
        except Exception:
            _log.exception("what is put around the wait for question %s has failed", id)
