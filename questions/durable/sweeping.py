"""The sweeper of a store: it moves decisions on whose time is over, so that the next holder is woken.

Nothing depends on it: whoever looks at a decision applies its deadlines first.
"""

from __future__ import annotations

from typing import NoReturn

import trio

from .repeating import repeat
from .swapping import Records

__all__ = ["sweep_for_ever"]


async def sweep_for_ever(records: Records, every: float) -> NoReturn:
    """Apply what is due, every so many seconds; goes on when the store was away. Ends by being cancelled."""

    async def sweep() -> None:
        await records.sweep(await records.backend.now())
        await trio.sleep(every)

    await repeat(sweep, "the sweeper")
