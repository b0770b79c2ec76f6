"""Bounds for all that gates keep in a store."""

from __future__ import annotations

import attrs

from .errors import InvalidGate
from .forms import is_whole

__all__ = ["GateLimits"]

_MOST = 1_000_000
_LONGEST_MS = 365 * 86_400_000


@attrs.frozen
class GateLimits:
    """Bounds of the gates of one store, as the program that opens it keeps them. Raises `InvalidGate`.

    Each is 1 to 1,000,000, and `retention_ms` 0 to 365 days.
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
        counts = {name: number for name, number in attrs.asdict(self).items() if name != "retention_ms"}
        faults = [
            f"$.{name}: a whole number from 1 to {_MOST}" for name, n in counts.items() if not is_whole(n, 1, _MOST)
        ]
        if not is_whole(self.retention_ms, 0, _LONGEST_MS):
            faults.append(f"$.retention_ms: a whole number from 0 to {_LONGEST_MS}")
        if faults:
            raise InvalidGate(faults)
