"""`Lease`: how a host says in a store that it lives, by its id and its epoch, for as long as it renews it."""

from __future__ import annotations

from contextlib import suppress

import trio

from facets.errors import Retryable

from .backend import Conflict, Row
from .errors import BadArgument
from .store import Store
from .tokens import new_token

__all__ = ["Lease", "check_lease"]

_SHORTEST_MS, _LONGEST_MS = 1_000, 600_000
_PATIENCE = 5.0
"""Seconds for which who ends tries to give the lease back."""


def check_lease(lease_ms: object) -> None:
    """Raise `BadArgument` for a lease that is too short or too long."""
    if type(lease_ms) is not int or not _SHORTEST_MS <= lease_ms <= _LONGEST_MS:
        raise BadArgument([f"$.lease_ms: a whole number of milliseconds from {_SHORTEST_MS} to {_LONGEST_MS}"])


class Lease:
    """The lease of one life of a host. By the store's clock; not held before `hold` has returned."""

    def __init__(self, store: Store, host_id: str, lease_ms: int) -> None:
        self.host_id = host_id
        self.epoch = new_token()
        """A name for this life of the host; another one when its lease was lost."""
        self.lease_ms = lease_ms
        self._store = store
        self._version = 0

    async def hold(self) -> None:
        """Take the lease, or renew it; one that was taken away is lost, and another epoch begins."""
        until = await self._store.backend.now() + self.lease_ms
        while True:
            try:
                self._version = await self._store.put(self._key(self.epoch), str(until), expected=self._version)
                return
            except Conflict:
                row = await self._store.get(self._key(self.epoch))
                self._version = 0 if row is None else row.version
                self.epoch = new_token() if row is None else self.epoch

    async def bury(self) -> bool:
        """Take away all leases of this host that are over, so that nobody can renew them; whether there were any."""
        now = await self._store.backend.now()
        over = [row for row in await self._store.list(self._key("")) if not _lasts(row, now)]
        for row in over:
            with suppress(Conflict):
                await self._store.delete(row.key, expected=row.version)
        return bool(over)

    async def end(self) -> None:
        """Give the lease back, if the store can be reached."""
        with trio.move_on_after(_PATIENCE), suppress(Conflict, Retryable):
            await self._store.delete(self._key(self.epoch), expected=self._version)

    async def is_alive(self, epoch: str) -> bool:
        """Whether another epoch of this host holds a lease that is not over."""
        row = await self._store.get(self._key(epoch))
        return row is not None and _lasts(row, await self._store.backend.now())

    async def left(self, owner: str) -> int:
        """For how many milliseconds a lease is not over; 0 if it is, and from then on nobody can renew it.

        `owner`: the id and the epoch of any host, as `host_id/epoch`.
        """
        row = await self._store.get(f"leases/{owner}")
        if row is None:
            return 0
        now = await self._store.backend.now()
        if _lasts(row, now):
            return int(row.value) - now
        try:
            await self._store.delete(row.key, expected=row.version)
        except Conflict:  # renewed, or buried by somebody else: whoever looks again knows
            return 1
        return 0

    @property
    def owner(self) -> str:
        """This life of this host, as `left` takes it."""
        return f"{self.host_id}/{self.epoch}"

    def _key(self, epoch: str) -> str:
        return f"leases/{self.host_id}/{epoch}"


def _lasts(row: Row, now: int) -> bool:
    """Whether a lease is still running; one that cannot be read is over."""
    return row.value.isdecimal() and now < int(row.value)
