"""Workers and servers that are killed the hard way: users are told, what comes back goes on, nothing counts twice."""

from contextlib import asynccontextmanager

import pytest
import trio

from facets import LinkLost, Retryable, open_host
from facets.link.client import open_link
from facets.link.mirror import unavailability_of
from facets.link.server import open_link_server
from facets.link.worker import open_worker
from questions import Confirm, Questions, questions_facet
from questions.testing.stage import ANA
from tests.link.processes import START, STEPS, first_line, killed, running
from tests.link.raw import wait_until
from tests.link.relays import sees, until
from tests.link.stages import SCOPE, Tokens
from tests.rules import rule

KEY = "tool-42"


class Site:
    """A server, a user, and somebody who asks, all in this process; the worker is in another."""

    def __init__(self, server, viewer, asker, nursery):
        self.server = server
        self.viewer = viewer
        self.results = []
        self._asker = asker
        self._nursery = nursery

    def ask(self):
        self._nursery.start_soon(self._ask)

    async def _ask(self):
        self.results.append(await self._asker.ask(Confirm("Go?"), audience=[ANA], key=KEY))


async def until_connected(server):
    await wait_until(lambda: any(one["connected"] for one in server.relay.describe()), START)


async def until_away(viewer):
    await until(unavailability_of(viewer.open))


@asynccontextmanager
async def open_site(step):
    """The server with a worker process that kills itself at a step; the links are got while it is well."""
    async with (
        open_host([questions_facet]) as front,
        open_link_server(front, Tokens(), sessions="workers") as server,
        running("worker", server.url, step) as process,
        open_link(server.url, "user:ana") as users,
        open_link(server.url, "worker:s1") as workers,
        trio.open_nursery() as nursery,
    ):
        await until_connected(server)
        viewer, asker = await users.get(Questions, SCOPE), await workers.get(Questions, SCOPE)
        await until(viewer.open, lambda value: not value)
        yield process, Site(server, viewer, asker, nursery)


@rule("Q-KEY-3")
@pytest.mark.parametrize("step", STEPS)
async def test_a_worker_that_is_killed_at_any_step_is_missed_and_its_successor_goes_on(step):
    old = "none"
    async with open_site(step) as (process, site):
        site.ask()
        if step in ("answer", "settle"):
            (old,) = await until(site.viewer.open)
            with pytest.raises(LinkLost):
                await site.viewer.answer(old, True)
        await killed(process)
        await until_away(site.viewer)
        assert site.results == []
        async with running("worker", site.server.url, "never"):
            (new,) = await until(site.viewer.open, lambda value: value and old not in value, START)
            await site.viewer.answer(new, False)
            await sees(site.viewer)
            await wait_until(lambda: site.results)
    assert [(result.by.principal, result.answer) for result in site.results] == [(ANA, False)]


async def test_users_of_a_killed_worker_keep_what_they_have_seen_and_are_refused_for_now():
    async with open_site("never") as (process, site):
        site.ask()
        (question,) = await sees(site.viewer, "Go?")
        process.kill()
        await killed(process)
        await until_away(site.viewer)
        assert list(site.viewer.open.value) == [question.id]
        with pytest.raises(Retryable):
            await site.viewer.answer(question.id, True)
        async with running("worker", site.server.url, "never"):
            await until(unavailability_of(site.viewer.open), lambda why: why is None, START)
            (again,) = await sees(site.viewer, "Go?")
            assert again.id != question.id, "ids are never used again"
            await site.viewer.answer(again.id, True)
            await wait_until(lambda: site.results)
    assert len(site.results) == 1


@asynccontextmanager
async def asker_on_the_worker(host, url):
    async with host.root() as ctx:
        yield await ctx.get(Questions, SCOPE)


@asynccontextmanager
async def asker_at_the_server(host, url):
    async with open_link(url, "worker:s1") as link:
        yield await link.get(Questions, SCOPE)


@rule("Q-KEY-3")
@pytest.mark.parametrize("open_asker", [asker_on_the_worker, asker_at_the_server])
async def test_a_killed_server_takes_nothing_with_it(open_asker):
    """Workers, users and askers come back to its successor on the same port; what is pending stays the same."""
    results = []

    async def ask(asker):
        results.append(await asker.ask(Confirm("Go?"), audience=[ANA], key=KEY))

    async with open_host([questions_facet]) as host, running("server", "0") as old:
        url = await first_line(old)
        async with (
            open_worker(host, url, "worker:s1", "s1") as worker,
            open_link(url, "user:ana") as link,
            trio.open_nursery() as nursery,
        ):
            await worker.connected()
            async with open_asker(host, url) as asker:
                nursery.start_soon(ask, asker)
                viewer = await link.get(Questions, SCOPE)
                (before,) = await sees(viewer, "Go?")
                old.kill()
                await killed(old)
                await until_away(viewer)
                await until(worker.state, lambda state: state == "lost")
                async with running("server", url.rpartition(":")[2]) as new:
                    assert await first_line(new) == url
                    await until(unavailability_of(viewer.open), lambda why: why is None, START)
                    (after,) = await sees(viewer, "Go?")
                    assert after.id == before.id
                    await viewer.answer(after.id, True)
                    await wait_until(lambda: results)
    assert [result.answer for result in results] == [True]
