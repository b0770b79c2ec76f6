"""One owner of state, one message at a time.

A message is a plain function and its arguments. To an idle actor, from its own thread, it is handled at once, so a
call costs a call; from other threads it goes through trio. Nothing in a handler awaits, so nothing can come
between its first line and its last (Q-FAC-4).
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from functools import partial
from threading import get_ident
from typing import Any, TypeVar

import trio

from .errors import ActorBusy

__all__ = ["Actor", "supervise"]

R = TypeVar("R")
_log = logging.getLogger("facets")


class Actor:
    """Base class of a supervised owner of state. Made inside `trio.run`, lives until its host closes it.

    Subclasses have plain methods for messages, and override `tick` (what time and wake-ups bring) and `failed`.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._thread = get_ident()
        self._token = trio.lowlevel.current_trio_token()
        self._mailbox: deque[Callable[[], object]] = deque()
        self._outbox: deque[Callable[[], object]] = deque()
        self._handling = False
        self._draining = False
        self._timer = trio.CancelScope()
        self._parked: trio.lowlevel.Task | None = None
        self._awake = False

    @trio.lowlevel.enable_ki_protection  # a handler that Ctrl-C cuts short would leave waiters that nobody can wake
    def call(self, handler: Callable[..., R], *args: Any) -> R:
        """Handle a message now and return its result; what the handler raises fails this message only.

        From another thread it blocks until the actor's thread has handled it. From inside a handler of the same
        actor it raises `ActorBusy`, with nothing done: `post` instead.
        """
        if get_ident() != self._thread:
            return trio.from_thread.run_sync(partial(self.call, handler, *args), trio_token=self._token)
        if self._handling:
            raise ActorBusy(self.name)
        self._handling = True
        try:
            return handler(*args)
        finally:
            self._handling = False
            if self._mailbox or self._outbox:
                self._drain()

    @property
    def busy(self) -> bool:
        """Whether a handler is at work right now, which then is the caller's caller."""
        return self._handling

    def after(self, function: Callable[..., object], *args: Any) -> None:
        """From a handler: call something that is no message once the handler has ended; what it raises is logged.

        For telling the outside, which may then call the actor again.
        """
        self._outbox.append(partial(function, *args))

    def post(self, handler: Callable[..., object], *args: Any) -> None:
        """Handle a message as soon as possible, from any thread and from handlers; what it raises is logged."""
        self._mailbox.append(partial(handler, *args))
        if get_ident() != self._thread:
            self._token.run_sync_soon(self._drain, idempotent=True)
        elif not self._handling:
            self._drain()

    @trio.lowlevel.enable_ki_protection
    def _drain(self) -> None:
        if self._draining:  # further up: what a report has left behind is handled there, not on top of it
            return
        self._draining = True
        try:
            while not self._handling and (self._mailbox or self._outbox):
                self._handle_next()
        finally:
            self._draining = False

    def _handle_next(self) -> None:
        self._handling = bool(self._mailbox)
        job = (self._mailbox or self._outbox).popleft()
        try:
            job()
        except Exception:
            _log.exception("%s: a posted message or a report failed", self.name)
        finally:
            self._handling = False

    def wake(self) -> None:
        """Have `tick` called in the next scheduler step. From the actor's own thread."""
        self._awake = True
        if self._parked is not None:
            parked, self._parked = self._parked, None
            trio.lowlevel.reschedule(parked)

    def alarm(self, at: float) -> None:
        """Have `tick` called at `at` (trio time) at the latest. One timer serves all alarms."""
        if at < self._timer.deadline:
            self._timer.deadline = at

    def tick(self) -> float:
        """Do what is due and return when to be called again (trio time, or infinity)."""
        return float("inf")

    def failed(self, error: Exception) -> None:
        """`run` has crashed and will be started again: fail what waits, keep what can be kept."""

    async def run(self) -> None:
        """The actor's own task: calls `tick` when something is due or has woken it. Ends by cancellation only."""
        while True:
            self._awake = False
            with trio.CancelScope() as self._timer:
                self.alarm(self.call(self.tick))  # not set: a message posted meanwhile may want an earlier one
                await self._park()

    async def _park(self) -> None:
        if self._awake:
            await trio.lowlevel.checkpoint()
            return
        self._parked = trio.lowlevel.current_task()
        await trio.lowlevel.wait_task_rescheduled(self._unpark)

    def _unpark(self, _: object) -> trio.lowlevel.Abort:
        self._parked = None
        return trio.lowlevel.Abort.SUCCEEDED


async def supervise(actor: Actor, pause: float = 0.01, longest: float = 5.0) -> None:
    """Run an actor, and start it again when it crashes, after `pause` seconds, doubled each time up to `longest`.

    A crash is logged and told to `actor.failed`, which fails the waiters. Ends by cancellation only.
    """
    wait = pause
    while True:
        started = trio.current_time()
        try:
            await actor.run()
        except Exception as error:
            _log.exception("%s crashed and is started again", actor.name)
            actor.call(actor.failed, error)
        if trio.current_time() - started > longest:
            wait = pause
        await trio.sleep(wait)
        wait = min(wait * 2, longest)
