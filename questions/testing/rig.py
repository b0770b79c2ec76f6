"""A host in virtual time, with scripted people and captured reports."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import trio
import trio.testing

from facets.context import Ctx
from facets.facet import Facet
from facets.host import Host, open_host, present
from facets.nursery import open_serving_nursery
from facets.principal import Principal
from facets.readable import Readable
from questions.facet import questions_facet
from questions.open_question import OpenQuestion
from questions.question import Question
from questions.reports import Opened, Settled
from questions.scopes import Scope, SessionScope
from questions.views import Asker, Questions, Viewer

from .asking import Asking

__all__ = ["EPOCH", "Person", "Rig", "open_rig"]

EPOCH = 1_800_000_000.0
"""What a rig's wall clock says at the virtual time 0, epoch seconds."""


class Person:
    """Somebody in the rig's scope. Got from `rig.person(...)`; pass it where a principal is wanted, or `.principal`."""

    def __init__(self, rig: Rig, principal: Principal) -> None:
        self.principal = principal
        self.viewer: Viewer
        """What the person views with, from `join` on; kept after `leave`, to act too late with."""
        self._rig = rig
        self._ctx: Ctx | None = None

    async def join(self, scope: Scope | None = None) -> None:
        """Begin to view a scope: the rig's, if none is named."""
        self._ctx = Ctx(self._rig.host, self.principal)
        self.viewer = await self._ctx.get(Questions, scope or self._rig.scope)

    def leave(self) -> None:
        """Stop viewing."""
        if self._ctx is not None:
            self._ctx.end()
            self._ctx = None

    def lose(self) -> None:
        """Have the link drop: the view lingers."""
        if self._ctx is not None:
            self._ctx.lose()
            self._ctx = None

    def see(self) -> list[OpenQuestion]:
        """Look at the open questions, oldest first. The store then knows that they were shown to this person."""
        return list(self.viewer.open.value.values())

    async def answer(self, value: object, id: str | None = None) -> None:
        """Answer a question: the oldest open one that still waits for this person, if none is named."""
        if id is None:
            waiting = [one for one in self.see() if one.may_answer and not one.answered_by_me]
            assert waiting, f"{self.principal} has nothing to answer"
            id = waiting[0].id
        await self.viewer.answer(id, value)

    def __repr__(self) -> str:
        return f"Person({self.principal})"


class Rig:
    """A host with the questions facet, people, and what happened. Made by `open_rig`."""

    def __init__(self, host: Host, nursery: trio.Nursery, scope: Scope, reports: list[Opened | Settled]) -> None:
        self.host = host
        self.scope = scope
        self.reports = reports
        """What the store reported, in order."""
        self._refusals: list[tuple[float, Exception]] = []
        self._looked_at = 0
        self._nursery = nursery
        self._start = trio.current_time()

    @property
    def now(self) -> float:
        """Virtual seconds since the rig was opened."""
        return trio.current_time() - self._start

    @property
    def refusals(self) -> list[tuple[float, Exception]]:
        """What scripted steps raised so far, with the virtual time. What you have looked at here is not raised."""
        self._looked_at = len(self._refusals)
        return list(self._refusals)

    @property
    def settled(self) -> list[Settled]:
        """The settlements among the reports."""
        return [report for report in self.reports if isinstance(report, Settled)]

    @property
    def present(self) -> Readable[tuple[Principal, ...]]:
        """Everyone who views the rig's scope now: a live audience."""
        return present(self.host, Questions, self.scope)

    def person(self, name: str, kind: str = "user") -> Person:
        """Somebody who has not joined yet."""
        return Person(self, Principal(kind, name))  # type: ignore[arg-type]

    async def people(self, *names: str) -> list[Person]:
        """People who have joined."""
        people = [self.person(name) for name in names]
        for person in people:
            await person.join()
        return people

    async def asker(self, principal: Principal | None = None, scope: Scope | None = None) -> Asker:
        """An asker: of the host, if no principal is named."""
        return await Ctx(self.host, principal or self.host.principal).get(Questions, scope or self.scope)

    def ask(self, question: Question[Any], audience: object, asker: Asker | None = None, **options: Any) -> Asking:
        """Begin to ask, in a task of its own. `audience`: people, principals, or a readable."""

        async def ask() -> Any:
            own = asker or await self.asker()
            return await own.ask(question, audience=_principals(audience), **options)

        return self.start(ask)

    def start(self, function: Callable[..., Awaitable[Any]], *args: Any) -> Asking:
        """Begin with work of your own that asks, in a task of its own: `rig.start(deploy, asker)`."""
        asking = Asking()
        self._nursery.start_soon(asking.run, function, *args)
        return asking

    def at(self, seconds: float, function: Callable[..., Any], *args: Any) -> None:
        """Have a step taken at a virtual time: `rig.at(5, ana.answer, True)`.

        What it raises goes to `refusals`; if the test does not look at it there, it fails at the end.
        """
        self._nursery.start_soon(self._take_step, seconds, function, args)

    async def _take_step(self, seconds: float, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        await trio.sleep_until(self._start + seconds)
        try:
            result = function(*args)
            if isinstance(result, Awaitable):
                await result
        except Exception as error:
            error.add_note(f"a step of the rig's script: {_name(function)} at {self.now:g}")
            self._refusals.append((self.now, error))

    async def until(self, seconds: float) -> None:
        """Let virtual time pass up to then, and everything that it brings happen."""
        await trio.sleep_until(self._start + seconds)
        await self.quiet()

    async def quiet(self) -> None:
        """Let everything happen that does not need time to pass."""
        await trio.testing.wait_all_tasks_blocked()

    def _unexpected(self) -> list[Exception]:
        return [error for _, error in self._refusals[self._looked_at :]]


def _name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__qualname__", type(function).__qualname__))


def _principals(audience: object) -> Any:
    if isinstance(audience, Readable) or not isinstance(audience, Sequence):
        return audience
    return [one.principal if isinstance(one, Person) else one for one in audience]


@asynccontextmanager
async def open_rig(
    *facets: Facet,
    scope: Scope | None = None,
    names: Mapping[Principal, str] | None = None,
    reference_linger: float = 30.0,
    observe: Callable[[Opened | Settled], object] | None = None,
    strict: bool = True,
    **settings: Any,
) -> AsyncIterator[Rig]:
    """A rig for the length of the block. `settings` are those of `questions_facet`; more `facets` run beside it.

    `observe` is called with each report, once that is in `rig.reports`.

    At the end whatever is still under way is cancelled. What steps of the script have raised and nobody has looked
    at in `rig.refusals` is then raised in a group, so that no refusal is lost; with `strict=False` it is not. If the
    block itself fails, its error comes out as it is, with a note of each such step.
    """
    reports: list[Opened | Settled] = []

    def note(report: Opened | Settled) -> None:
        reports.append(report)
        if observe is not None:
            observe(report)

    facet = questions_facet.configured(observe=note, **settings)
    start = trio.current_time()
    own = {"names": names, "reference_linger": reference_linger, "clock": lambda: EPOCH + trio.current_time() - start}
    async with open_host([facet, *facets], **own) as host, open_serving_nursery() as nursery:  # type: ignore[arg-type]
        rig = Rig(host, nursery, scope or SessionScope("s1"), reports)
        try:
            yield rig
        except Exception as error:
            for refusal in rig._unexpected():
                error.add_note(f"{refusal.__notes__[-1]} was refused: {refusal!r}")
            raise
        if strict and (unexpected := rig._unexpected()):
            raise ExceptionGroup("steps of the script were refused, and rig.refusals was not looked at", unexpected)
