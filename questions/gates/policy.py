"""What a deadline does: choose something that was fixed and shown beforehand."""

from __future__ import annotations

import math

import attrs

from .errors import InvalidGate
from .responses import Response

__all__ = ["TimeoutPolicy"]


@attrs.frozen
class TimeoutPolicy:
    """After so many milliseconds `response` is chosen, unless somebody has chosen before. Immutable.

    `after_ms`: more than 0 and finite; parts of a millisecond count as one. It is shown in advance, and what it
    chooses has the provenance `timeout`. Raises `InvalidGate`.
    """

    after_ms: float
    response: Response

    def __attrs_post_init__(self) -> None:
        faults = []
        if type(self.after_ms) not in (int, float) or not _is_positive_and_finite(self.after_ms):
            faults.append("$.timeout.afterMs: a finite positive number of milliseconds")
        if not isinstance(self.response, Response):
            faults.append("$.timeout.response: must be a Response")
        if faults:
            raise InvalidGate(faults)

    def deadline(self, created_at: int) -> int:
        """The deadline of a request made then; both are epoch milliseconds."""
        return created_at + math.ceil(self.after_ms)


def _is_positive_and_finite(number: float) -> bool:
    try:
        return 0 < float(number) < math.inf
    except OverflowError:
        return False
