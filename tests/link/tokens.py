"""A server with real keys and real tokens, and a question that is open there."""

from contextlib import asynccontextmanager

import attrs

from facets import Principal, open_host
from facets.link import KeyRing, Revocations, TokenAuthenticator, TokenIssuer, parse_principal
from facets.link.server import LinkServer, open_link_server
from facets.nursery import open_serving_nursery
from questions import Confirm, Questions, SessionScope, questions_facet

ANA = Principal.user("ana")
RUN = Principal.program("run-7")


class Clock:
    """The wall clock of a host, set by the test."""

    def __init__(self):
        self.now = 1_800_000_000.0

    def __call__(self):
        return self.now


@attrs.define
class Guarded:
    """A running server that believes signed tokens only."""

    server: LinkServer
    keys: KeyRing
    revocations: Revocations
    clock: Clock

    def issue(self, wish, lifetime=3600):
        """A token for `user:ana`, or for `user:ana --scope session:s1`, as one would ask the command for it."""
        principal, *scopes = wish.split(" --scope ")
        return TokenIssuer(self.keys).issue(
            parse_principal(principal), self.clock.now, lifetime=lifetime, scopes=scopes
        )

    def token(self, wish):
        return self.issue(wish).token


@asynccontextmanager
async def open_guarded(folder, **options):
    keys = KeyRing(folder / "keys.json", create=True)
    revocations = Revocations(folder / "keys.json.revoked")
    clock = Clock()
    async with (
        open_host([questions_facet], clock=clock) as host,
        open_link_server(host, TokenAuthenticator(keys, revocations), **options) as server,
    ):
        yield Guarded(server, keys, revocations, clock)


@asynccontextmanager
async def open_question(guarded, session="s1"):
    """The id of a question for ana alone, asked on behalf of a program, for the length of the block."""
    async with guarded.server.host.root() as ctx, open_serving_nursery() as nursery:
        asker = await ctx.get(Questions, SessionScope(session))
        nursery.start_soon(_ask, asker)
        async for waiting in guarded.server.host.waiting.changes():
            if waiting:
                break
        yield next(iter(guarded.server.host.waiting.value))


async def _ask(asker):
    await asker.ask(Confirm("Run it?"), audience=[ANA, RUN], on_behalf_of=RUN)
