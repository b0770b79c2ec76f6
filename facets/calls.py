"""Which call code runs in: the outermost one has an id, which nested scopes and the tasks that they start inherit."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

__all__ = ["current_call", "in_call"]

_CURRENT: ContextVar[str | None] = ContextVar("call", default=None)


def current_call() -> str | None:
    """The id of the outermost `host.root()` that this code runs in, or None outside of any. No two have the same id."""
    return _CURRENT.get()


@contextmanager
def in_call() -> Iterator[None]:
    """Be in a call for the block: in the one that this runs in already, or else in a new one."""
    if _CURRENT.get() is not None:
        yield
        return
    token = _CURRENT.set(secrets.token_urlsafe(12))
    try:
        yield
    finally:
        with suppress(ValueError):  # it is left in another context than it was entered in, which never was in the call
            _CURRENT.reset(token)
