"""Requests in a store: made once, and settled once, each change being one commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import attrs

from questions.durable.backend import Before, Below, Conflict, GuardFailed
from questions.durable.errors import UnknownDecision

from .gate_limits import GateLimits
from .lease import HeldLease
from .outbox import Effect
from .pieces import Piece
from .records import read_request, write_request
from .request import Request
from .resolution import AcceptedDecision, Cancellation
from .rows import effect_piece, request_piece, run_attempt_piece, run_piece, submission_piece
from .run_store import RunStore
from .runs import AttemptEvent, AttemptState, Run, RunAttempt, RunState, stepped
from .settling import settled_piece
from .steps import Answer, Cancel, Expire, Outcome, State, Timeout, step
from .stood import Stood, Versioned
from .store_errors import Differs, LeaseLost, NotWaiting, RunEnded, TooManyRequests
from .stored import Stored
from .submission import Attempt, Submission
from .tables import EFFECTS, GATE_SERVER, REQUESTS, RUN_ATTEMPTS, SUBMISSIONS
from .verdicts import Accepted, Cancelled, Refused, Verdict
from .writing import by_rounds, write

__all__ = ["Audiences", "RequestStore", "presenting", "waits"]

Audiences = Mapping[str, Sequence[str]]
"""The ids of the channels of each audience."""
_ENDS = {"cancelled": RunState.CANCELLED, "expired": RunState.EXPIRED}


class RequestStore:
    """The requests of a store."""

    def __init__(self, stored: Stored, runs: RunStore, limits: GateLimits, audiences: Audiences) -> None:
        self._stored = stored
        self._runs = runs
        self._limits = limits
        self._audiences = audiences

    async def create(self, request: Request, *, parked: bool) -> Literal["created", "adopted"]:
        """See `GateStore.create`."""
        try:
            return await by_rounds(lambda: self._create(request, parked), request.decision_id)
        except GuardFailed as full:
            of = f" of run {request.run_id}" if full.guard.index == "state" and len(full.guard.equal) > 1 else ""
            raise TooManyRequests(f"requests that are open{of}", full.guard.limit) from None

    async def _create(self, request: Request, parked: bool) -> Literal["created", "adopted"]:
        run = await self._stored.run(request.run_id)
        attempt = await self._stored.attempt(request.run_id, request.attempt_id)
        if attempt.value.decision_id is not None:
            await self._adopt(request, attempt, parked)
            return "adopted"
        if (request.workflow_name, request.node_id) != (run.value.workflow, attempt.value.node):
            raise Differs("attempt", request.attempt_id)
        if run.value.state is not RunState.RUNNING:
            raise RunEnded(run.value.id, run.value.state.value)
        if attempt.value.state is not AttemptState.ENTERED:
            raise NotWaiting(request.decision_id, attempt.value.state.value)
        await write(self._stored.backend, await self._created(request, run, attempt, parked))
        return "created"

    async def _created(
        self, request: Request, run: Versioned[Run], attempt: Versioned[RunAttempt], parked: bool
    ) -> Piece:
        asked = stepped(attempt.value, AttemptEvent.ASK, decision_id=request.decision_id, parked=parked)
        piece = request_piece(request, State.OPEN, 0) + run_attempt_piece(asked, attempt.version)
        piece += run_piece(attrs.evolve(run.value, asked=run.value.asked + 1), run.version)
        now = await self._stored.backend.now()
        for channel in sorted(set(self._audiences.get(request.audience, ()))):
            piece += effect_piece(presenting(request, channel, now), 0)
        return piece + Piece(guards=self._room(request))

    def _room(self, request: Request) -> tuple[Below, Below]:
        waiting = (request.run_id, AttemptState.WAITING.value)
        return (
            Below(REQUESTS, "state", (State.OPEN.value,), self._limits.max_open),
            Below(RUN_ATTEMPTS, "state", waiting, self._limits.max_open_of_run),
        )

    async def _adopt(self, request: Request, attempt: Versioned[RunAttempt], parked: bool) -> None:
        row = await self._stored.row(REQUESTS, attempt.value.decision_id or "")
        if row is None or row.value != write_request(request):
            raise Differs("request", request.decision_id)
        await self._runs.hold(attempt, parked)

    async def unpresented(self, ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """See `GateStore.unpresented`."""
        rows = (await self._stored.backend.get(REQUESTS, ids)).rows if self._audiences else ()
        requests = [found.value for found in self._stored.readable(rows, lambda row: read_request(row.value))]
        channels = {one.decision_id: sorted(set(self._audiences.get(one.audience, ()))) for one in requests}
        wanted = {presenting(one, channel, 0).id: one for one in requests for channel in channels[one.decision_id]}
        known = {row.key for row in (await self._stored.backend.get(EFFECTS, list(wanted))).rows} if wanted else set()
        return {one.decision_id: channels[one.decision_id] for id, one in wanted.items() if id not in known}

    async def present(self, id: str, channels: Sequence[str]) -> None:
        """See `GateStore.present`."""
        await by_rounds(lambda: self._present(id, channels), id)

    async def _present(self, id: str, channels: Sequence[str]) -> None:
        stood = await self._stored.stood(id)
        if stood.standing.resolution is not None:
            return
        wanted = [presenting(stood.request, channel, stood.now) for channel in sorted(set(channels))]
        known = {row.key for row in (await self._stored.backend.get(EFFECTS, [one.id for one in wanted])).rows}
        missing = [effect for effect in wanted if effect.id not in known]
        # The row of the request is written with it, so that none is added to one that is being settled.
        piece = request_piece(stood.request, State.OPEN, stood.version)
        for effect in missing:
            piece += effect_piece(effect, 0)
        if missing:
            await write(self._stored.backend, piece)

    async def submit(self, submission: Submission, also: Piece) -> Verdict:
        """See `GateStore.submit`."""
        return await by_rounds(lambda: self._submit(submission, also), submission.decision_id, also)

    async def _submit(self, submission: Submission, also: Piece) -> Verdict:
        try:
            stood = await self._stored.stood(submission.decision_id)
        except UnknownDecision as unknown:
            await write(self._stored.backend, also)
            return Refused(unknown)
        earlier = await self._stored.submission(submission.attempt_id, stood.request)
        outcome = step(stood.standing, Answer(submission, earlier), stood.now)
        recorded = await self._recorded(outcome.attempt, isinstance(outcome.verdict, Accepted))
        await write(self._stored.backend, await self._outcome(stood, outcome) + recorded + also)
        return outcome.verdict

    async def _recorded(self, attempt: Attempt | None, is_accepted: bool) -> Piece:
        """A refused answer leaves a trace, up to a limit; what is accepted does always."""
        if attempt is None:
            return Piece()
        decision = (attempt.submission.decision_id,)
        count = 0 if is_accepted else await self._stored.backend.count(SUBMISSIONS, "decision", decision)
        return submission_piece(attempt) if count < self._limits.max_submissions else Piece()

    async def _outcome(self, stood: Stood, outcome: Outcome) -> Piece:
        """All that is written for the end of a decision; nothing if this is none."""
        resolution = outcome.standing.resolution
        if resolution is None or not isinstance(outcome.verdict, Accepted | Cancelled):
            return Piece()
        piece = settled_piece(stood, resolution)
        if isinstance(resolution, Cancellation) and waits(stood):
            run = await self._stored.run(stood.request.run_id)
            end = _ENDS[resolution.reason]
            piece += await self._runs.ending(run, end, stood.now, besides=stood.request.decision_id)
        deadline = stood.request.expires_at
        if isinstance(resolution, AcceptedDecision) and resolution.source is not None and deadline is not None:
            # Q-SET-5: what was judged before the deadline must also happen before it.
            piece += Piece(guards=(Before(deadline),))
        return piece

    async def cancel(self, id: str, also: Piece) -> Verdict:
        """See `GateStore.cancel`."""

        async def once() -> Verdict:
            stood = await self._stored.stood(id)
            outcome = step(stood.standing, Cancel(), stood.now)
            await write(self._stored.backend, await self._outcome(stood, outcome) + also)
            return outcome.verdict

        return await by_rounds(once, id, also)

    async def by_clock(self, id: str, event: Timeout | Expire | None, lease: Callable[[], HeldLease]) -> Verdict:
        """See `GateStore.time_out`. `event` None: whichever it is that the request has."""
        return await by_rounds(lambda: self._by_clock(id, event, lease), id)

    async def _by_clock(self, id: str, event: Timeout | Expire | None, lease: Callable[[], HeldLease]) -> Verdict:
        held = lease()
        stood = await self._stored.stood(id)
        if not held.lease.is_live(stood.now):
            raise LeaseLost(held.lease.owner)
        if stood.standing.resolution is None and not waits(stood):
            return Refused(NotWaiting(id, stood.attempt.value.state.value))
        outcome = step(stood.standing, event or _usual(stood.request), stood.now)
        if piece := await self._outcome(stood, outcome):
            try:
                await write(self._stored.backend, piece + Piece(guards=held.guards))
            except Conflict as conflict:
                if conflict.table == GATE_SERVER.name and lease() is held:  # and it was not we who renewed it
                    raise LeaseLost(held.lease.owner) from None
                raise
        return outcome.verdict


def presenting(request: Request, channel: str, now: int) -> Effect:
    """That a channel is to show a request."""
    id, digest = request.decision_id, request.request_digest
    return Effect(channel=channel, decision_id=id, request_digest=digest, purpose="present", created_at=now)


def waits(stood: Stood) -> bool:
    """Whether it is this very request that its run waits for, and not one of an older attempt."""
    attempt = stood.attempt.value
    return attempt.state is AttemptState.WAITING and attempt.decision_id == stood.request.decision_id


def _usual(request: Request) -> Timeout | Expire:
    """What its deadline does."""
    return Expire() if request.default_response is None else Timeout()
