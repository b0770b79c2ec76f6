"""Hosts over gates, for those who look on and answer: in this process, and over links."""

import time
from contextlib import asynccontextmanager

import trio

from facets import Principal, open_host
from facets.context import Ctx
from facets.link.client import open_link
from facets.link.server import open_link_server
from questions.durable import MemoryBackend, open_store
from questions.durable.store import TABLES
from questions.gates import GATE_TABLES, LiveGates, Place, gates_facet, open_gates
from tests.link.stages import Tokens
from tests.questions.durable.intercepting import Intercepting
from tests.questions.gates.acts import asked

__all__ = ["ANA", "BO", "Stage", "ask", "now_ms", "open_stage", "seen"]

ANA, BO = Principal.user("ana"), Principal.user("bo")
PATIENCE = 10


class Stage:
    """Gates whose clock can be ahead, an engine that can be away, a host, and a server."""

    def __init__(self, gates, engine, host, server):
        self.gates, self.engine, self.host, self.server = gates, engine, host, server

    async def get(self, principal):
        """As code of this process gets them."""
        return await Ctx(self.host, principal).get(LiveGates)

    @asynccontextmanager
    async def link(self, principal, open_link=open_link):
        """As a program of another process gets them."""
        async with open_link(self.server.url, str(principal)) as link:
            yield await link.get(LiveGates)


@asynccontextmanager
async def open_stage(clock=None, serve=False, **config):
    """`clock`: a list with the seconds that the clock of the store is ahead."""
    ahead = clock or [0.0]
    engine = Intercepting(MemoryBackend((*TABLES, *GATE_TABLES), lambda: round((time.time() + ahead[0]) * 1000)))
    async with (
        open_store(engine, sweep_ms=None) as store,
        open_gates(store, serve=serve, poll_ms=50) as gates,
        open_host([gates_facet.configured(gates=gates, **config)]) as host,
        open_link_server(host, Tokens()) as server,
    ):
        yield Stage(gates, engine, host, server)


async def ask(gates, name="a", **changes):
    """A request that a run of its own waits for, made now."""
    place = Place(f"run-{name}", "workflow-a", "approve", "attempt-a")
    return await asked(gates, place=place, now=await gates.stored.backend.now(), **changes)


def now_ms():
    """Epoch milliseconds."""
    return round(time.time() * 1000)


async def seen(readable, fits=bool):
    """The value of a readable, once it fits."""
    with trio.fail_after(PATIENCE):
        async for value in readable.changes():
            if fits(value):
                return value
    raise AssertionError("it has ended")
