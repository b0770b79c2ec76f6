"""`GateStore`: runs, requests and how they ended, in a store; each change is one commit."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal
from weakref import WeakValueDictionary

import attrs
import trio

from facets.readable import Cell
from questions.durable.backend import Found, Row, Scan
from questions.durable.errors import UnknownDecision
from questions.durable.store import Store
from questions.errors import QuestionError

from .gate_limits import GateLimits
from .gate_run import GateRun
from .lease import LEASE, HeldLease, claimed, lease_of, lease_piece
from .outbox import Effect, EffectEvent, EffectState
from .outbox import step as effect_step
from .pieces import Piece
from .receipt import Receipt, receipt_of
from .records import read_request
from .request import Request
from .request_store import Audiences, RequestStore
from .resolution import AcceptedDecision, Resolution
from .rows import effect_piece, read_effect
from .run_store import Resumption, RunStore
from .runs import Run, RunAttempt, RunState, read_run
from .settled_records import read_attempt
from .steps import Expire, ProgramAnswer, Standing, State, Timeout, step
from .stood import Versioned
from .stored import ALL, Stored
from .submission import Attempt, Submission
from .tables import CHANNELS, EFFECTS, GATE_SERVER, REQUESTS, RUNS, SUBMISSIONS
from .verdicts import Verdict
from .waits import Waits
from .writing import by_rounds, write

__all__ = ["GateStore"]

_MOST_LISTED = 1_000
_AT_ONCE = 100
_LAST = "\U0010ffff"
_log = logging.getLogger("questions")


class GateStore:
    """The gates of a store that is open. Built by `open_gates`; lives as long as that block.

    Everything may be repeated, by any number of processes at once: what was done before is adopted. All methods can
    raise `StoreUnavailable`, which is no denial, and those that write `ChangedConcurrently`. What cannot be read raises
    what `read_request` raises, and stays as it is. An act that is cancelled before it is written has not happened.
    """

    def __init__(self, store: Store, audiences: Audiences, limits: GateLimits) -> None:
        self.store = store
        self.limits = limits
        self.audiences = audiences
        """The ids of the channels of each audience, as this process knows them."""
        self.stored = Stored(lambda: store.backend)
        self.runs = RunStore(self.stored, limits)
        self.waits = Waits(store, self.stored)
        self._requests = RequestStore(self.stored, self.runs, limits, audiences)
        self.undelivered: Cell[frozenset[str]] = Cell(frozenset())
        """The ids of open requests that nobody was shown within a second, as they are now. Kept up where the gate
        server leads, and empty elsewhere. For metrics and lists."""
        self.surfaces: dict[Callable[[str], bool], None] = {}
        """What shows requests in this process without being a channel; each says whether somebody is shown one."""
        self._turns: WeakValueDictionary[str, trio.Lock] = WeakValueDictionary()

    def turn(self, key: str) -> trio.Lock:
        """A lock for those of this process who come to the same attempt at once."""
        return self._turns.setdefault(key, trio.Lock())

    def shows_here(self, id: str) -> bool:
        """Whether a surface of this process shows a request to anybody."""
        return any(shows(id) for shows in self.surfaces)

    # Runs

    async def start_run(self, id: str, workflow: str, input: Any = None) -> GateRun:
        """Start a run; one that was started with the same workflow and input is the same run.

        `id`: 1 to 200 letters, digits and `._-`. `workflow`: 1 to 200 code points on one line. `input`: any value of
        JSON; it stays what it is. Raises `InvalidRun`, `Differs` if it was started otherwise, and `TooManyRuns`.
        """
        return GateRun(self, await self.runs.start(id, workflow, input))

    async def run(self, id: str) -> Run:
        """A run as it stands. Raises `UnknownRun`."""
        return (await self.stored.run(id)).value

    async def list_runs(self, state: RunState | None = RunState.RUNNING, limit: int = 50) -> Sequence[Run]:
        """Runs of a state, or all, newest first; at most `limit`, 1 to 1,000. What cannot be read is left out."""
        index, equal = ("all", ()) if state is None else ("state", (state.value,))
        rows = await self.stored.rows(RUNS, index, equal, max(1, min(limit, _MOST_LISTED)))
        return [found.value for found in self.stored.readable(rows, lambda row: read_run(row.value))]

    async def attempts(self, run_id: str) -> Sequence[RunAttempt]:
        """The attempts of a run, in the order in which they were entered."""
        return [found.value for found in await self.stored.attempts(run_id)]

    async def enter_attempt(self, run_id: str, node: str, id: str) -> RunAttempt:
        """Enter an attempt at a node; one that was entered is the same attempt.

        What an older attempt at the same node waits for is taken back. Raises `InvalidRun`, `UnknownRun`, `RunEnded`,
        `Differs` if it was at another node, and `TooManyRequests`.
        """
        return await self.runs.enter(run_id, node, id)

    async def finish_run(self, id: str) -> Run:
        """A run has come to its end: what it waits for is taken back. Raises `UnknownRun`, `RunEnded`."""
        return await self.runs.end(id, RunState.DONE)

    async def cancel_run(self, id: str) -> Run:
        """Cancel a run, with what it waits for; what was answered goes on nowhere. Raises `UnknownRun`, `RunEnded`."""
        return await self.runs.end(id, RunState.CANCELLED)

    async def resume(
        self, run_id: str, attempt_id: str, decision: AcceptedDecision | None, *, owner: str | None = None
    ) -> Resumption:
        """Have a run go on after a gate, with the decision that is stored, and no other: once, whoever is first.

        `owner`: who goes on with it, as in `Lease.owner`, if others are to go on with it once that one is dead. Raises
        `UnknownRun`, `UnknownAttempt`, `NotVerified`, `DecisionCancelled`, `NotWaiting`; the run waits as before.
        """
        return await self.runs.resume(run_id, attempt_id, decision, owner)

    async def hold(self, run_id: str, attempt_id: str, *, parked: bool) -> None:
        """Say whether somebody waits in place for what an attempt has asked, or its run is parked."""

        async def once() -> None:
            await self.runs.hold(await self.stored.attempt(run_id, attempt_id), parked)

        await by_rounds(once, f"{run_id}/{attempt_id}")

    # Requests

    async def create(self, request: Request, *, parked: bool = False) -> Literal["created", "adopted"]:
        """Store a request, once, with what it has shown in the channels of its audience; its attempt waits then.

        `parked`: nobody waits in place. The very same one is adopted. Raises `UnknownRun`, `UnknownAttempt`,
        `RunEnded`, `NotWaiting`, `TooManyRequests`, and `Differs` if the attempt has made another request; nothing is
        written then.
        """
        return await self._requests.create(request, parked=parked)

    async def present(self, id: str, channels: Sequence[str]) -> None:
        """Have an open request shown in these channels, too. Raises `UnknownDecision`."""
        await self._requests.present(id, channels)

    async def unpresented(self, ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Of these requests those that are not to be shown yet in all channels of their audience: these channels."""
        return await self._requests.unpresented(ids)

    async def get(self, id: str) -> Standing:
        """A request, and how it has ended, if it has. Raises `UnknownDecision`."""
        return await self.stored.standing(id)

    async def of_attempt(self, run_id: str, attempt_id: str) -> Standing | None:
        """The request that an attempt has made, or None. Raises `UnknownAttempt`."""
        attempt = (await self.stored.attempt(run_id, attempt_id)).value
        return None if attempt.decision_id is None else await self.stored.standing(attempt.decision_id)

    async def list(self, state: State | None = State.OPEN, limit: int = 50) -> Sequence[Standing]:
        """Requests of a state, or all, newest first; at most `limit`, 1 to 1,000. What cannot be read is left out."""
        index, equal = ("all", ()) if state is None else ("state", (state.value,))
        rows = await self.stored.rows(REQUESTS, index, equal, max(1, min(limit, _MOST_LISTED)))
        return [found for row in rows if (found := await self._readable(row)) is not None]

    async def open_ids(self) -> Sequence[str]:
        """The ids of all open requests, also of those that cannot be read."""
        rows = await self.stored.rows(REQUESTS, "state", (State.OPEN.value,), ALL)
        return [row.key for row in rows]

    async def open_requests(self) -> Sequence[Request]:
        """All open requests that can be read, newest first."""
        rows = await self.stored.rows(REQUESTS, "state", (State.OPEN.value,), ALL)
        return [found.value for found in self.stored.readable(rows, lambda row: read_request(row.value))]

    async def _readable(self, row: Row) -> Standing | None:
        try:
            return await self.stored.standing(row.key)
        except UnknownDecision:
            return None
        except QuestionError as fault:
            _log.warning("the request %s cannot be read and is left as it is: %s", row.key, fault)
            return None

    async def submit(self, submission: Submission, also: Piece = Piece()) -> Verdict:  # noqa: B008  # immutable
        """A person's answer, judged and written: accepted, adopted, in conflict with the winner, or refused.

        `also`: what is written in the same commit whatever the verdict is, such as how far a channel was read. Raises
        `Conflict` if that was overtaken; nothing is written then. Needs no gate server.
        """
        return await self._requests.submit(submission, also)

    async def program_answer(self, id: str) -> Verdict:
        """What a program or a model says: always refused, whatever it says. Raises `UnknownDecision`."""
        standing = await self.stored.standing(id)
        return step(standing, ProgramAnswer(), await self.stored.backend.now()).verdict

    async def cancel(self, id: str, also: Piece = Piece()) -> Verdict:  # noqa: B008  # immutable
        """Take a request back, and cancel its run, with all else that it waits for. `also`: as for `submit`.

        Needs no gate server, and no view that is open. Raises `UnknownDecision`.
        """
        return await self._requests.cancel(id, also)

    async def time_out(self, id: str, lease: Callable[[], HeldLease]) -> Verdict:
        """Have the timeout policy choose. `lease`: gives the lease as it is held now.

        Refused while no run waits for it. Raises `UnknownDecision`, and `LeaseLost`; nothing is written then.
        """
        return await self._requests.by_clock(id, Timeout(), lease)

    async def expire(self, id: str, lease: Callable[[], HeldLease]) -> Verdict:
        """End a request whose time is over without a choice, and its run with it. See `time_out`."""
        return await self._requests.by_clock(id, Expire(), lease)

    async def apply_deadline(self, id: str, lease: Callable[[], HeldLease]) -> Verdict:
        """`time_out` or `expire`, whichever the request has."""
        return await self._requests.by_clock(id, None, lease)

    async def ended(self, id: str) -> Resolution:
        """Wait until a decision has ended: how. Any number of waits costs one reader. Raises `UnknownDecision`."""
        return await self.waits.ended(id)

    async def receipts(self, run_id: str) -> Sequence[Receipt]:
        """What the run of a gate gets to see of its decisions, in the order of its attempts: never who made them."""
        ids = [one.decision_id for one in await self.attempts(run_id) if one.decision_id is not None]
        return [
            receipt_of(one.request, one.resolution)
            for one in await self.stored.standings(ids)
            if isinstance(one.resolution, AcceptedDecision)
        ]

    async def submissions(self, id: str) -> Sequence[Attempt]:
        """All answers that were recorded for a decision, also refused ones. Private. Raises `UnknownDecision`."""
        request = (await self.stored.standing(id)).request
        return [read_attempt(row.value, request) for row in await self.stored.rows(SUBMISSIONS, "decision", (id,))]

    # Channels

    async def effects(self, decision_id: str) -> Sequence[Versioned[Effect]]:
        """What is to happen, and has happened, in channels for a decision. What cannot be read is left out."""
        return await self.stored.effects(decision_id)

    async def effects_of(self, channel: str, state: str, limit: int | None = 100) -> Sequence[Versioned[Effect]]:
        """Effects of a channel in a state, the oldest first; `limit` None: all. What cannot be read is left out."""
        rows = await self.stored.rows(EFFECTS, "channel", (channel, state), ALL if limit is None else limit)
        return self.stored.readable(rows, read_effect)

    async def effects_by_id(self, ids: Sequence[str]) -> Sequence[Versioned[Effect]]:
        """Those of these effects that are there and can be read."""
        return self.stored.readable((await self.stored.backend.get(EFFECTS, ids)).rows, read_effect)

    async def unreadable_effects(self) -> Mapping[str, str]:
        """By id why each effect that cannot be read cannot be. They stay as they are, and nothing comes of them."""
        rows = [row for state in EffectState for row in await self.stored.rows(EFFECTS, "state", (state.value,), ALL)]
        return {row.key: str(fault) for row in rows if (fault := _fault_of(row)) is not None}

    async def step_effect(self, id: str, event: EffectEvent, also: Piece = Piece()) -> Effect:  # noqa: B008
        """An effect after an event, written with `also` in one commit. Raises as `outbox.step` does, and `KeyError`."""

        async def once() -> Effect:
            row = await self.stored.row(EFFECTS, id)
            if row is None:
                raise KeyError(id)
            before = read_effect(row)
            after = effect_step(before, event)
            await self.record((Piece() if after is before else effect_piece(after, row.version)) + also)
            return after

        return await by_rounds(once, id, also)

    async def channel(self, id: str) -> Versioned[str] | None:
        """What is saved for a channel; see `rows.channel_piece`."""
        row = await self.stored.row(CHANNELS, id)
        return None if row is None else Versioned(row.value, row.version)

    async def record(self, piece: Piece) -> None:
        """Write a piece, as one commit. Raises `Conflict` and what else engines refuse."""
        await write(self.stored.backend, piece)

    # The gate server

    async def claim(self, owner: str, token: str, lease_ms: int) -> HeldLease | None:
        """Take the lease of the gate server, or renew it; None while somebody else holds it. `token`: a secret."""

        async def once() -> HeldLease | None:
            found = await self.stored.backend.get(GATE_SERVER, [LEASE])
            held = claimed(lease_of(found.rows[0] if found.rows else None), owner, token, found.now, lease_ms)
            if held is not None:
                await self.record(lease_piece(held))
            return held

        return await by_rounds(once, LEASE)

    async def give_back(self, held: HeldLease) -> None:
        """Have the lease be over at once. Raises `Conflict` if it is somebody else's by now."""
        await self.record(lease_piece(HeldLease(attrs.evolve(held.lease, until=0), held.version + 1)))

    async def due(self, besides: Collection[str] = ()) -> tuple[Sequence[str], float]:
        """Open requests whose deadline has come, the oldest deadline first, then by id; and seconds until the next one.

        Some at a time. Not those `besides`, which must not hide what stands behind them.
        """
        open, limit = (State.OPEN.value,), _AT_ONCE + len(besides)
        now = await self.stored.backend.now()
        due = await self.stored.backend.scan(Scan(REQUESTS, "due", open, limit, until=now))
        ids = [row.key for row in due.rows if row.key not in besides]
        later = await self.stored.backend.scan(Scan(REQUESTS, "due", open, 1, after=(now, _LAST)))
        return ids, await self._seconds_until(later)

    async def _seconds_until(self, found: Found) -> float:
        standing = await self._readable(found.rows[0]) if found.rows else None
        if standing is None or standing.request.expires_at is None:
            return math.inf
        return max(standing.request.expires_at - found.now, 1) / 1000


def _fault_of(effect: Row) -> QuestionError | None:
    try:
        read_effect(effect)
    except QuestionError as fault:
        return fault
    return None
