"""Servers in a process of their own: links with `links`, websockets.trio alone with `bare`, a worker with `worker`.

Prints one line with the ports when it listens, then replies to one JSON command a line, until the input ends.
"""

import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any

import trio
import trio.testing

from benchmarks.links.bare import echo, hold, open_bare
from benchmarks.links.commands import Command, resident, serve_commands
from benchmarks.links.crowd import raise_the_limit
from benchmarks.links.world import SCOPE, World, crowd_of, open_world
from facets import Principal, open_host
from facets.link.worker import open_worker
from questions import Asker, Confirm, Questions, StoreClosed, questions_facet


class Links:
    """What can be asked of a link server's process."""

    def __init__(self, world: World, asker: Asker, nursery: trio.Nursery) -> None:
        self._world = world
        self._asker = asker
        self._nursery = nursery

    @property
    def commands(self) -> dict[str, Command]:
        """By name."""
        return {
            "resident": resident,
            "cpu": time.process_time,
            "check": self._world.host.check,
            "state": self.state,
            "tokens": self.tokens,
            "greetings": self.greetings,
            "stand": self.stand,
        }

    def state(self) -> dict[str, Any]:
        """How much there is of everything."""
        figures: dict[str, Any] = {"tasks": _tasks(trio.lowlevel.current_root_task()), "resident": resident()}
        figures["connections"] = self._world.server.describe()["connections"]
        figures["waiting"] = len(self._world.host.waiting.value)
        return figures

    def tokens(self, principals: Sequence[str]) -> list[str]:
        """A token for each `kind:id`."""
        return [self._world.token(_principal(name)) for name in principals]

    def greetings(self, count: int, watched: Sequence[str]) -> list[list[str]]:
        """What so many viewers say when they have dialled."""
        return [self._world.greeting(person, watched) for person in crowd_of(count)]

    async def stand(self, count: int, audience: int) -> None:
        """Ask so many questions, which nobody answers."""
        for _ in range(count):
            self._nursery.start_soon(self._ask, crowd_of(audience))
        await trio.testing.wait_all_tasks_blocked()

    async def _ask(self, people: list[Principal]) -> None:
        try:
            await self._asker.ask(Confirm("Run it?"), audience=people)
        except StoreClosed:
            return


def _principal(name: str) -> Principal:
    kind, _, id = name.partition(":")
    return Principal(kind, id)  # type: ignore[arg-type]  # it checks


def _tasks(task: trio.lowlevel.Task | None) -> int:
    if task is None:
        return 0
    return 1 + sum(_tasks(child) for nursery in task.child_nurseries for child in nursery.child_tasks)


async def _links() -> None:
    async with AsyncExitStack() as stack:
        world = await stack.enter_async_context(open_world())
        ctx = await stack.enter_async_context(world.host.root())
        nursery = await stack.enter_async_context(trio.open_nursery())
        asker = await ctx.get(Questions, SCOPE)
        assert isinstance(asker, Asker)
        ports = {"links": world.port, "echo": await stack.enter_async_context(open_bare(echo))}
        await serve_commands(ports, Links(world, asker, nursery).commands)
        nursery.cancel_scope.cancel()


async def _bare() -> None:
    async with open_bare(hold) as port:
        await serve_commands({"bare": port}, {"resident": resident, "cpu": time.process_time})


async def _worker(url: str, token: str, session: str) -> None:
    async with open_host([questions_facet]) as host, open_worker(host, url, token, session) as worker:
        await worker.connected()
        await serve_commands({}, {"resident": resident, "cpu": time.process_time, "check": host.check})


_SERVERS: dict[str, Callable[..., Awaitable[None]]] = {"links": _links, "bare": _bare, "worker": _worker}

if __name__ == "__main__":
    raise_the_limit()
    trio.run(_SERVERS[sys.argv[1]], *sys.argv[2:])
