"""Stages whose questions live with a worker behind the server."""

from contextlib import asynccontextmanager

import trio

from facets import Principal, open_host
from facets.link.server import open_link_server
from facets.link.worker import open_worker
from facets.nursery import open_serving_nursery
from questions import Questions, questions_facet
from tests.link.raw import PATIENCE, dialled
from tests.link.stages import FACET, SCOPE, OverLinks, Tokens

WORKER = Principal.worker("s1")


class Relayed:
    """A server without questions of its own, a worker that owns session s1, and links of people to the server."""

    def __init__(self, server, worker, nursery):
        self.server = server
        self.worker = worker
        self.host = worker.host
        self._links = OverLinks(server, nursery, "worker:s1")
        self.link = self._links._link

    def viewer(self, principal):
        return self._links.viewer(principal)

    def remote_asker(self):
        return self._links.asker()


@asynccontextmanager
async def open_relayed(facet=FACET, **server_options):
    async with (
        open_host([questions_facet]) as front,
        open_host([facet]) as host,
        open_link_server(front, Tokens(), sessions="workers", **server_options) as server,
        open_worker(host, server.url, "worker:s1", "s1") as worker,
        open_serving_nursery() as nursery,
    ):
        with trio.fail_after(10):
            await worker.connected()
        yield Relayed(server, worker, nursery)


@asynccontextmanager
async def open_stage_with_remote_asker():
    async with open_relayed() as relayed:
        yield relayed._links


class _OnTheWorker(OverLinks):
    def __init__(self, server, nursery, asker):
        super().__init__(server, nursery)
        self._asker = asker

    async def asker(self):
        return self._asker


@asynccontextmanager
async def open_stage_with_asker_on_the_worker():
    async with open_relayed() as relayed, relayed.host.root() as ctx, open_serving_nursery() as nursery:
        yield _OnTheWorker(relayed.server, nursery, await ctx.get(Questions, SCOPE))


async def until(readable, is_so=bool, patience=PATIENCE):
    """The first value of a readable that is as it should be, within so many seconds."""
    with trio.fail_after(patience):
        async for value in readable.changes():
            if is_so(value):
                return value
    raise AssertionError("the readable has ended")


async def sees(viewer, *messages):
    """The open questions of a viewer, once they are these."""
    shown = await until(viewer.open, lambda value: [one.message for one in value.values()] == list(messages))
    return list(shown.values())


async def drop(server, principal):
    """Cut a principal's connections, as a cable does: neither side says goodbye."""
    for peer in [one for one in server.peers if one.identity.principal == principal]:
        await peer._connection.close_stream()


@asynccontextmanager
async def greeted_worker(server, session="s1"):
    """A raw connection that has announced itself as the worker of a session, and does as it likes."""
    async with dialled(server) as peer:
        await peer.say({"type": "hello", "token": f"worker:{session}", "serves": [session]})
        await peer.until("welcome")
        yield peer
