"""Stages for the conformance suite on the other side of real sockets."""

from contextlib import asynccontextmanager

import trio

from facets import Principal, open_host
from facets.link.client import open_link
from facets.link.identity import Identity
from facets.link.server import open_link_server
from facets.nursery import open_serving_nursery
from questions import Questions, SessionScope, questions_facet

EVE = Principal.user("eve")
SCOPE = SessionScope("s1")
FACET = questions_facet.configured(may_view=lambda principal, scope: "all" if principal == EVE else "own")


class Tokens:
    """Tokens that are names; the real ones have tests of their own."""

    def __init__(self):
        self.revoked = set()

    def authenticate(self, token, now):
        kind, _, id = token.partition(":")
        return Identity(Principal(kind, id), None, frozenset(), token, now, now + 3600)

    def still_valid(self, identity, now):
        return identity.token_id not in self.revoked


class OverLinks:
    """A stage whose asker and viewers are each behind a link of their own."""

    overseer = EVE
    second = 0.2

    def __init__(self, server, nursery, asker="server:host", open_link=open_link):
        self.server = server
        self._nursery = nursery
        self._token = asker
        self._open_link = open_link
        self._links = {}

    async def _link(self, token):
        return await self._nursery.start(self._keep_link, token)

    async def _keep_link(self, token, task_status):
        async with self._open_link(self.server.url, token) as link:
            task_status.started(link)
            await trio.sleep_forever()

    async def asker(self):
        if self._token not in self._links:
            self._links[self._token] = await self._link(self._token)
        return await self._links[self._token].get(Questions, SCOPE)

    async def viewer(self, principal):
        viewer = await (await self._link(str(principal))).get(Questions, SCOPE)
        _ = viewer.open, viewer.closed
        await self.quiet()
        return viewer

    async def quiet(self):
        for _ in range(3):
            await trio.sleep(0.01)


@asynccontextmanager
async def open_stage_over_links(asker="server:host", open_link=open_link):
    async with (
        open_host([FACET]) as host,
        open_link_server(host, Tokens()) as server,
        open_serving_nursery() as nursery,
    ):
        yield OverLinks(server, nursery, asker, open_link)
