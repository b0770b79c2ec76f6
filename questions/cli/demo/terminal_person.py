"""The person at the keyboard: sees what is open, with a countdown, and answers in place."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence

import trio
from rich.console import Console
from rich.live import Live

from facets import Host, Principal
from questions.errors import InvalidAnswer, NoLongerActive
from questions.open_question import OpenQuestion
from questions.scopes import Scope
from questions.views import Questions, Viewer

from .desk import Answer, Desk
from .keyboard import Keyboard
from .screen import draw

__all__ = ["TerminalPerson"]

_FRAME = 0.1


class TerminalPerson:
    """`who`, at the terminal behind `console` and `keyboard`. Lives for one run of the demo."""

    def __init__(self, who: Principal, console: Console, keyboard: Keyboard) -> None:
        self._who = who
        self._console = console
        self._keyboard = keyboard
        self._desk = Desk()
        self._viewers: dict[Scope, Viewer] = {}
        self._live = Live(console=console, auto_refresh=False, transient=True)

    async def take_part(
        self,
        host: Host,
        scopes: Sequence[Scope],
        *,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Let the person answer until cancelled. The terminal is as it was afterwards, after Ctrl-C too."""
        with self._keyboard.direct(), self._live:
            async with host.root(principal=self._who) as ctx, trio.open_nursery() as nursery:
                for scope in scopes:
                    self._viewers[scope] = await ctx.get(Questions, scope)
                    nursery.start_soon(self._watch, self._viewers[scope])
                nursery.start_soon(self._tick)
                nursery.start_soon(self._listen)
                nursery.start_soon(self._obey_signals)
                task_status.started()

    async def _watch(self, viewer: Viewer) -> None:
        async for _ in viewer.open.changes():
            self._look()

    async def _tick(self) -> None:
        while True:
            await trio.sleep(_FRAME)
            self._draw()

    def _look(self) -> None:
        opened = [each for viewer in self._viewers.values() for each in viewer.open.value.values()]
        # Each session's are oldest first; together they have to be put in order.
        opened.sort(key=lambda each: each.asked_at)
        if self._desk.look(opened, trio.current_time()):
            # What was typed before a question came into view is not an answer to it.
            self._keyboard.discard()
        self._draw()

    def _draw(self) -> None:
        self._live.update(draw(self._desk, self._console, trio.current_time()), refresh=True)

    async def _listen(self) -> None:
        while keys := await self._keyboard.read():
            answer = self._desk.press(keys, trio.current_time())
            if answer is not None and self._desk.front is not None:
                await self._answer(answer, self._desk.front)
            self._look()

    async def _answer(self, answer: Answer, front: OpenQuestion) -> None:
        try:
            await self._viewers[front.scope].answer(answer.id, answer.value)
        except NoLongerActive as error:
            self._desk.note = f"Too late for this one: {error}"
        except InvalidAnswer as error:
            self._desk.note = f"Not taken: {error}"
        else:
            self._desk.note = "Your answer was taken."

    async def _obey_signals(self) -> None:
        # Without this the process would end or stop at once, and leave the terminal without echo and cursor.
        with trio.open_signal_receiver(signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP) as signals:
            async for number in signals:
                if number != signal.SIGTSTP:
                    raise KeyboardInterrupt
                self._pause()

    def _pause(self) -> None:
        """Ctrl-Z: stop here, and go on with the terminal as the demo wants it."""
        self._console.show_cursor(True)
        with self._keyboard.lent():
            os.kill(os.getpid(), signal.SIGSTOP)
        self._console.show_cursor(False)
