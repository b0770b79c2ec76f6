"""A scripted person of the demo in a process of their own: `python -m questions.cli.demo.apart`.

Reads a `Part` from standard input and takes part until that ends, or until the server wants them no more: so nobody is
left behind, however the demo has ended.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import msgspec
import trio

from facets.errors import LinkLost, Unauthenticated
from facets.link.client import Link, open_link
from questions.cli.codes import DONE, UNREACHABLE
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
    return trio.run(_take_part, _Lines())


class _Lines:
    """Standard input, line by line, without keeping the process alive: a thread that waits for it is left behind."""

    def __init__(self) -> None:
        self._data = b""

    async def next(self) -> bytes:
        """The next line with its line feed; empty at the end, or when a line would be longer than any can be."""
        while b"\n" not in self._data and len(self._data) < _LONGEST_LINE:
            more = await trio.to_thread.run_sync(os.read, 0, 65_536, abandon_on_cancel=True)
            if not more:
                return b""
            self._data += more
        line, feed, self._data = self._data.partition(b"\n")
        return line + feed

    async def end(self) -> None:
        """Return at the end."""
        while await self.next():
            pass


async def _take_part(lines: _Lines) -> int:
    line = await lines.next()
    if not line:
        return DONE
    part = msgspec.json.decode(line, type=Part)
    try:
        async with open_link(part.url, part.token, patience=_PATIENCE) as link:
            _say(READY)
            if await lines.next():
                await _stay(link, part, lines)
    except (Unauthenticated, LinkLost):
        return UNREACHABLE
    return DONE


async def _stay(link: Link, part: Part, lines: _Lines) -> None:
    async def get(scope: Scope) -> Viewer:
        return await link.get(Questions, scope)

    person = ScriptedPerson(part.who, part.pace, frozenset(map(SessionScope, part.home)))
    async with trio.open_nursery() as nursery:
        await nursery.start(person.attend, get, _scopes(part.sessions))
        _say(HERE)
        nursery.start_soon(_leave_when_refused, link, nursery.cancel_scope)
        await lines.end()
        nursery.cancel_scope.cancel()


async def _leave_when_refused(link: Link, scope: trio.CancelScope) -> None:
    async for state in link.state.changes():
        if state == "refused":
            scope.cancel()


def _scopes(sessions: Sequence[str]) -> tuple[Scope, ...]:
    return tuple(map(SessionScope, sessions))


def _say(word: bytes) -> None:
    os.write(1, word)


if __name__ == "__main__":
    sys.exit(main())
