"""For testing flows that ask people: a host in virtual time, scripted people, and captured reports.

    async def test_two_of_three(autojump_clock):
        async with open_rig() as rig:
            ana, bo, cy = await rig.people("ana", "bo", "cy")
            asking = rig.ask(Confirm("Deploy?"), audience=[ana, bo, cy], policy=Quorum(2), timeout=60)
            rig.at(5, ana.answer, True)
            rig.at(9, bo.answer, True)
            collected = await asking.wait()
        assert collected.unanimous(True) and rig.now == 9

Virtual time is trio's `MockClock`: name pytest-trio's `autojump_clock` as a parameter of the test itself, and use
neither threads nor sockets under it. With a real clock everything here works too, in real time.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import outcome
import trio
import trio.testing

from facets.context import Ctx
from facets.facet import Facet
from facets.host import Host, open_host, present
from facets.nursery import open_serving_nursery
from facets.principal import Principal
from facets.readable import Readable

from .facet import questions_facet
from .open_question import OpenQuestion
from .question import Question
from .reports import Opened, Settled
from .scopes import Scope, SessionScope
from .views import Asker, Questions, Viewer

__all__ = ["Asking", "Person", "Rig", "open_rig"]

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


class Asking:
    """An ask under way in the rig."""

    def __init__(self) -> None:
        self.outcome: outcome.Outcome[Any] | None = None
        """How it ended: the value, or the error, `trio.Cancelled` left out; None while it waits."""
        self.cancelled = False
        self._scope = trio.CancelScope()
        self._done = trio.Event()

    def cancel(self) -> None:
        """Cancel the asking task."""
        self._scope.cancel()

    async def wait(self) -> Any:
        """Wait for the end; returns what `ask` returned, or raises what it raised."""
        await self._done.wait()
        if self.outcome is None:
            raise RuntimeError("the ask was cancelled")
        return self.outcome.unwrap()

    async def _run(self, function: Callable[[], Awaitable[Any]]) -> None:
        with self._scope:
            try:
                self.outcome = outcome.Value(await function())
            except Exception as error:
                self.outcome = outcome.Error(error)
        self.cancelled = self._scope.cancelled_caught
        self._done.set()


class Rig:
    """A host with the questions facet, people, and what happened. Made by `open_rig`."""

    def __init__(self, host: Host, nursery: trio.Nursery, scope: Scope, reports: list[Opened | Settled]) -> None:
        self.host = host
        self.scope = scope
        self.reports = reports
        """What the store reported, in order."""
        self.refusals: list[tuple[float, Exception]] = []
        """What scripted steps raised, with the virtual time."""
        self._nursery = nursery
        self._start = trio.current_time()

    @property
    def now(self) -> float:
        """Virtual seconds since the rig was opened."""
        return trio.current_time() - self._start

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
        asking = Asking()

        async def ask() -> Any:
            own = asker or await self.asker()
            return await own.ask(question, audience=_principals(audience), **options)

        self._nursery.start_soon(asking._run, ask)
        return asking

    def at(self, seconds: float, function: Callable[..., Any], *args: Any) -> None:
        """Have a step taken at a virtual time: `rig.at(5, ana.answer, True)`. Refusals go to `refusals`."""
        self._nursery.start_soon(self._take_step, seconds, function, args)

    async def _take_step(self, seconds: float, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        await trio.sleep_until(self._start + seconds)
        try:
            result = function(*args)
            if isinstance(result, Awaitable):
                await result
        except Exception as error:
            self.refusals.append((self.now, error))

    async def until(self, seconds: float) -> None:
        """Let virtual time pass up to then, and everything that it brings happen."""
        await trio.sleep_until(self._start + seconds)
        await self.quiet()

    async def quiet(self) -> None:
        """Let everything happen that does not need time to pass."""
        await trio.testing.wait_all_tasks_blocked()


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
    **settings: Any,
) -> AsyncIterator[Rig]:
    """A rig for the length of the block. `settings` are those of `questions_facet`; more `facets` run beside it.

    `observe` is called with each report, once that is in `rig.reports`.

    At the end whatever is still under way is cancelled; what a step of the script raised is in `rig.refusals`.
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
        yield Rig(host, nursery, scope or SessionScope("s1"), reports)
