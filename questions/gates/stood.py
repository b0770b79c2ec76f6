"""What is read before something is changed: values, and the versions that the change has to expect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

import attrs

from .outbox import Effect
from .request import Request
from .runs import RunAttempt
from .steps import Standing

__all__ = ["Stood", "Versioned"]

T = TypeVar("T")


@attrs.frozen
class Versioned(Generic[T]):
    """What a row holds, and the version that a change of it has to expect."""

    value: T
    version: int


@attrs.frozen
class Stood:
    """A decision as it was read at `now`, epoch milliseconds of the store's clock, and all that hangs on it."""

    standing: Standing
    version: int
    attempt: Versioned[RunAttempt]
    effects: Sequence[Versioned[Effect]]
    now: int

    @property
    def request(self) -> Request:
        """What was asked."""
        return self.standing.request
