"""Waiting, on trio, for the end of a call that was made over a link."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import outcome
import trio
from trio.lowlevel import Abort, current_task, reschedule, spawn_system_task, wait_task_rescheduled

from .calling import CallingSession
from .items import Made
from .messages import Cancelled, RawReturned, Received, Refused
from .refusals import error_of

__all__ = ["PATIENCE", "abandon_later", "end_of"]

PATIENCE = 5.0
"""Seconds for which a cancelled call waits to hear whether its result had come first."""


async def end_of(session: CallingSession, made: Made, push: Callable[[], None]) -> Any:
    """The value of a call, still encoded; raises what refused it. `push` sends what the session has to say.

    Cancelled, it gives the call up at the other side and waits for that: a result that came first wins, so both sides
    agree on how it ended (Q-SET-2). After a few seconds without a word it is cancelled all the same.
    """
    waiting = _Waiting(session, made, push)
    made.owner = waiting.told
    message: Received = await wait_task_rescheduled(waiting.abort)
    if isinstance(message, Refused):
        raise error_of(message)
    if isinstance(message, RawReturned):
        return message.value
    raise AssertionError("a call ends with what it returned, what refused it, or a cancellation")


class _Waiting:
    def __init__(self, session: CallingSession, made: Made, push: Callable[[], None]) -> None:
        self._session = session
        self._made = made
        self._push = push
        self._task = current_task()
        self._raise_cancel: Any = None
        self._over = trio.Event()

    def told(self, message: Received) -> None:
        self._over.set()
        if isinstance(message, Cancelled):
            reschedule(self._task, outcome.capture(self._raise_cancel or _never_cancelled))
        else:
            reschedule(self._task, outcome.Value(message))

    def abort(self, raise_cancel: Any) -> Abort:
        if self._over.is_set():
            return Abort.FAILED
        self._raise_cancel = raise_cancel
        waits = self._session.cancel(self._made)
        self._push()
        if waits:
            # Of no nursery: trio goes through the tasks of the one that is cancelled just now
            spawn_system_task(abandon_later, self._session, self._made, self._over, self.told)
            return Abort.FAILED
        return Abort.SUCCEEDED


async def abandon_later(
    session: CallingSession, made: Made, over: trio.Event, told: Callable[[Received], None]
) -> None:
    """Wait for the end of a call that was given up, but not for ever: `told` then hears that it was cancelled."""
    with trio.move_on_after(PATIENCE):
        await over.wait()
    if not over.is_set():
        session.abandon(made)
        told(Cancelled(0))


def _never_cancelled() -> Any:
    raise AssertionError("a call was cancelled by the other side, unasked")
