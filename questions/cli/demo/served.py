"""The people of one run, each in a process of their own, who reach the demo's host over links with their own tokens."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import attrs
import msgspec
import trio

from facets import Host, Principal
from facets.link.keys import KeyRing
from facets.link.revocations import Revocations
from facets.link.server import open_link_server
from facets.link.tokens import TokenAuthenticator, TokenIssuer
from questions.remote import faces  # noqa: F401  # it declares what there is to get over a link
from questions.scopes import Scope, SessionScope

from .cast import ALICE, BOB, CAROL
from .errors import PersonLeft
from .journal import Journal
from .pace import Pace
from .part import ENTER, HERE, READY, Part
from .troupe import everyone_was_asked

__all__ = ["ServedTroupe"]

T = TypeVar("T")

_COMMAND = (sys.executable, "-m", "questions.cli.demo.apart")
_ROOT = Path(__file__).parents[3]
_COMING = 30.0
"""Seconds that a process has to come; a busy machine takes some."""
_GOING = 3.0
"""Seconds that it has to go, before it is ended."""
_LIFETIME = 3600.0
"""Of the tokens, in seconds: nobody needs them after the demo."""

_PartOf = Callable[[Principal, Sequence[Scope]], Part]


@attrs.frozen
class ServedTroupe:
    """Alice, Bob and Carol as in `Troupe`, all scripted, in processes that end with the demo."""

    pace: Pace

    async def enter(self, nursery: trio.Nursery, host: Host, scopes: Sequence[Scope], journal: Journal) -> None:
        """Start everybody in `nursery`; returns when those are there who come on time, and Carol stands at the door."""
        part_of: _PartOf = await nursery.start(self._serve, host, scopes)
        alice, bob = _PersonApart(part_of(ALICE, scopes[::2])), _PersonApart(part_of(BOB, scopes[1::2]))
        carol = _PersonApart(part_of(CAROL, ()))
        async with trio.open_nursery() as coming:
            for person in (alice, bob, carol):
                coming.start_soon(nursery.start, person.run)
        await alice.come_in()
        await bob.come_in()

        async def late() -> None:
            await everyone_was_asked(journal, self.pace)
            await carol.come_in()

        nursery.start_soon(late)

    async def _serve(self, host: Host, scopes: Sequence[Scope], task_status: trio.TaskStatus[_PartOf]) -> None:
        with TemporaryDirectory() as folder:
            keys = KeyRing(Path(folder, "keys.json"), create=True)
            authenticator = TokenAuthenticator(keys, Revocations(Path(folder, "keys.json.revoked")))
            issuer = TokenIssuer(keys)
            async with open_link_server(host, authenticator) as server:

                def part_of(who: Principal, home: Sequence[Scope]) -> Part:
                    token = issuer.issue(who, host.now(), lifetime=_LIFETIME).token
                    return Part(server.url, token, who, _sessions(scopes), _sessions(home), self.pace)

                task_status.started(part_of)
                await trio.sleep_forever()


def _sessions(scopes: Sequence[Scope]) -> tuple[str, ...]:
    return tuple(scope.session for scope in scopes if isinstance(scope, SessionScope))


class _PersonApart:
    """One person's process. What it is told, and its token with it, goes through its standard input."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._process: trio.Process
        self._heard = b""

    async def run(self, *, task_status: trio.TaskStatus[None]) -> None:
        """Keep the process until cancelled, and raise `PersonLeft` if it ends before. Started once it is connected."""
        # A session of its own: Ctrl-C is for the demo, which then closes their standard input, and with it they go.
        self._process = await trio.lowlevel.open_process(
            _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, cwd=_ROOT
        )
        try:
            await self._say(msgspec.json.encode(self._part) + b"\n", READY)
            task_status.started()
            await self._process.wait()
            raise self._left()
        finally:
            with trio.CancelScope(shield=True):
                await self._see_off()

    async def come_in(self) -> None:
        """Have them view the sessions; returns when they do."""
        await self._say(ENTER, HERE)

    async def _say(self, line: bytes, answer: bytes) -> None:
        with trio.fail_after(_COMING), suppress(trio.BrokenResourceError):
            await self._stdin.send_all(line)
        with trio.fail_after(_COMING):
            while answer not in self._heard:
                more = await self._stdout.receive_some()
                if not more:
                    await self._process.wait()
                    raise self._left()
                self._heard += more

    def _left(self) -> PersonLeft:
        return PersonLeft(self._part.who.id, self._process.returncode or 0)

    @property
    def _stdin(self) -> trio.abc.SendStream:
        return _piped(self._process.stdin)

    @property
    def _stdout(self) -> trio.abc.ReceiveStream:
        return _piped(self._process.stdout)

    async def _see_off(self) -> None:
        await self._stdin.aclose()
        with trio.move_on_after(_GOING):
            await self._process.wait()
        if self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        await self._stdout.aclose()


def _piped(stream: T | None) -> T:
    if stream is None:
        raise AssertionError("the process was started with pipes")
    return stream
