"""Waiting for the end of a decision, with what is left of its time on a terminal."""

from __future__ import annotations

from typing import TextIO

import trio

from questions.cli.durations import in_words
from questions.cli.lines import line_of
from questions.cli.live_line import LiveLine, is_screen
from questions.durable.decision import Decision
from questions.durable.decisions import Decisions
from questions.durable.errors import StoreUnavailable
from questions.durable.store import Store

__all__ = ["awaited"]

_TICK = 0.5
"""Seconds between two looks of the countdown."""


async def awaited(store: Store, decisions: Decisions, id: str, timeout_ms: int | None, told: TextIO) -> Decision:
    """The decision once it has ended, or as it is after `timeout_ms`. Raises what `Decisions.wait` does.

    If `told` is a terminal, it shows meanwhile for whom it waits, and for how long yet.
    """
    if not is_screen(told):
        return await decisions.wait(id, timeout_ms)
    line = LiveLine(told)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_count_down, store, decisions, id, line)
            decision = await decisions.wait(id, timeout_ms)
            nursery.cancel_scope.cancel()
    finally:
        line.end()
    return decision


async def _count_down(store: Store, decisions: Decisions, id: str, line: LiveLine) -> None:
    while True:
        line.write(await _standing(store, decisions, id))
        await trio.sleep(_TICK)


async def _standing(store: Store, decisions: Decisions, id: str) -> str:
    try:
        decision, now = await decisions.get(id), await store.backend.now()
    except StoreUnavailable as error:
        return line_of(f"{error.why}; trying again")
    left = "" if decision.deadline is None else f"; {in_words((decision.deadline - now) / 1000)} left"
    return line_of(f"Waiting for {decision.holder}{left}.")
