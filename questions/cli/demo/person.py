"""A scripted person: joins, looks at what is open, and answers after a while."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import attrs
import trio

from facets import Host, LinkLost, Principal
from questions.errors import NoLongerActive
from questions.open_question import OpenQuestion
from questions.scopes import Scope
from questions.views import Questions, Viewer

from .habits import answer_of, delay_of
from .pace import Pace

__all__ = ["ScriptedPerson"]


@attrs.frozen
class ScriptedPerson:
    """`who` comes when `arrival` returns, and answers the sessions in `home` faster than the others."""

    who: Principal
    pace: Pace
    home: frozenset[Scope]
    arrival: Callable[[], Awaitable[None]] = trio.lowlevel.checkpoint

    async def take_part(
        self,
        host: Host,
        scopes: Sequence[Scope],
        *,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Answer until cancelled. Started once the person is there."""
        await self.arrival()

        async def get(scope: Scope) -> Viewer:
            return await ctx.get(Questions, scope)

        async with host.root(principal=self.who) as ctx:
            await self.attend(get, scopes, task_status=task_status)

    async def attend(
        self,
        get: Callable[[Scope], Awaitable[Viewer]],
        scopes: Sequence[Scope],
        *,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """The same with what `get` gives: viewers of this process, or of another one."""
        async with trio.open_nursery() as nursery:
            for scope in scopes:
                nursery.start_soon(self._watch, await get(scope), scope in self.home, nursery)
            task_status.started()

    async def _watch(self, viewer: Viewer, at_home: bool, nursery: trio.Nursery) -> None:
        known: set[str] = set()
        async for opened in viewer.open.changes():
            for new in [each for each in opened.values() if each.may_answer and each.id not in known]:
                delay = delay_of(new, self.who, at_home, self.pace)
                if delay is not None:
                    nursery.start_soon(self._answer, viewer, new, delay)
            known = {each.id for each in opened.values() if each.may_answer}

    async def _answer(self, viewer: Viewer, opened: OpenQuestion, delay: float) -> None:
        await trio.sleep(delay)
        try:
            await viewer.answer(opened.id, answer_of(opened))
        except (NoLongerActive, LinkLost):
            # Somebody else was faster, or the time was over, or the line was dead: what happens to people too.
            return
