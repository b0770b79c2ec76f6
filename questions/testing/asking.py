"""An ask under way in a test."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import outcome
import trio

__all__ = ["Asking"]


class Asking:
    """An ask, or other work that asks, under way in a task of its own."""

    def __init__(self) -> None:
        self.outcome: outcome.Outcome[Any] | None = None
        """How it ended: the value, or the error, `trio.Cancelled` left out; None while it waits."""
        self.cancelled = False
        self._scope = trio.CancelScope()
        self.done = trio.Event()
        """Set once it has ended."""

    def cancel(self) -> None:
        """Cancel the asking task."""
        self._scope.cancel()

    async def wait(self) -> Any:
        """Wait for the end; returns what `ask` returned, or raises what it raised."""
        await self.done.wait()
        if self.outcome is None:
            raise RuntimeError("the ask was cancelled")
        return self.outcome.unwrap()

    async def run(self, function: Callable[..., Awaitable[Any]], *args: Any) -> None:
        """Be the task: `nursery.start_soon(asking.run, function)`."""
        with self._scope:
            try:
                self.outcome = outcome.Value(await function(*args))
            except Exception as error:
                self.outcome = outcome.Error(error)
        self.cancelled = self._scope.cancelled_caught
        self.done.set()
