"""An open question as its asker sees it: who has answered, and never what."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import attrs

from facets.principal import Who

from .deadlines import Deadline, instant

__all__ = ["OpenAsk"]


@attrs.frozen
class OpenAsk:
    """One of the questions that an asker waits for, as it stands. Immutable, and holds no answer."""

    id: str
    key: str | None
    """What its asker calls it."""
    message: str
    answered: tuple[Who, ...]
    """Who has answered, in order of arrival."""
    waiting_for: tuple[Who, ...]
    """Who may answer and has not."""
    seen: tuple[Who, ...]
    """Who has been shown it; empty: nobody has."""
    opened: float
    """When it was asked, epoch seconds."""
    _limit: Deadline | None = attrs.field(repr=False)
    _now: Callable[[], float] = attrs.field(repr=False, eq=False)

    @property
    def asked_at(self) -> datetime:
        """When it was asked, UTC."""
        return instant(self.opened)

    @property
    def deadline(self) -> datetime | None:
        """When it ends, UTC; None: when it is answered or withdrawn."""
        return None if self._limit is None else instant(self._limit.epoch)

    @property
    def remaining(self) -> float | None:
        """Seconds until the deadline, now; None without one."""
        return None if self._limit is None else self._limit.remaining(self._now())
