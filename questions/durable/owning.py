"""`Owner`: what a host has raised for work of its own, which serves nobody any more once that host is dead.

A host that lives holds a lease in the store, by its id and its epoch, and renews it. What it raises names both. Where
the lease is gone or over, whoever owns by the same id takes back what is still open of that epoch.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Literal

import trio
from msgspec.structs import replace

from facets.errors import Forbidden
from facets.nursery import open_serving_nursery
from facets.principal import Principal
from questions.errors import QuestionError

from .backend import Scan
from .caller import Caller
from .decision import Decision
from .drafting import draft
from .errors import NotOpen, UnknownDecision
from .leases import Lease, check_lease
from .repeating import repeat
from .steps import Cancelling, step
from .store import Store
from .swapping import BATCH
from .table import DECISIONS
from .tokens import new_token

__all__ = ["Owner", "open_owner"]

_PATIENCE = 5.0
"""Seconds for which who is cancelled tries to take back what it has raised."""

_log = logging.getLogger("questions")


class Owner:
    """The decisions of one host in one store. Made by `open_owner`, lives as long as that block."""

    def __init__(self, store: Store, principal: Principal, lease_ms: int) -> None:
        self.caller = Caller(principal)
        """The host as who acts on its decisions."""
        self.host_id = self.caller.participant_id
        self.lease = Lease(store, self.host_id, lease_ms)
        self._store = store

    async def outcome(
        self, caller: Caller, fields: Mapping[str, Any], raised: Callable[[str], None] = lambda id: None
    ) -> Decision:
        """Raise a decision for `caller`, with the fields of `raise_decision`, and wait until it has ended.

        `raised` is called with its id. However this ends early, by a cancellation above all, the decision is taken back
        first (via abort); if it was answered at that moment, that is nobody's answer. Raises what raising does, and
        `UnknownDecision` for one that was dropped meanwhile.
        """
        records = self._store.records
        now = await records.backend.now()
        decision = draft(fields, caller=caller, id=f"dec_{new_token()}", now=now)
        by = replace(decision.raised_by, host_id=self.host_id, epoch=self.lease.epoch)
        try:
            await records.sweep(now)
            await self._store.raising.put(replace(decision, raised_by=by))
            raised(decision.id)
            ended = await self._store.decisions(caller).wait(decision.id)
            await trio.lowlevel.checkpoint_if_cancelled()
        except BaseException:
            await self._give_up(decision.id)
            raise
        return ended

    async def _give_up(self, id: str) -> None:
        """Take it back if it is there, for a while also when the store cannot be reached; never fails."""
        with trio.CancelScope(shield=True), trio.move_on_after(_PATIENCE):
            try:
                await self._take_back(id, "abort")
            except QuestionError as error:
                _log.warning("decision %s stays open until its host is started again: %s", id, error)

    async def take_back_all_of(self, raiser: Caller) -> None:
        """Take back (via restart) what any life of any host has raised for `raiser`, which now begins anew."""
        found = await self._all("raiser", (raiser.participant_id, "open"))
        for decision in found:
            if decision.raised_by.host_id is not None:
                await self._take_back(decision.id, "restart")

    async def take_back_of_the_dead(self) -> None:
        """Take back (via restart) what is open of epochs of this host whose lease is gone or over."""
        found = [one for one in await self._all("status", ("open",)) if one.raised_by.host_id == self.host_id]
        # Leases are read after the decisions: who raises has had one before.
        epochs = {one.raised_by.epoch for one in found} - {self.lease.epoch}
        dead = {epoch for epoch in epochs if not await self.lease.is_alive(str(epoch))}
        for decision in found:
            if decision.raised_by.epoch in dead:
                await self._take_back(decision.id, "restart")

    async def _take_back(self, id: str, via: Literal["abort", "restart"]) -> None:
        def cancel(decision: Decision, now: int) -> Decision:
            raiser = decision.raised_by.participant_id
            caller = self.caller if raiser == self.host_id else Caller(Principal.program(raiser))
            return step(decision, Cancelling(via), caller, now)

        with suppress(NotOpen, UnknownDecision, Forbidden):  # it has ended, was never there, or never was this host's
            await self._store.records.swap(id, cancel)

    async def _all(self, index: str, equal: Sequence[str]) -> list[Decision]:
        found: list[Decision] = []
        limit = BATCH
        while True:
            rows = (await self._store.backend.scan(Scan(DECISIONS, index, tuple(equal), limit))).rows
            if len(rows) < limit:
                found += [one for one in map(self._store.records.readable, rows) if one is not None]
                return found
            limit *= 2

    async def keep(self) -> None:
        """Renew the lease when a third of it is over, and take back what the dead have left."""
        await trio.sleep(self.lease.lease_ms / 3_000)
        await self.lease.hold()
        if await self.lease.bury():
            await self.take_back_of_the_dead()


@asynccontextmanager
async def open_owner(store: Store, principal: Principal, *, lease_ms: int = 10_000) -> AsyncIterator[Owner]:
    """Own decisions in a store as the host `principal`, for the block.

    `principal`: the same one after each start; two hosts of one name do not disturb each other while both live.
    `lease_ms`: how long after a kill its decisions count as owned, 1,000 to 600,000; by the store's clock.

    When it begins, what is open of this host's dead epochs is cancelled via restart; what dies later, within a lease.
    Raises `BadArgument`, and `StoreUnavailable` if the store cannot be reached now.
    """
    check_lease(lease_ms)
    owner = Owner(store, principal, lease_ms)
    await owner.lease.hold()
    try:
        await owner.lease.bury()
        await owner.take_back_of_the_dead()
        async with open_serving_nursery() as nursery:
            nursery.start_soon(repeat, owner.keep, "holding the lease of a host")
            yield owner
    finally:
        with trio.CancelScope(shield=True):
            await owner.lease.end()
