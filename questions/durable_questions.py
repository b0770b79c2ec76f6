"""The durable questions of a host: what happens to them is reported to their records, whose values the store shows.

An answer counts, and an ask is open, only once that is committed. The store of live questions stays what views look at.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import outcome
import trio
from trio import current_time
from trio.lowlevel import current_task

from facets.actor import Actor
from facets.facet import Environment
from facets.principal import Principal, Who

from .board import Board
from .durable_port import DurableAsk, DurableAsks, DurableStore, Kept
from .entry import Entry, Event, State, Withdraw
from .pending import Pending
from .redaction import Secret
from .request import AskRequest
from .retained import Retained
from .scopes import Scope
from .store import PendingQuestions

__all__ = ["DurableQuestions"]

_REMEMBERED_SECONDS, _REMEMBERED = 60.0, 10_000
"""For how long it is known that one has ended: longer than any read that began before that is under way."""


class DurableQuestions(Actor):
    """What brings records and the store of one host together. Lives as long as the host."""

    def __init__(self, environment: Environment, store: Callable[[], PendingQuestions], durable: DurableStore) -> None:
        super().__init__("durable questions")
        self._environment = environment
        self._current_store = store
        self._store = store()
        self._is_up_to_date = False
        self._following = trio.CancelScope()
        self._asks: DurableAsks = durable.asks(self._step, environment.now)
        self._ended: Retained[str, Kept] = Retained(_REMEMBERED_SECONDS, _REMEMBERED)

    def _step(self, entry: Entry, event: Event) -> Entry:
        stepped: Entry = self._environment.logic.settlement.step(entry, event)
        return stepped

    async def begin(self) -> None:
        """Show all that are open. Raises what the records cannot be read for."""
        for kept in await self._asks.begin():
            self._show(kept)
        self._is_up_to_date = True

    async def run(self) -> None:
        """Show what other hosts and deadlines do. Ends by cancellation only."""
        while True:
            with trio.CancelScope() as self._following:
                if not self._is_up_to_date:
                    await self.begin()
                self._is_up_to_date = False  # by the time that it follows no more
                await self._asks.follow(self._show)

    def renew(self) -> None:
        """After a reload: if the store is another one, show it all."""
        if self._store is not self._current_store():
            self._store = self._current_store()
            self._following.cancel()

    async def ask(self, request: AskRequest, asker: Who, scope: Scope) -> Pending | outcome.Outcome[Any]:
        """Find or open a question, with the current task as one that waits for it; or its outcome."""
        environment = self._environment
        environment.logic.authority.authorize(asker.principal, "ask", scope)  # Q-AUTH-1
        admit = partial(self._store.call, self._store.check_durable, request, asker.principal, scope)
        ask = DurableAsk(request, asker, scope, environment.config.limits, admit)
        *replaced, asked = await self._asks.ask(ask)
        for kept in replaced:
            self._show(kept)
        return self._store.call(self._store.wait_for, self._show(asked), current_task())

    async def answer(self, board: Board, id: str, value: Secret[Any]) -> None:
        """Somebody answers. It counts once this returns; what refuses it leaves the question as it was."""
        if not self._store.holds(id) and (kept := await self._asks.find(id)) is not None:
            self._show(kept)
        event = self._store.call(self._store.judge, board, id, value)
        kept, counts = await self._asks.report(id, event)
        self._show(kept)
        if not counts:  # something else came first, and the store knows by now what
            self._store.call(self._store.judge, board, id, value)

    async def withdraw(self, asker: Principal, scope: Scope, key: str) -> bool:
        """Take a question back; whether it was open until then."""
        id = await self.named(asker, scope, key)
        if id is None:
            return False
        kept, was_open = await self._asks.report(id, Withdraw())
        self._show(kept)
        return was_open

    async def named(self, asker: Principal, scope: Scope, key: str) -> str | None:
        """The id of the question that stands for a key, if there is one."""
        return await self._asks.named(asker, scope, key)

    def _show(self, kept: Kept) -> Kept:
        """Show it, unless it is known that it has changed since it was read. Returns what is known last of one."""
        id, now = kept.entry.ask.id, current_time()
        if kept.entry.state is not State.OPEN:
            self._ended.put(id, kept, now)
        elif (ended := self._ended.get(id, now)) is not None:
            return ended
        self._store.call(self._store.show, kept, self._asks.saw)
        return kept
