"""`GateServer`: of all that have a store open, the one that applies deadlines, elected by a lease in the store.

Nothing that people do depends on it: without one answers and cancellations are judged as ever, and deadlines come late
and never early. Whoever leads next applies what has come due meanwhile.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import NoReturn

import trio

from facets.errors import Retryable
from questions.durable.repeating import repeat
from questions.durable.tokens import new_token
from questions.errors import QuestionError

from .dropping import drop_old_runs
from .errors import NotDue
from .lease import HeldLease
from .store import GateStore
from .store_errors import LeaseLost
from .tables import REQUESTS
from .verdicts import Refused

__all__ = ["GateServer", "Work"]

_AT_ONCE = 100
_PATIENCE = 5.0
"""Seconds for which who ends tries to give the lease back."""
_log = logging.getLogger("questions")


class GateServer:
    """A candidate for the gate server of a store. `open_gates` runs one.

    `owner`: what people call it. `lease_ms`: how long after a kill another one leads. `poll`: seconds between looks at
    the store although nothing was heard. `works`: what else runs as long as this one leads, each in a task of its own
    that is cancelled when it leads no more.
    """

    def __init__(
        self, gates: GateStore, owner: str, *, lease_ms: int = 10_000, poll: float = 1.0, works: Sequence[Work] = ()
    ) -> None:
        self.gates = gates
        self.owner = owner
        self._lease_ms = lease_ms
        self._poll = poll
        self._works = works
        self._token = new_token()
        self._held: HeldLease | None = None
        self._good_until = -1.0
        self._stuck: set[str] = set()
        self._is_puzzled = False
        self._nudged = trio.Event()
        self._new: dict[str | None, None] = {}
        """Requests that may not be shown yet; None: any may be."""

    @property
    def leads(self) -> bool:
        """Whether it has the lease, as far as it knows."""
        return self._held is not None

    def lease(self) -> HeldLease:
        """The lease as it is held now. Raises `LeaseLost`."""
        if self._held is None:
            raise LeaseLost(self.owner)
        return self._held

    async def run(self) -> NoReturn:
        """Lead whenever nobody else does, until cancelled; then the lease is given back."""
        try:
            await repeat(self._candidate, "the gate server")
        finally:
            with trio.CancelScope(shield=True), trio.move_on_after(_PATIENCE):
                await self.give_back()

    async def claim(self) -> bool:
        """Take the lease or renew it; whether it is this one's, in the generation that it was."""
        before, began = self._held, trio.current_time()
        held = await self._claimed()
        is_lost = held is None or (before is not None and held.lease.generation != before.lease.generation)
        self._held = None if is_lost else held
        self._good_until = began + self._lease_ms / 1000
        return not is_lost

    async def _claimed(self) -> HeldLease | None:
        """One that cannot be read is nobody's; all else of the store goes on without a gate server."""
        try:
            held = await self.gates.claim(self.owner, self._token, self._lease_ms)
        except Retryable:
            raise
        except QuestionError as fault:
            if not self._is_puzzled:
                _log.error("the lease of the gate server cannot be read, so no deadline is applied: %s", fault)
            self._is_puzzled = True
            return None
        self._is_puzzled = False
        return held

    async def give_back(self) -> None:
        """Let another one lead at once. Never fails."""
        held, self._held = self._held, None
        if held is not None:
            try:
                await self.gates.give_back(held)
            except QuestionError as lost:
                _log.info("the lease of the gate server was not given back, and runs out: %s", lost)

    async def apply_due(self) -> float:
        """Apply all deadlines that have come; seconds until the next one. Raises `LeaseLost`."""
        while True:
            ids, rest = await self.gates.due(self._stuck)
            applied = [await self._apply(id) for id in ids]
            if not all(applied):  # the clock was set back meanwhile
                return self._poll
            if not ids:
                return rest

    async def _apply(self, id: str) -> bool:
        """Whether there is nothing more to be done about it."""
        try:
            verdict = await self.gates.apply_deadline(id, self.lease)
        except (LeaseLost, Retryable):
            raise
        except QuestionError as fault:
            self._set_aside(id, fault)
        else:
            if isinstance(verdict, Refused) and isinstance(verdict.error, NotDue):
                return False
            if isinstance(verdict, Refused):
                self._set_aside(id, verdict.error)
        return True

    def _set_aside(self, id: str, why: QuestionError) -> None:
        """What cannot be applied must not hide what stands behind it."""
        self._stuck.add(id)
        _log.warning("the deadline of decision %s cannot be applied and is left: %s", id, why)

    async def _candidate(self) -> None:
        if not await self.claim():
            await trio.sleep(self._poll)
            return
        _log.info("gate server %s leads, generation %d", self.owner, self.lease().lease.generation)
        self._stuck.clear()
        self._hear(None)
        self.gates.store.follower.listen(REQUESTS.name, self._hear)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._keep, nursery.cancel_scope)
                nursery.start_soon(self._lead, nursery.cancel_scope)
                for work in self._works:
                    nursery.start_soon(work, self)
        finally:
            self.gates.store.follower.unlisten(REQUESTS.name, self._hear)

    async def _keep(self, leading: trio.CancelScope) -> None:
        """Renew the lease when a third of it is over; who cannot do that in time leads no more."""
        while True:
            await trio.sleep(self._lease_ms / 3000)
            try:
                keeps = await self.claim()
            except Retryable:
                keeps = trio.current_time() < self._good_until
            if not keeps:
                _log.warning("gate server %s does not lead any more", self.owner)
                self._held = None
                leading.cancel()
                return

    async def _lead(self, leading: trio.CancelScope) -> None:
        try:
            await repeat(self._look, "applying the deadlines of gates")
        except LeaseLost:
            self._held = None
            leading.cancel()

    async def _look(self) -> None:
        self._nudged = trio.Event()
        rest = await self.apply_due()
        await self._present()
        await drop_old_runs(self.gates.stored, self.gates.limits)
        with trio.move_on_after(0 if self._new else min(rest, self._poll)):
            await self._nudged.wait()

    async def _present(self) -> None:
        """Have new requests shown in the channels that are known here, whatever whoever has asked knew of them.

        Some at a time: deadlines do not wait until all are looked at.
        """
        if None in self._new:
            del self._new[None]
            self._new |= dict.fromkeys(await self.gates.open_ids() if self.gates.audiences else ())
        ids = [id for id in list(self._new)[:_AT_ONCE] if id is not None]
        for id in ids:  # what is heard meanwhile is looked at again
            del self._new[id]
        try:
            for id, channels in (await self.gates.unpresented(ids)).items():
                await self._present_one(id, channels)
        except BaseException:
            self._new |= dict.fromkeys(ids)
            raise

    async def _present_one(self, id: str, channels: Sequence[str]) -> None:
        try:
            await self.gates.present(id, channels)
        except Retryable:
            raise
        except QuestionError as fault:
            _log.warning("decision %s cannot be shown: %s", id, fault)

    def show_again(self) -> None:
        """Have all open requests shown in the channels of their audiences that have not shown them yet."""
        self._hear(None)

    def _hear(self, id: str | None) -> None:
        self._new[id] = None
        self._nudged.set()


Work = Callable[[GateServer], Awaitable[object]]
"""What runs as long as a gate server leads."""
