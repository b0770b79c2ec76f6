"""The people of one run: who is there from the start, and who comes late."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import attrs
import trio

from facets import Host
from questions.scopes import Scope

from .cast import ALICE, BOB, CAROL
from .journal import Journal
from .pace import Pace
from .person import ScriptedPerson

__all__ = ["Company", "Person", "Troupe", "everyone_was_asked"]


class Person(Protocol):
    """Somebody who answers: scripted, or at the keyboard."""

    async def take_part(
        self,
        host: Host,
        scopes: Sequence[Scope],
        *,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Answer until cancelled. Started once the person is there."""


class Company(Protocol):
    """Who takes part in a run, and from where."""

    async def enter(self, nursery: trio.Nursery, host: Host, scopes: Sequence[Scope], journal: Journal) -> None:
        """Start everybody in `nursery`; returns when those are there who come on time."""


@attrs.frozen
class Troupe:
    """Alice, who may be real; Bob; and Carol, who comes after the first question to everyone present has opened."""

    pace: Pace
    alice: Person | None = None
    """Somebody at the keyboard; None for a scripted Alice."""

    async def enter(self, nursery: trio.Nursery, host: Host, scopes: Sequence[Scope], journal: Journal) -> None:
        """Start everybody in `nursery`; returns when those are there who come on time."""
        # Each of them looks after half of the sessions, and so answers those first.
        alice = self.alice or ScriptedPerson(ALICE, self.pace, frozenset(scopes[::2]))
        await nursery.start(alice.take_part, host, scopes)
        await nursery.start(ScriptedPerson(BOB, self.pace, frozenset(scopes[1::2])).take_part, host, scopes)

        async def late() -> None:
            await everyone_was_asked(journal, self.pace)

        nursery.start_soon(ScriptedPerson(CAROL, self.pace, frozenset(), late).take_part, host, scopes)


async def everyone_was_asked(journal: Journal, pace: Pace) -> None:
    """Return a little after the first question to everyone present: when who is late comes."""
    with trio.move_on_after(10 * pace.late):
        await journal.everyone_asked.wait()
    await trio.sleep(pace.late)
