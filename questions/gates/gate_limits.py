"""Bounds for all that gates keep in a store."""

from __future__ import annotations

import attrs

from .errors import InvalidGate
from .forms import is_whole

__all__ = ["GateLimits"]

_MOST, _MOST_OF_ONE = 1_000_000, 1_000
_LONGEST_MS = 365 * 86_400_000


@attrs.frozen
class GateLimits:
    """Bounds of the gates of one store, as the program that opens it keeps them. Raises `InvalidGate`.

    `max_runs` and `max_open` are 1 to 1,000,000, those of one run or decision 1 to 1,000, `retention_ms` 0 to 365 days.
    """

    max_runs: int = 10_000
    """Runs in all; a start above that drops the ones that ended first, or is `TooManyRuns`. Running ones stay."""
    max_open: int = 1_000
    """Requests that are open; one more is `TooManyRequests`."""
    max_open_of_run: int = 32
    """Requests that one run has open; one more is `TooManyRequests`."""
    max_attempts_of_run: int = 1_000
    """Attempts that one run enters; one more is `TooManyRequests`."""
    max_submissions: int = 200
    """Answers to one decision that are recorded; those above are judged as ever, and leave no trace."""
    retention_ms: int = 30 * 86_400_000
    """For how long a run that has ended is kept at most, with all that belongs to it, milliseconds."""

    def __attrs_post_init__(self) -> None:
        bounds = {"max_runs": _MOST, "max_open": _MOST}
        bounds |= {
            "max_open_of_run": _MOST_OF_ONE,
            "max_attempts_of_run": _MOST_OF_ONE,
            "max_submissions": _MOST_OF_ONE,
        }
        faults = [
            f"$.{name}: a whole number from 1 to {most}"
            for name, most in bounds.items()
            if not is_whole(getattr(self, name), 1, most)
        ]
        if not is_whole(self.retention_ms, 0, _LONGEST_MS):
            faults.append(f"$.retention_ms: a whole number from 0 to {_LONGEST_MS}")
        if faults:
            raise InvalidGate(faults)
