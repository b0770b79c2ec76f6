"""This library as a side of the comparison."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from time import perf_counter_ns
from typing import Any

import attrs

from benchmarks.turns import Crowd, Turns
from facets import Host, Principal, open_host
from questions import Asker, Confirm, Questions, SessionScope, Viewer, questions_facet

SCOPE = SessionScope("s1")

Terms = Callable[[int], Mapping[str, Any]]
"""Further arguments of an ask, by its number."""


def crowd_of(count: int) -> list[Principal]:
    """That many people."""
    return [Principal.user(f"p{number}") for number in range(count)]


@attrs.define(eq=False)
class Ours:
    """People at a host of this library. Each ask builds its question and audience, as users do."""

    host: Host
    asker: Asker
    people: list[Principal]
    """The audience of what is asked in turn; person 0 answers."""
    terms: Terms | None = None
    """Further arguments of each ask in turn, by its number."""
    standing_audience: list[Principal] | None = None
    standing_terms: Terms = lambda _number: {}
    answering: bool = False
    _asked: int = 0
    _answered_at: int = 0
    _picture: set[str] = attrs.field(factory=set)
    _viewer: Viewer | None = None

    async def ask_in_turn(self, count: int) -> list[int]:
        if self.terms is not None:
            return await self._ask_on_terms(count, self.terms)
        latencies = []
        for _ in range(count):
            await self.asker.ask(Confirm("Run it?"), audience=[*self.people])
            latencies.append(perf_counter_ns() - self._answered_at)
        return latencies

    async def _ask_on_terms(self, count: int, terms: Terms) -> list[int]:
        latencies = []
        for _ in range(count):
            self._asked += 1
            await self.asker.ask(Confirm("Run it?"), audience=[*self.people], **terms(self._asked))
            latencies.append(perf_counter_ns() - self._answered_at)
        return latencies

    async def stand(self) -> None:
        self._asked += 1
        audience = self.standing_audience or self.people
        await self.asker.ask(Confirm("Run it?"), audience=[*audience], **self.standing_terms(self._asked))

    async def answer_what_comes(self) -> None:
        async with viewer_of(self.host, self.people[0]) as viewer:
            async for difference in viewer.open.differences():
                if self.answering:
                    for question_id in difference.put:
                        self._answered_at = perf_counter_ns()
                        await viewer.answer(question_id, True)

    async def ask_at_each_turn(self, turns: Turns) -> None:
        while True:
            await turns.wait()
            await self.asker.ask(Confirm("Run it?"), audience=[*self.people])

    async def watch(self, person: int, crowd: Crowd) -> None:
        picture: set[str] = set()
        async with viewer_of(self.host, self.people[person]) as viewer:
            if person == 0:
                self._picture, self._viewer = picture, viewer
            async for difference in viewer.open.differences():
                if difference.whole:
                    picture.clear()
                picture.update(difference.put)
                picture.difference_update(difference.drop)
                crowd.sees(len(picture))

    async def answer_all(self) -> None:
        assert self._viewer is not None
        for question_id in list(self._picture):
            await self._viewer.answer(question_id, True)


class OursBySnapshots(Ours):
    """The same with watchers that read `changes()`, a whole snapshot each time."""

    async def answer_what_comes(self) -> None:
        async with viewer_of(self.host, self.people[0]) as viewer:
            known: frozenset[str] = frozenset()
            async for open_questions in viewer.open.changes():
                before, known = known, frozenset(open_questions)
                if self.answering:
                    for question_id in known - before:
                        self._answered_at = perf_counter_ns()
                        await viewer.answer(question_id, True)


@asynccontextmanager
async def viewer_of(host: Host, person: Principal) -> AsyncIterator[Viewer]:
    """The view that this person has of the scope."""
    async with host.root(principal=person) as context:
        viewer = await context.get(Questions, SCOPE)
        assert isinstance(viewer, Viewer)
        yield viewer


@asynccontextmanager
async def open_ours(
    people: int = 2,
    kind: type[Ours] = Ours,
    settings: Mapping[str, Any] | None = None,
    **terms: Any,
) -> AsyncIterator[Ours]:
    """A fresh host with an asker and an audience of that many people."""
    facet = questions_facet.configured(**(settings or {}))
    async with open_host(facets=[facet], names={}) as host, host.root() as context:
        asker = await context.get(Questions, SCOPE)
        assert isinstance(asker, Asker)
        yield kind(host, asker, crowd_of(people), **terms)
