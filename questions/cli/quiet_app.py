"""A screen that people answer at, which shows nothing of what they type when it fails."""

from __future__ import annotations

from typing import Any, TypeVar

from textual.app import App

__all__ = ["QuietApp"]

R = TypeVar("R")


class QuietApp(App[R]):
    """What the inbox and the dialog of a gate share. It is there from when `on_mount` says so until it ends."""

    def __init__(self) -> None:
        super().__init__()
        self._is_there = False
        """Whether there is something to draw on."""
        self.failure: Exception | None = None
        """A fault of the program, or of what it looks at, which has ended it."""

    def exit(self, *args: Any, **options: Any) -> None:
        """As for any app."""
        self._is_there = False
        super().exit(*args, **options)

    def _handle_exception(self, error: Exception) -> None:
        """The library's hook. Its own report shows what variables hold, and an answer may be among that (Q-SEC-1)."""
        self.failure = self.failure or getattr(error, "error", error)  # one of a worker is wrapped
        self.exit(return_code=1)
