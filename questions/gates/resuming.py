"""`Resumer`: goes on with parked runs once their gates are decided, each once, and with what the dead have left.

Whoever goes on with a run holds a lease by its host and its epoch. Where that is gone or over, and the run was not
done with, another one goes on with it from the same gate.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import NoReturn

import trio

from facets.errors import Retryable
from questions.durable.backend import Conflict
from questions.durable.leases import Lease
from questions.durable.repeating import repeat
from questions.errors import QuestionError

from .gate_run import GateRun
from .resolution import AcceptedDecision
from .run_store import Resumption
from .runs import RunAttempt, RunState
from .stood import Versioned
from .store import GateStore
from .tables import RUN_ATTEMPTS

__all__ = ["Handler", "Resumer"]

Handler = Callable[[GateRun, Resumption], Awaitable[object]]
"""Goes on with a run. What it raises is logged, and the run is gone on with by whoever comes after this process."""
_log = logging.getLogger("questions")


class Resumer:
    """Goes on with the parked runs of some workflows. `open_gates(resume=...)` runs one.

    `handlers`: by workflow. `host_id`: the same one after each start. `lease_ms`: how long after a kill others go on.
    """

    def __init__(
        self, gates: GateStore, handlers: Mapping[str, Handler], host_id: str, *, lease_ms: int, poll: float
    ) -> None:
        self._gates = gates
        self._handlers = handlers
        self._lease = Lease(gates.store, host_id, lease_ms)
        self._poll = poll
        self._stuck: set[str] = set()
        self._living: dict[str, bool] = {}
        """Of the owners of attempts whether they live, as seen in this look."""
        self._next_look = -math.inf
        self._nudged = trio.Event()

    async def run(self) -> NoReturn:
        """Go on with runs, until cancelled."""
        self._gates.store.follower.listen(RUN_ATTEMPTS.name, self._hear)
        try:
            await repeat(self._live, "going on with parked runs")
        finally:
            self._gates.store.follower.unlisten(RUN_ATTEMPTS.name, self._hear)
            with trio.CancelScope(shield=True):
                await self._lease.end()

    async def _live(self) -> None:
        """One life: as long as the lease is kept. What runs at its end is stopped, and begun by whoever is next."""
        await self._lease.hold()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._keep, nursery.cancel_scope)
            nursery.start_soon(repeat, lambda: self._look(nursery), "looking for parked runs")

    async def _keep(self, living: trio.CancelScope) -> None:
        epoch, good_until = self._lease.epoch, trio.current_time() + self._lease.lease_ms / 1000
        while self._lease.epoch == epoch and trio.current_time() < good_until:
            await trio.sleep(self._lease.lease_ms / 3000)
            with suppress(Retryable):
                began = trio.current_time()
                await self._lease.hold()
                good_until = began + self._lease.lease_ms / 1000
        living.cancel()

    async def _look(self, nursery: trio.Nursery) -> None:
        self._nudged = trio.Event()
        for workflow in self._handlers:
            for attempt in await self._gates.runs.found("ready", workflow):
                await self._tried(attempt, self._begin, nursery)
        if trio.current_time() >= self._next_look:  # nothing tells of a lease that runs out
            self._living = {}
            for workflow in self._handlers:
                for attempt in await self._gates.runs.found("owned", workflow):
                    await self._tried(attempt, self._take_over, nursery)
            self._next_look = trio.current_time() + self._poll
        with trio.move_on_after(self._poll):
            await self._nudged.wait()

    async def _tried(self, attempt: Versioned[RunAttempt], take: _Take, nursery: trio.Nursery) -> None:
        """One that cannot be gone on with must not stop the others."""
        try:
            if resumption := await take(attempt):
                nursery.start_soon(self._go_on, resumption)
        except Conflict:  # somebody else was quicker
            pass
        except QuestionError as fault:
            if isinstance(fault, Retryable):
                raise
            if attempt.value.key not in self._stuck:
                self._stuck.add(attempt.value.key)
                _log.warning("attempt %s cannot be gone on with: %s", attempt.value.key, fault)

    async def _begin(self, attempt: Versioned[RunAttempt]) -> Resumption | None:
        standing = await self._gates.get(attempt.value.decision_id or "")
        request, decision = standing.request, standing.resolution
        given = decision if isinstance(decision, AcceptedDecision) else None
        resumption = await self._gates.resume(request.run_id, request.attempt_id, given, owner=self._lease.owner)
        return resumption if resumption.first else None

    async def _take_over(self, attempt: Versioned[RunAttempt]) -> Resumption | None:
        owner = attempt.value.owner
        if owner is None or owner == self._lease.owner:
            return None
        if owner not in self._living:
            self._living[owner] = bool(await self._lease.left(owner))
        if self._living[owner]:
            return None
        run = await self._gates.run(attempt.value.run_id)
        if run.state is not RunState.RUNNING:
            await self._gates.runs.hand_over(attempt, None)
            return None
        return await self._gates.runs.take_over(attempt, run, self._lease.owner)

    async def _go_on(self, resumption: Resumption) -> None:
        attempt = resumption.attempt
        try:
            await self._handlers[attempt.workflow](GateRun(self._gates, resumption.run, attempt.owner), resumption)
            await self._gates.runs.done_with(attempt)
        except Exception:
            _log.exception(
                "going on with run %s has failed; whoever comes after this process tries again", attempt.run_id
            )

    def _hear(self, _: str | None) -> None:
        self._nudged.set()


_Take = Callable[[Versioned[RunAttempt]], Awaitable[Resumption | None]]
