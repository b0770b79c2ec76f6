"""Points in time as records have them: ISO 8601 in UTC with milliseconds. In Python they are epoch milliseconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

__all__ = ["LATEST", "instant_faults", "iso", "milliseconds"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FORM = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
LATEST = (datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)
"""The last millisecond that can be written."""
_EARLIEST = (datetime(1, 1, 1, tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)


def iso(at: int) -> str:
    """Epoch milliseconds, from year 1 to `LATEST`, as `2026-08-21T00:10:00.000Z`."""
    moment = _EPOCH + timedelta(milliseconds=at)
    return f"{moment.year:04}-{moment:%m-%dT%H:%M:%S}.{moment.microsecond // 1_000:03}Z"


def milliseconds(moment: str | datetime) -> int:
    """The epoch milliseconds of an instant in that very form, or of an aware datetime (the rest is cut off).

    Raises `ValueError` for anything else.
    """
    if isinstance(moment, str):
        if not _FORM.fullmatch(moment):
            raise ValueError("not an instant")
        moment = datetime.fromisoformat(moment)
    if moment.utcoffset() is None:
        raise ValueError("no time zone")
    at = (moment - _EPOCH) // timedelta(milliseconds=1)
    if not _EARLIEST <= at <= LATEST:  # it is in a year that UTC has not got
        raise ValueError("no instant in UTC")
    return at


def instant_faults(path: str, moment: object) -> list[str]:
    """What is wrong with an instant in a record."""
    try:
        milliseconds(moment if isinstance(moment, str) else "")
    except ValueError:
        return [f"{path}: an instant in UTC with milliseconds, such as 2026-08-21T00:10:00.000Z"]
    return []
