"""What a raise drops: decisions that have ended and are too old, or too many. Open ones are never dropped."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .backend import Row, Scan, Write
from .limits import StoreLimits
from .swapping import BATCH, Records
from .table import DECISIONS

__all__ = ["to_drop"]


async def to_drop(records: Records, limits: StoreLimits, now: int, besides: Collection[str] = ()) -> list[Write]:
    """What a raise at `now` has to delete in its own commit: what ended first goes first.

    At most `BATCH` at a time, so that no raise takes long; the next one goes on. Not those `besides`, which another
    raise is dropping, and none that cannot be read.
    """
    too_many = await records.backend.count(DECISIONS, "all", ()) + 1 - limits.max_stored
    ended = await _ended(records, besides, BATCH, until=now - limits.retention_ms - 1)
    if too_many > len(ended):  # both are the beginning of one order
        ended = await _ended(records, besides, min(too_many, BATCH))
    return [Write(DECISIONS, row.key, row.version, None) for row in ended]


async def _ended(records: Records, besides: Collection[str], most: int, until: int | None = None) -> Sequence[Row]:
    limit = most + records.set_aside + len(besides)
    found = await records.backend.scan(Scan(DECISIONS, "final", (1,), limit, until=until))
    return [row for row in found.rows if row.key not in besides and records.readable(row)][:most]
