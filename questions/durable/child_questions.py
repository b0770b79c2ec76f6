"""The parent's end: what a child asks goes to the parent's own people, to its own parent, or into a decision."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

import attrs
import trio

from facets.nursery import open_serving_nursery
from facets.readable import Cell, Readable

from .child_decisions import Child, decision_fields, reply_in
from .child_relay import ChildRelay
from .dialogs import CANCELLED, Dialog, Reply, fitting, read_question, response_line
from .line_streams import LineWriter, lines_from
from .relaying import MOST_PENDING, BlockedOn

if TYPE_CHECKING:  # a program that only passes questions up needs no store
    from .owning import Owner

__all__ = ["Child", "ChildQuestions", "OwnUI"]

OwnUI = Callable[[Dialog], Awaitable[Reply]]
"""Shows a dialog to the people of this very program, and returns what they say, or `CANCELLED`."""

_log = logging.getLogger("questions")


@attrs.define(eq=False)
class _Asked:
    dialog: Dialog
    decision: str | None = None
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)


class ChildQuestions:
    """Answers the questions of one child. Lives as long as anybody likes; `serve` connects it to the child.

    `mode`: `"route"`, or else every question is cancelled and nothing stored. Routed, a question goes to `ui` if there
    is one, else to `parent`, the relay of a program that is itself a child, else into a decision of `owner`, for root.
    With none of them, and for everything that is no answer, the child gets `cancelled`. `clock`: epoch seconds.
    """

    def __init__(
        self,
        child: Child,
        mode: str = "cancel",
        *,
        ui: OwnUI | None = None,
        parent: ChildRelay | None = None,
        owner: Owner | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.child = child
        self._mode = mode
        self._ui = ui
        self._parent = parent
        self._owner = owner
        self._clock = clock
        self._since = 0.0
        self._pending: dict[str, _Asked] = {}
        """The oldest question first."""
        self._blocked_on: Cell[BlockedOn | None] = Cell(None)
        self._clearing = trio.Lock()
        self._is_clear = False

    @property
    def blocked_on(self) -> Readable[BlockedOn | None]:
        """Whether the child stands still for people: since when (epoch milliseconds), and in which decision."""
        return self._blocked_on

    async def serve(
        self,
        receive: trio.abc.ReceiveStream,
        send: trio.abc.SendStream,
        other: Callable[[bytes], object] = lambda line: None,
    ) -> None:
        """Answer what comes from the child, until its stream ends; `other` is called with lines that are no questions.

        What is pending then, or when this is cancelled, is taken back (via abort), and the child gets no answer. What
        an earlier host had open for the child is taken back first (via restart), so serve each child once at a time.
        """
        writer = LineWriter(send)
        self._is_clear = False
        if self._mode == "route" and self._owner is not None:
            await self._answer_or_cancel(self._clear(self._owner))
        async with open_serving_nursery() as nursery, aclosing(lines_from(receive)) as lines:
            nursery.start_soon(writer.run)
            async for line in lines:
                dialog = read_question(line)
                if dialog is None:
                    other(line)
                elif len(self._pending) >= MOST_PENDING or not dialog.can_be_asked:
                    writer.write([response_line(dialog.id, CANCELLED)])
                elif (asked := self._pending.get(dialog.id)) is None:
                    nursery.start_soon(self._ask, self._take(dialog), writer)
                elif asked.dialog != dialog:  # one response would answer both, so that both are cancelled
                    asked.scope.cancel()

    async def _ask(self, asked: _Asked, writer: LineWriter) -> None:
        dialog, reply = asked.dialog, None
        try:
            with asked.scope:
                reply = await self._answer_or_cancel(self._answer(dialog))
        finally:
            del self._pending[dialog.id]
            self._show()
        writer.write([response_line(dialog.id, fitting(dialog, reply or CANCELLED))])

    async def _answer_or_cancel(self, answer: Awaitable[Reply | None]) -> Reply | None:
        """The reply, or None for whatever goes wrong: nothing of that is an answer."""
        try:
            return await answer
        except Exception:
            _log.warning("a question of child %s could not be asked", self.child.id, exc_info=True)
            return None

    async def _answer(self, dialog: Dialog) -> Reply | None:
        if self._mode != "route":
            return None
        if self._ui is None and self._parent is None:
            return None if self._owner is None else await self._decide(self._owner, dialog)
        with trio.move_on_after(dialog.timeout_ms / 1_000):
            if self._ui is not None:
                return await self._ui(attrs.evolve(dialog, title=self.child.title(dialog)))
            if self._parent is not None:
                return await self._pass_up(self._parent, dialog)
        return None

    async def _pass_up(self, parent: ChildRelay, dialog: Dialog) -> Reply:
        return await parent.ask(
            dialog.method,
            self.child.title(dialog),
            message=dialog.message,
            options=dialog.texts,
            placeholder=dialog.placeholder,
            prefill=dialog.prefill,
            timeout_ms=dialog.timeout_ms,
        )

    async def _decide(self, owner: Owner, dialog: Dialog) -> Reply:
        await self._clear(owner)
        fields = decision_fields(self.child, dialog)
        decision = await owner.outcome(self.child.caller, fields, lambda id: self._note(dialog.id, id))
        return reply_in(dialog, decision)

    async def _clear(self, owner: Owner) -> None:
        """Take back what earlier hosts had open for the child: of each question only one may be open."""
        async with self._clearing:
            if not self._is_clear:
                await owner.take_back_all_of(self.child.caller)
                self._is_clear = True

    def _take(self, dialog: Dialog) -> _Asked:
        if not self._pending:
            self._since = self._clock() * 1_000
        asked = self._pending[dialog.id] = _Asked(dialog)
        self._show()
        return asked

    def _note(self, id: str, decision: str) -> None:
        self._pending[id].decision = decision
        self._show()

    def _show(self) -> None:
        oldest = next(iter(self._pending.values()), None)
        self._blocked_on.set(None if oldest is None else BlockedOn(self._since, oldest.decision))
