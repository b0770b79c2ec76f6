"""One run of the demo: a host, people, and one agent for each session, until every call is decided."""

from __future__ import annotations

from collections.abc import Sequence

import trio

from facets import Host, Principal, open_host, present
from questions.facet import questions_facet
from questions.scopes import Scope, SessionScope
from questions.views import Questions
from questions.visible import visible

from .agent import Agent
from .calls import ToolCall
from .cast import NAMES
from .face import Face
from .journal import Journal
from .pace import Pace
from .troupe import Company

__all__ = ["play"]


async def play(calls: Sequence[ToolCall], troupe: Company, pace: Pace, face: Face) -> None:
    """Run the demo and show it on `face`. Cancelling it withdraws whatever is open."""
    journal = Journal()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(journal.narrate, face)
        with journal:
            facet = questions_facet.configured(observe=journal.tell, may_view=_may_view)
            async with open_host(facets=[facet], names=NAMES | _names_of_agents(calls)) as host:
                await _meet(host, calls, troupe, pace, journal)
    face.finish(journal.settled)


async def _meet(host: Host, calls: Sequence[ToolCall], troupe: Company, pace: Pace, journal: Journal) -> None:
    sessions = _by_session(calls)
    async with trio.open_nursery() as people:
        await troupe.enter(people, host, tuple(map(SessionScope, sessions)), journal)
        async with trio.open_nursery() as agents:
            for session, its_calls in sessions.items():
                agents.start_soon(_run_agent, host, session, its_calls, pace, journal)
        people.cancel_scope.cancel()


def _may_view(_: Principal, scope: Scope) -> str:
    """People of one team see what is asked of each other. Answering stays with those who are asked."""
    return "all" if isinstance(scope, SessionScope) else "none"


def _names_of_agents(calls: Sequence[ToolCall]) -> dict[Principal, str]:
    """A session's id says nothing to people; the folder that its agent works in does."""
    return {Principal.worker(call.session): f"the agent in {visible(call.cwd)[-60:]}" for call in calls}


def _by_session(calls: Sequence[ToolCall]) -> dict[str, list[ToolCall]]:
    sessions: dict[str, list[ToolCall]] = {}
    for call in calls:
        sessions.setdefault(call.session, []).append(call)
    return sessions


async def _run_agent(host: Host, session: str, calls: Sequence[ToolCall], pace: Pace, journal: Journal) -> None:
    scope = SessionScope(session)
    # The worker may ask in its own session only; a secret is asked for by the host in its own name.
    async with host.root(principal=Principal.worker(session)) as work, host.root() as own:
        agent = Agent(
            asker=await work.get(Questions, scope),
            host_asker=await own.get(Questions, scope),
            everyone=present(host, Questions, scope),
            pace=pace,
            tell=journal.tell,
        )
        await agent.run(calls)
