"""Hosts over a store, for those who look on: in this process, and over links."""

import time
from contextlib import asynccontextmanager

import trio

from facets import Principal, open_host
from facets.context import Ctx
from facets.link.client import open_link
from facets.link.server import open_link_server
from questions.durable import LiveDecisions, MemoryBackend, decisions_facet, open_store
from questions.durable.store import TABLES
from tests.link.stages import Tokens
from tests.questions.durable.intercepting import Intercepting

__all__ = ["ANA", "BO", "LEAD", "ROOT", "Stage", "now", "open_stage", "seen"]

ANA, BO = Principal.user("ana"), Principal.user("bo")
ROOT, LEAD = Principal.program("session:main"), Principal.program("lead")
NAMES = {ANA: "Ana", LEAD: "ana's team lead"}
PATIENCE = 10


class Stage:
    """A store whose clock can be ahead, an engine that can be away, a host, and a server."""

    def __init__(self, store, engine, host, server):
        self.store, self.engine, self.host, self.server = store, engine, host, server

    async def get(self, principal, call=None):
        """As code of this process gets them."""
        return await Ctx(self.host, principal).get(LiveDecisions, call)

    @asynccontextmanager
    async def link(self, principal, open_link=open_link, call=None):
        """As a program of another process gets them."""
        async with open_link(self.server.url, str(principal)) as link:
            yield await link.get(LiveDecisions, call)


@asynccontextmanager
async def open_stage(clock=None, **options):
    """`clock`: a list with the seconds that the clock of the store is ahead."""
    ahead = clock or [0.0]
    engine = Intercepting(MemoryBackend(TABLES, lambda: round((now() + ahead[0]) * 1000)))
    async with open_store(engine, **{"sweep_ms": None, **options}) as store:
        facet = decisions_facet.configured(store=store, main=lambda principal: principal == ROOT)
        async with open_host([facet], NAMES) as host, open_link_server(host, Tokens()) as server:
            yield Stage(store, engine, host, server)


def now():
    """Epoch seconds, as hosts and stores have them here."""
    return time.time()


async def seen(readable, fits):
    """The value of a readable, once it fits."""
    with trio.fail_after(PATIENCE):
        async for value in readable.changes():
            if fits(value):
                return value
    raise AssertionError("it has ended")
