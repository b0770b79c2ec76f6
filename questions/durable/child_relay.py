"""The child's end: a program asks its parent, over a pair of byte streams such as its standard input and output."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any

import attrs
import trio

from facets.nursery import open_serving_nursery

from .dialogs import CANCELLED, USUAL_TIMEOUT_MS, Dialog, Reply
from .errors import BadArgument
from .line_streams import LineWriter, lines_from
from .relaying import BlockedOn, Relay

__all__ = ["ChildRelay"]


@attrs.define(eq=False)
class _Waiter:
    ended: trio.Event = attrs.field(factory=trio.Event)
    reply: Reply = CANCELLED


class ChildRelay:
    """Asks the parent of this program. Lives as long as anybody likes; `attach` connects it.

    It owns the deadlines: a dialog whose time is over is cancelled, whatever the parent does. Without a parent dialogs
    wait for the next one, which is asked all that is pending.
    """

    def __init__(self, usual_timeout_ms: float = USUAL_TIMEOUT_MS) -> None:
        self._machine = Relay(usual_timeout_ms)
        self._waiters: dict[str, _Waiter] = {}
        self._writer: LineWriter | None = None
        self._numbers = itertools.count(1)

    @property
    def blocked_on(self) -> BlockedOn | None:
        """Since when it waits, milliseconds of trio's clock; None if nothing is pending."""
        return self._machine.blocked_on

    async def attach(self, receive: trio.abc.ReceiveStream, send: trio.abc.SendStream) -> None:
        """Ask the parent at these streams, until what it writes ends. Then what is pending stays so."""
        writer = self._writer = LineWriter(send)
        writer.write(self._machine.lines(_now()))
        try:
            async with open_serving_nursery() as nursery, aclosing(lines_from(receive)) as lines:
                nursery.start_soon(writer.run)
                async for line in lines:
                    if settled := self._machine.receive(line, _now()):
                        self._settle(settled.id, settled.reply)
        finally:
            if self._writer is writer:
                self._writer = None

    async def ask(
        self,
        method: str,
        title: str,
        *,
        message: str | None = None,
        options: Sequence[str] | None = None,
        placeholder: str | None = None,
        prefill: str | None = None,
        timeout_ms: float | None = None,
    ) -> Reply:
        """Ask, and wait for the reply: `value` of a select (the full text of an option), an input or an editor.

        `method`: select, confirm, input or editor; else `BadArgument`. `timeout_ms`: above 0, up to 24 hours. All
        else than an answer is cancelled: the time is over, nobody could be asked, 16 are pending already. Cancelling
        this gives the dialog up.
        """
        given = {"method": method, "title": title, "message": message, "options": options}
        more = {"placeholder": placeholder, "prefill": prefill, "timeout": timeout_ms}
        reply = await self.relay({"requestId": f"d{next(self._numbers)}", **given, **more})
        if reply is None:
            raise BadArgument(["$.method: one of select, confirm, input, editor"])
        return reply

    async def relay(self, data: Mapping[str, Any]) -> Reply | None:
        """Ask with the fields of a question as another program gave them; None for what is none, which is not handled.

        An id that is pending, a 17th dialog and a choice of nothing are cancelled at once.
        """
        await trio.lowlevel.checkpoint()
        asked = self._machine.ask(data, _now())
        if not isinstance(asked, Dialog):
            return asked
        waiter = self._waiters[asked.id] = _Waiter()
        try:
            if self._writer is not None:
                self._writer.write([self._machine.line(asked.id, _now())])
            with trio.move_on_after(asked.timeout_ms / 1_000):
                await waiter.ended.wait()
            for settled in self._machine.due(_now()):
                self._settle(settled.id, settled.reply)
            return waiter.reply
        finally:
            self._machine.give_up(asked.id)
            self._waiters.pop(asked.id, None)

    def _settle(self, id: str, reply: Reply) -> None:
        waiter = self._waiters.get(id)
        if waiter is not None:
            waiter.reply = reply
            waiter.ended.set()


def _now() -> float:
    return trio.current_time() * 1_000
