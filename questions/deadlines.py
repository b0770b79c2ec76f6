"""Deadline arithmetic. The clocks are the caller's; `now` is passed in."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import attrs

__all__ = ["Deadline", "instant", "time_faults", "time_limit"]

_FIRST = datetime(1, 1, 1, tzinfo=UTC).timestamp()
_LAST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp()


@attrs.frozen
class Deadline:
    """A point in time on two clocks. The exact instant belongs to the deadline (Q-SET-5)."""

    at: float
    """Seconds on the clock that judges it: trio's."""
    epoch: float
    """The same point for people, epoch seconds."""

    def due(self, now: float) -> bool:
        """Whether it has come."""
        return now >= self.at

    def remaining(self, now: float) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.at - now)


def instant(epoch: float) -> datetime:
    """Epoch seconds as an aware datetime, UTC: the nearest that there is, for `timeout=1e300` is a timeout too."""
    return datetime.fromtimestamp(min(max(epoch, _FIRST), _LAST), UTC)


def time_faults(timeout: object, deadline: object) -> list[str]:
    """What is wrong with the times of an ask."""
    faults = []
    if timeout is not None and deadline is not None:
        faults.append("$.timeout: give timeout or deadline, not both")
    if timeout is not None:
        faults += _timeout_faults(timeout)
    if deadline is not None and not (isinstance(deadline, datetime) and deadline.utcoffset() is not None):
        faults.append("$.deadline: a datetime with a time zone, such as datetime.now(UTC) + timedelta(minutes=5)")
    return faults


def _timeout_faults(timeout: object) -> list[str]:
    if isinstance(timeout, timedelta):
        timeout = timeout.total_seconds()
    if isinstance(timeout, bool) or not isinstance(timeout, int | float):
        return ["$.timeout: seconds, or a timedelta"]
    if not _positive_and_finite(timeout):
        return ["$.timeout: more than 0 seconds and finite; for no time limit leave it out"]
    return []


def _positive_and_finite(seconds: float) -> bool:
    try:
        return 0 < float(seconds) < math.inf
    except OverflowError:  # an int beyond all floats
        return False


def time_limit(
    timeout: float | timedelta | None, deadline: datetime | None, now: float, epoch: float
) -> Deadline | None:
    """The deadline of an ask made at `now`, which is `epoch` on the wall clock. May have passed."""
    if deadline is not None:
        left = deadline.timestamp() - epoch
    elif timeout is None:
        return None
    else:
        left = timeout.total_seconds() if isinstance(timeout, timedelta) else float(timeout)
    return Deadline(now + left, epoch + left)
