"""One ask from the command line, from the connection to its end: what is told meanwhile, and what interrupts it."""

from __future__ import annotations

import signal
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import attrs
import trio

from facets.errors import FacetError, LinkLost, Retryable
from facets.link.client import Link
from questions.errors import Expired, LimitExceeded, NoDurableStore, Superseded, Withdrawn
from questions.scopes import SessionScope
from questions.views import Asker, Questions

from .ask_outcome import Outcome, ended_by_its_asker, expired, kept, left_open, outcome_of, withdrawn
from .ask_progress import Progress
from .ask_terms import Terms
from .bad_command import BadCommand, Unreachable
from .connecting import Server, open_server, why_lost

__all__ = ["Wait"]

_TICK = 0.5
"""Seconds between two looks of a countdown."""
_FIRST_LOOK = 1.0
"""Seconds to wait for the first look at what is asked already."""
_GRACE = 2.0
"""Seconds beyond its time for which the end of an ask may be under way."""


@attrs.define
class Wait:
    """Lives for one `run`. `in_named_session`: somebody has said in which; else a worker asks in its own."""

    server: Server
    terms: Terms
    in_named_session: bool
    progress: Progress
    id: str | None = None
    """Of the question, once it is known."""
    _scope: trio.CancelScope = attrs.field(factory=trio.CancelScope, repr=False)
    """What an interrupt cancels."""

    async def run(self) -> Outcome:
        """Ask, and wait for the end. SIGINT, SIGTERM and SIGHUP withdraw the question before this returns, or leave it.

        Raises `KeyboardInterrupt` if one of them came before anything was asked, `BadCommand` and `Unreachable`.
        """
        outcome: Outcome | None = None
        async with trio.open_nursery() as nursery:
            await nursery.start(self._heed_signals)
            with self._scope:
                outcome = await self._connect_and_ask()
            nursery.cancel_scope.cancel()
        if outcome is None:
            raise KeyboardInterrupt
        return outcome

    async def _heed_signals(self, *, task_status: trio.TaskStatus[None]) -> None:
        with _signals() as signals:
            task_status.started()
            async for _ in signals:
                self._scope.cancel()

    async def _connect_and_ask(self) -> Outcome:
        async with open_server(self.server) as link:
            asker = await self._asker(link)
            ended = await self._ended_before(asker)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._follow, asker)
                nursery.start_soon(self._follow_link, link)
                nursery.start_soon(self._tick)
                nursery.start_soon(self._give_up, link)
                try:
                    outcome = await self._ask(link, asker)
                finally:
                    self.progress.end()
                nursery.cancel_scope.cancel()
            await self._look_up_id(asker)
        return kept(outcome) if ended is not None and ended == self.id else outcome

    async def _ended_before(self, asker: Any) -> str | None:
        """The id of the last question with this key, if it is not open any more."""
        with trio.move_on_after(_FIRST_LOOK) as look:  # looked at before it is asked, so that its id is told at once
            await asker.asking.changed(-1)
        is_open = any(one.key == self.terms.key for one in asker.asking.value.values())
        if look.cancelled_caught or is_open or not self.terms.is_named:
            return None
        with suppress(FacetError), trio.move_on_after(_FIRST_LOOK):
            id: str | None = await asker.asked(self.terms.key)
            return id
        return None

    async def _look_up_id(self, asker: Any) -> None:
        """If the answer was there before it was heard that there is a question: kept, or of the same instant."""
        if self.id is None:
            with suppress(FacetError), trio.move_on_after(_FIRST_LOOK):  # it is no part of the answer
                self.id = await asker.asked(self.terms.key)

    async def _asker(self, link: Link) -> Asker:
        kind = link.principal.kind
        if kind not in ("server", "worker"):
            raise BadCommand(
                f"This is the token of {link.principal}, who answers. Who asks needs that of a worker:\n"
                "questions token worker:SESSION"
            )
        if self.terms.question.secret and kind != "server":
            raise BadCommand(
                f"Only a server may ask for a secret, and this is the token of {link.principal}:\n"
                "questions token server:NAME"
            )
        scopes = self.server.sessions
        if kind == "worker" and not self.in_named_session:
            scopes = (SessionScope(link.principal.id),)
        if len(scopes) > 1:
            raise BadCommand("In which session? --session S; the settings name several.")
        return await link.get(Questions, scopes[0])

    async def _ask(self, link: Link, asker: Any) -> Outcome:
        terms = self.terms
        # Only the ask is cancelled by an interrupt: without the link, the server would not hear of it (Q-SET-6).
        with trio.CancelScope() as self._scope:
            try:
                return outcome_of(
                    await asker.ask(
                        terms.question,
                        audience=terms.audience,
                        policy=terms.policy,
                        key=terms.key,
                        timeout=terms.timeout,
                        default=terms.default,
                        on_behalf_of=terms.on_behalf_of,
                        **({"durable": True} if terms.durable else {}),
                    )
                )
            except Expired as error:
                return expired(error)
            except (Superseded, Withdrawn) as error:
                return ended_by_its_asker(error)
            except NoDurableStore:
                raise BadCommand(f"{link.url} has no store for --durable: questions serve --root R.") from None
            except LinkLost:
                raise Unreachable(f"{link.url}: {why_lost(link)}") from None
            except (Retryable, LimitExceeded) as error:
                raise Unreachable(f"{error}.") from None
        return left_open(terms.key) if terms.durable else withdrawn(told=link.state.value == "connected")

    async def _follow(self, asker: Asker) -> None:
        async for asks in asker.asking.changes():
            for one in asks.values():
                if one.key == self.terms.key:
                    self.id = one.id
                    self.progress.show(one)

    async def _follow_link(self, link: Link) -> None:
        was_lost = False
        async for state in link.state.changes():
            is_lost = state != "connected"
            if is_lost != was_lost:
                self.progress.connection(why_lost(link) if is_lost else None)
            was_lost = is_lost

    async def _tick(self) -> None:
        while True:
            await trio.sleep(_TICK)
            self.progress.tick()

    async def _give_up(self, link: Link) -> None:
        """Once its time is over, wait no longer for a server that is away and could not say so."""
        if self.terms.timeout is None:
            return
        await trio.sleep(self.terms.timeout + _GRACE)
        async for state in link.state.changes():
            if state != "connected":
                raise Unreachable(f"The time is over, and {link.url} is away: {why_lost(link)}.")


@contextmanager
def _signals() -> Iterator[AsyncIterator[int]]:
    """What asks to end; nothing in a thread other than the main one, which gets no signals."""
    if threading.current_thread() is not threading.main_thread():
        yield _never()
        return
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
        yield signals


async def _never() -> AsyncIterator[int]:
    await trio.sleep_forever()
    yield 0
