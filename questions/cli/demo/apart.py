"""A scripted person of the demo in a process of their own: `python -m questions.cli.demo.apart`.

Reads a `Part` from standard input and takes part until that ends, or until the server wants them no more: so nobody is
left behind, however the demo has ended.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

import msgspec
import trio

from facets.errors import LinkLost, Unauthenticated, Unavailable
from facets.link.client import open_link
from questions.cli.codes import DONE, UNREACHABLE
from questions.remote import faces  # noqa: F401  # it declares what there is to get over a link
from questions.scopes import Scope, SessionScope
from questions.views import Questions, Viewer

from .part import HERE, READY, Part
from .person import ScriptedPerson

__all__ = ["main"]

_PATIENCE = 20.0
"""Seconds for which the server is looked for."""
_LONGEST_LINE = 2**20


def main() -> int:
    """Take part; returns the exit code."""
    return trio.run(_live)


async def _live() -> int:
    """Until standard input ends, in whatever state that finds the rest."""
    code = DONE
    try:
        told, lines = trio.open_memory_channel[bytes](1)
        with told, lines:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_read, told, nursery.cancel_scope)
                await _take_part(lines)
                nursery.cancel_scope.cancel()
    except* (Unauthenticated, LinkLost, Unavailable):
        code = UNREACHABLE
    return code


async def _read(told: trio.MemorySendChannel[bytes], scope: trio.CancelScope) -> None:
    """Pass lines on. A thread that waits for one does not keep the process alive."""
    data = b""
    while len(data) < _LONGEST_LINE:
        more = await trio.to_thread.run_sync(os.read, 0, 65_536, abandon_on_cancel=True)
        if not more:
            break
        *whole, data = (data + more).split(b"\n")
        for line in whole:
            await told.send(line)
    scope.cancel()


async def _take_part(lines: trio.MemoryReceiveChannel[bytes]) -> None:
    part = msgspec.json.decode(await lines.receive(), type=Part)
    async with open_link(part.url, part.token, patience=_PATIENCE) as link:
        _say(READY)
        await lines.receive()

        async def get(scope: Scope) -> Viewer:
            return await link.get(Questions, scope)

        person = ScriptedPerson(part.who, part.pace, frozenset(map(SessionScope, part.home)))
        async with trio.open_nursery() as nursery:
            await nursery.start(person.attend, get, _scopes(part.sessions))
            _say(HERE)
            async for state in link.state.changes():
                if state == "refused":
                    raise Unauthenticated


def _scopes(sessions: Sequence[str]) -> tuple[Scope, ...]:
    return tuple(map(SessionScope, sessions))


def _say(word: bytes) -> None:
    with suppress(BrokenPipeError):  # the demo has ended; so does standard input
        os.write(1, word)


if __name__ == "__main__":
    sys.exit(main())
