"""Runs in a store: started, entered, gone on with and ended, each once, however often and by whomever it is tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import attrs

from questions.durable.backend import Below, GuardFailed, Unchanged

from .dropping import drop_old_runs
from .gate_limits import GateLimits
from .identifiers import record_id_faults
from .pieces import Piece
from .receipt import Receipt, receipt_of, verified
from .resolution import AcceptedDecision
from .rows import run_attempt_piece, run_piece
from .runs import AttemptEvent, AttemptState, Run, RunAttempt, RunState, ended, read_run_attempt, stepped
from .settling import settled_piece
from .steps import Cancel, step
from .stood import Versioned
from .store_errors import Differs, InvalidRun, NotWaiting, RunEnded, TooManyRequests, TooManyRuns
from .stored import ALL, Stored
from .tables import RUN_ATTEMPTS, RUNS
from .texts import normal, text_faults
from .values import frozen, value_faults
from .writing import by_rounds, write

__all__ = ["Resumption", "RunStore"]

_LONGEST_NAME = 200


@attrs.frozen
class Resumption:
    """A run that goes on after a gate. `first`: whether it is this call that has made it go on; exactly one has."""

    run: Run
    attempt: RunAttempt
    receipt: Receipt
    first: bool


class RunStore:
    """The runs of a store. Everything here may be repeated."""

    def __init__(self, stored: Stored, limits: GateLimits) -> None:
        self._stored = stored
        self._limits = limits

    async def start(self, id: str, workflow: str, input: Any = None) -> Run:
        """A run that is started, or was, with the same workflow and input. See `GateStore.start_run`."""
        faults = record_id_faults("$.runId", id) + text_faults("$.workflow", workflow, _LONGEST_NAME, lines=False)
        if faults := faults + value_faults("$.input", input):
            raise InvalidRun(faults)
        wanted = Run(id=id, workflow=normal(workflow), input_json=frozen(input), started_at=0)
        with suppress(GuardFailed):
            return await by_rounds(lambda: self._start(wanted), id)
        await drop_old_runs(self._stored, self._limits, room=1)
        try:
            return await by_rounds(lambda: self._start(wanted), id)
        except GuardFailed as full:
            raise TooManyRuns("runs that are kept", full.guard.limit) from None

    async def _start(self, wanted: Run) -> Run:
        if await self._stored.row(RUNS, wanted.id):
            run = (await self._stored.run(wanted.id)).value
            if (run.workflow, run.input_json) != (wanted.workflow, wanted.input_json):
                raise Differs("run", run.id)
            return run
        run = attrs.evolve(wanted, started_at=await self._stored.backend.now())
        room = Piece(guards=(Below(RUNS, "all", (), self._limits.max_runs),))
        await write(self._stored.backend, run_piece(run, 0) + room)
        return run

    async def enter(self, run_id: str, node: str, id: str) -> RunAttempt:
        """An attempt that is entered, or was, at the same node. See `GateStore.enter_attempt`."""
        faults = record_id_faults("$.attemptId", id) + text_faults("$.node", node, _LONGEST_NAME, lines=False)
        if faults:
            raise InvalidRun(faults)
        try:
            return await by_rounds(lambda: self._enter(run_id, normal(node), id), f"{run_id}/{id}")
        except GuardFailed as full:
            raise TooManyRequests(f"attempts of run {run_id}", full.guard.limit) from None

    async def _enter(self, run_id: str, node: str, id: str) -> RunAttempt:
        run = await self._stored.run(run_id)
        if row := await self._stored.row(RUN_ATTEMPTS, f"{run_id}/{id}"):
            attempt = read_run_attempt(row.value)
            if attempt.node != node:
                raise Differs("attempt", id)
            return attempt
        if run.value.state is not RunState.RUNNING:
            raise RunEnded(run_id, run.value.state.value)
        now = await self._stored.backend.now()
        attempt = RunAttempt(id=id, run_id=run_id, workflow=run.value.workflow, node=node, entered_at=now)
        room = Below(RUN_ATTEMPTS, "run", (run_id,), self._limits.max_attempts_of_run)
        guards = Piece(guards=(Unchanged(RUNS, run_id, run.version), room))
        older = await self._left(run_id, lambda one: one.node == node)
        await write(self._stored.backend, run_attempt_piece(attempt, 0) + guards + older)
        return attempt

    async def end(self, id: str, state: RunState) -> Run:
        """End a run so, and take back what it waits for. See `GateStore.finish_run`."""
        return await by_rounds(lambda: self._end(id, state), id)

    async def _end(self, id: str, state: RunState) -> Run:
        run = await self._stored.run(id)
        now = await self._stored.backend.now()
        await write(self._stored.backend, await self.ending(run, state, now))
        return ended(run.value, state, now)

    async def ending(self, run: Versioned[Run], state: RunState, now: int, besides: str | None = None) -> Piece:
        """What ends a run, with all that it waits for but the decision `besides`. Raises `RunEnded`."""
        after = ended(run.value, state, now)
        if after is run.value:
            return Piece()
        return run_piece(after, run.version) + await self._left(run.value.id, lambda one: one.decision_id != besides)

    async def _left(self, run_id: str, concerns: Callable[[RunAttempt], bool]) -> Piece:
        """The end of what attempts of a run wait for, and are ready for."""
        piece = Piece()
        for found in await self._stored.attempts(run_id, AttemptState.WAITING):
            if concerns(found.value) and found.value.decision_id is not None:
                stood = await self._stored.stood(found.value.decision_id)
                resolution = step(stood.standing, Cancel(), stood.now).standing.resolution
                if resolution is not None and stood.standing.resolution is None:
                    piece += settled_piece(stood, resolution)
        for found in await self._stored.attempts(run_id, AttemptState.READY):
            if concerns(found.value):
                piece += run_attempt_piece(stepped(found.value, AttemptEvent.LEAVE), found.version)
        return piece

    async def resume(
        self, run_id: str, attempt_id: str, given: AcceptedDecision | None, owner: str | None = None
    ) -> Resumption:
        """Have a run go on, once. See `GateStore.resume`."""
        return await by_rounds(lambda: self._resume(run_id, attempt_id, given, owner), f"{run_id}/{attempt_id}")

    async def _resume(
        self, run_id: str, attempt_id: str, given: AcceptedDecision | None, owner: str | None
    ) -> Resumption:
        attempt = await self._stored.attempt(run_id, attempt_id)
        run = (await self._stored.run(run_id)).value
        if attempt.value.decision_id is None:
            raise NotWaiting("", attempt.value.state.value)
        standing = await self._stored.standing(attempt.value.decision_id)
        receipt = receipt_of(standing.request, verified(standing.request, standing.resolution, given))
        if attempt.value.state is AttemptState.RESUMED:
            return Resumption(run, attempt.value, receipt, first=False)
        if run.state is not RunState.RUNNING:
            raise RunEnded(run.id, run.state.value)
        if attempt.value.state is not AttemptState.READY:
            raise NotWaiting(standing.request.decision_id, attempt.value.state.value)
        resumed = stepped(attempt.value, AttemptEvent.RESUME, owner=owner)
        await write(self._stored.backend, run_attempt_piece(resumed, attempt.version))
        return Resumption(run, resumed, receipt, first=True)

    async def take_over(self, attempt: Versioned[RunAttempt], run: Run, owner: str) -> Resumption:
        """Have `owner` go on with a run again, from the same gate. Raises `Conflict` if another one was quicker."""
        standing = await self._stored.standing(attempt.value.decision_id or "")
        decision = standing.resolution if isinstance(standing.resolution, AcceptedDecision) else None
        receipt = receipt_of(standing.request, verified(standing.request, standing.resolution, decision))
        return Resumption(run, await self.hand_over(attempt, owner), receipt, first=False)

    async def hand_over(self, attempt: Versioned[RunAttempt], owner: str | None) -> RunAttempt:
        """Say who goes on with a run; None: nobody has to any more. Raises `Conflict`."""
        after = attrs.evolve(attempt.value, owner=owner)
        await write(self._stored.backend, run_attempt_piece(after, attempt.version))
        return after

    async def done_with(self, attempt: RunAttempt) -> None:
        """What was to be done after a gate is done; nothing happens if another one goes on with it now."""

        async def once() -> None:
            found = await self._stored.attempt(attempt.run_id, attempt.id)
            if found.value.owner == attempt.owner is not None:
                await self.hand_over(found, None)

        await by_rounds(once, attempt.key)

    async def hold(self, attempt: Versioned[RunAttempt], parked: bool) -> None:
        """Say whether somebody waits in place, or the run is parked. Raises `Conflict`."""
        if attempt.value.state is AttemptState.WAITING and attempt.value.parked is not parked:
            held = attrs.evolve(attempt.value, parked=parked)
            await write(self._stored.backend, run_attempt_piece(held, attempt.version))

    async def found(self, index: str, workflow: str) -> Sequence[Versioned[RunAttempt]]:
        """Attempts of a workflow that are `ready` to go on, or `owned` by who goes on with them; the oldest first.

        All of them: those that cannot be gone on with, or are in good hands, must not hide the others.
        """
        rows = await self._stored.rows(RUN_ATTEMPTS, index, (workflow,), ALL)
        return self._stored.readable(rows, lambda row: read_run_attempt(row.value))
