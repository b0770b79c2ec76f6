"""A host of this library behind a link server, and the tokens of those who dial it. Real keys, real tokens."""

import json
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import attrs

from facets import Host, Principal, open_host
from facets.link import KeyRing, LinkLimits, LinkServer, Revocations, TokenAuthenticator, TokenIssuer, open_link_server
from questions import SessionScope, questions_facet

SCOPE = SessionScope("s1")
GREETED = 2
"""Messages that a viewer is sent besides those of its watches: welcome, got."""


def crowd_of(count: int) -> list[Principal]:
    """That many people."""
    return [Principal.user(f"p{number}") for number in range(count)]


@attrs.frozen
class World:
    """A server that runs, and who can give tokens for it."""

    host: Host
    server: LinkServer
    issuer: TokenIssuer

    @property
    def port(self) -> int:
        """Where it listens."""
        return self.server.address[1]

    def token(self, principal: Principal) -> str:
        """A token that it takes."""
        return self.issuer.issue(principal, self.host.now()).token

    def greeting(self, principal: Principal, watched: Sequence[str]) -> list[str]:
        """What a viewer says after it has dialled."""
        messages: list[dict[str, object]] = [
            {"type": "hello", "token": self.token(principal)},
            {"type": "get", "id": 1, "kind": "questions", "input": {"session": SCOPE.session}},
        ]
        messages += [
            {"type": "watch", "id": id, "object": 1, "readable": readable} for id, readable in enumerate(watched, 2)
        ]
        return [json.dumps(message) for message in messages]


@asynccontextmanager
async def open_world(overseers: bool = False, stalled: float = 60.0) -> AsyncIterator[World]:
    """A host and its server for the length of the block.

    `overseers`: whether everybody views every question. `stalled`: seconds until who reads nothing is cut off.
    """
    facet = questions_facet
    if overseers:
        facet = facet.configured(may_view=lambda principal, scope: "all")
    with tempfile.TemporaryDirectory() as folder:
        keys = KeyRing(Path(folder, "keys.json"), create=True)
        authenticator = TokenAuthenticator(keys, Revocations(Path(folder, "revoked.json")))
        limits = LinkLimits(stalled=stalled)
        async with open_host([facet]) as host, open_link_server(host, authenticator, limits=limits) as server:
            yield World(host, server, TokenIssuer(keys))
