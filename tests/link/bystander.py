"""A server under attack, and somebody else who is connected to it all along and must notice nothing."""

from contextlib import asynccontextmanager

import trio

from facets import Principal, open_host
from facets.link import LinkLimits, open_link_server
from facets.nursery import open_serving_nursery
from questions import Confirm, Questions, SessionScope, questions_facet
from tests.link.raw import PATIENCE, greeted, wait_until
from tests.link.stages import Tokens

ALICE, BOB, INNOCENT = map(Principal.user, ("alice", "bob", "innocent"))
SCOPE = SessionScope("s1")


class Site:
    """A host, its server, and the bystander. `check` shows that the bystander is served as ever."""

    def __init__(self, host, server, asker, nursery, bystander):
        self.host = host
        self.server = server
        self.asker = asker
        self.nursery = nursery
        self.bystander = bystander
        self._watch = self._viewer = 0
        self._revision = None

    async def ask(self, *audience, message="Go?"):
        """Ask, and return the question's id; it stays open until the end."""
        known = set(self.host.waiting.value)
        self.nursery.start_soon(lambda: self.asker.ask(Confirm(message), audience=audience))
        async for waiting in self.host.waiting.changes():
            if new := set(waiting) - known:
                return new.pop()
        raise AssertionError("the host has ended")

    async def enter(self):
        peer = self.bystander
        self._viewer = await peer.get()
        self._watch = await peer.watch(self._viewer)
        self._revision = (await peer.until("snapshot", self._watch))["revision"]

    async def check(self):
        """The bystander is asked, told in the next frame of its sequence, answers, and the asker gets just that."""
        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as nursery:
                results: list = []
                nursery.start_soon(self._ask_bystander, results)
                (question,) = (await self._next_difference())["put"]
                args = {"id": question, "value": True}
                call = {"type": "call", "object": self._viewer, "method": "answer", "args": args}
                await self.bystander.say({**call, "id": self.bystander.new_id()})
                assert question in (await self._next_difference())["drop"]
        assert [(result.by.principal, result.answer) for result in results] == [(INNOCENT, True)]

    async def _ask_bystander(self, results):
        results.append(await self.asker.ask(Confirm("Still there?"), audience=[INNOCENT]))

    async def _next_difference(self):
        told = await self.bystander.until("difference", self._watch)
        assert told["base"] == self._revision
        self._revision = told["revision"]
        return told


@asynccontextmanager
async def open_site(authenticator=None, **limits):
    """A site with these limits; at the end the bystander is checked, and that nobody else is left on the server."""
    async with (
        open_host([questions_facet]) as host,
        host.root() as ctx,
        open_link_server(host, authenticator or Tokens(), limits=LinkLimits(**limits)) as server,
        open_serving_nursery() as nursery,
        greeted(server, "user:innocent") as peer,
    ):
        site = Site(host, server, await ctx.get(Questions, SCOPE), nursery, peer)
        await site.enter()
        yield site
        await site.check()
        await wait_until(lambda: len(server.peers) == 1 and not server.strangers)
