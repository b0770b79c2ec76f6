"""The limits of a store, which all who open it share: a row of its own, guarded by every raise."""

from __future__ import annotations

from contextlib import suppress

from .backend import Backend, Commit, Conflict, Notice, Unchanged, Write
from .errors import ChangedConcurrently
from .limits import StoreLimits, read_limits, write_limits
from .swapping import ROUNDS, committed
from .table import META
from .tokens import new_token

__all__ = ["Settings"]

_KEY = "limits"


class Settings:
    """The limits in the store. One whose limits were never set has the usual ones, and nothing is written for that."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._known: tuple[StoreLimits, Unchanged] | None = None

    async def read(self) -> StoreLimits:
        """The limits as they are in the store now. Raises `Unreadable`."""
        rows = (await self._backend.get(META, [_KEY])).rows
        limits, version = (read_limits(rows[0].value), rows[0].version) if rows else (StoreLimits(), 0)
        self._known = limits, Unchanged(META, _KEY, version)
        return limits

    async def guarded(self) -> tuple[StoreLimits, Unchanged]:
        """The limits as they were known last, and the guard that they are still these."""
        if self._known is None:
            await self.read()
        assert self._known is not None, "they were read"
        return self._known

    def forget(self) -> None:
        """Somebody has changed them: read them again."""
        self._known = None

    async def change(self, limits: StoreLimits) -> None:
        """Set them for all who use the store. Raises `ChangedConcurrently`."""
        for _ in range(ROUNDS):
            with suppress(Conflict):
                await self.read()
                return await self._write(limits)
        raise ChangedConcurrently(_KEY)

    async def begin_with(self, limits: StoreLimits) -> None:
        """Set them if they were never set."""
        await self.read()
        with suppress(Conflict):  # somebody else was first, and theirs stand
            if (await self.guarded())[1].version == 0:
                await self._write(limits)

    async def _write(self, limits: StoreLimits) -> None:
        version = (await self.guarded())[1].version
        self.forget()
        write = Write(META, _KEY, version, write_limits(limits))
        notice = Notice(META.name, _KEY, version + 1, "store.limits")
        await committed(self._backend, Commit(new_token(), [write], [notice]))
