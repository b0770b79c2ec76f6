"""`GateRun`: a run of a workflow, as the program has it that goes through it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from .receipt import Receipt
from .runs import Run, RunState

if TYPE_CHECKING:
    from .store import GateStore

__all__ = ["GateRun"]


@attrs.frozen(eq=False)
class GateRun:
    """A run in a store that is open. `store.start_run` makes it, any number of times for one run."""

    gates: GateStore
    _run: Run
    owner: str | None = None
    """Who goes on with it here, if that is on behalf of a store's parked runs."""

    @property
    def id(self) -> str:
        """What it is called."""
        return self._run.id

    @property
    def workflow(self) -> str:
        """Of which workflow it is a run."""
        return self._run.workflow

    @property
    def input(self) -> Any:
        """What it was started with, whatever it was resumed with: a new copy each time."""
        return self._run.input

    async def state(self) -> RunState:
        """Where it stands now. Raises `UnknownRun`."""
        return (await self.gates.run(self.id)).state

    async def receipts(self) -> Sequence[Receipt]:
        """What was decided for it until now; never by whom."""
        return await self.gates.receipts(self.id)

    async def finish(self) -> None:
        """It has come to its end; see `GateStore.finish_run`."""
        await self.gates.finish_run(self.id)

    async def cancel(self) -> None:
        """Cancel it; see `GateStore.cancel_run`."""
        await self.gates.cancel_run(self.id)
