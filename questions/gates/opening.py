"""`open_gates`: the gates of a store, for the length of a block."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext

from facets.nursery import open_serving_nursery
from questions.durable.backend import Backend
from questions.durable.leases import check_lease
from questions.durable.opening import open_store
from questions.durable.store import Store

from .delivery import Deliveries
from .gate_limits import GateLimits
from .request_store import Audiences
from .resuming import Handler, Resumer
from .server import GateServer, Work
from .store import GateStore
from .tables import GATE_TABLES

__all__ = ["open_gates"]


@asynccontextmanager
async def open_gates(
    where: str | os.PathLike[str] | Backend | Store,
    *,
    serve: bool = True,
    resume: Mapping[str, Handler] | None = None,
    audiences: Audiences | None = None,
    limits: GateLimits | None = None,
    host: str | None = None,
    lease_ms: int = 10_000,
    poll_ms: int = 1_000,
    works: Sequence[Work] = (),
) -> AsyncIterator[GateStore]:
    """The gates of a store, open for the block.

    `where`: as for `open_store`; or a store or an engine that is open, with the tables `GATE_TABLES`, and stays so.
    `serve`: whether this process is a candidate for the gate server, which applies deadlines and tells of requests
    that nobody is shown (`GateStore.undelivered`); of all candidates of a store one leads. `resume`: who goes on with
    parked runs, by workflow. `audiences`: the ids of channels of each audience. `host`: what this process is called,
    the same after each start; by default the name of the machine. `lease_ms`: how long after a kill others lead and
    go on, 1,000 to 600,000. `poll_ms`: how often is looked although nothing was heard, 50 to 60,000. `works`: what
    else runs as long as this process leads.

    Leaving the block ends its waits with `StoreUnavailable`, stops going on with runs, which others then do, and gives
    leases back; requests stay as they are. Raises what `open_store` raises.
    """
    name = host or socket.gethostname()
    check_lease(lease_ms)
    async with _store(where, poll_ms) as store, open_serving_nursery() as nursery:
        gates = GateStore(store, {} if audiences is None else audiences, limits or GateLimits())
        nursery.start_soon(gates.waits.run)
        if serve:
            all_works = (Deliveries(gates).work, *works)
            server = GateServer(gates, name, lease_ms=lease_ms, poll=poll_ms / 1000, works=all_works)
            nursery.start_soon(server.run)
        if resume:
            nursery.start_soon(Resumer(gates, resume, name, lease_ms=lease_ms, poll=poll_ms / 1000).run)
        try:
            yield gates
        finally:
            gates.waits.close()


def _store(where: str | os.PathLike[str] | Backend | Store, poll_ms: int) -> AbstractAsyncContextManager[Store]:
    if isinstance(where, Store):
        return nullcontext(where)
    return open_store(where, tables=GATE_TABLES, sweep_ms=None, safety_poll_ms=poll_ms)
