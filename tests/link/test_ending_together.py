"""A link that is cancelled as a whole ends at once, whatever is waited for over it."""

from itertools import count

import trio

from facets import Principal, open_host
from facets.link.client import open_link
from facets.link.server import open_link_server
from questions import Confirm, Questions
from tests.link.stages import FACET, SCOPE, Tokens
from tests.rules import rule


async def ask_over_a_link(url):
    async with open_link(url, "server:host") as link:
        asker = await link.get(Questions, SCOPE)
        await asker.ask(Confirm("Run it?"), audience=[Principal.user("ana")])


async def until_open(host, count):
    async for waiting in host.waiting.changes():
        if len(waiting) == count:
            return


async def test_a_link_that_is_cancelled_together_with_its_calls_ends():
    async with open_host([FACET]) as host, open_link_server(host, Tokens()) as server:
        with trio.fail_after(3):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(ask_over_a_link, server.url)
                await until_open(host, 1)
                nursery.cancel_scope.cancel()
            await until_open(host, 0)


async def test_a_link_whose_time_is_up_while_it_is_asked_ends():
    async with open_host([FACET]) as host, open_link_server(host, Tokens()) as server:
        with trio.fail_after(3):
            with trio.move_on_after(0.3) as patience:
                await ask_over_a_link(server.url)
            assert patience.cancelled_caught
            await until_open(host, 0)


async def test_a_server_that_is_cancelled_while_it_starts_ends_whenever_that_is():
    async with open_host([FACET]) as host:
        started = 0
        for steps in count():
            with trio.fail_after(3), trio.CancelScope() as scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(cancel_after, steps, scope)
                    async with open_link_server(host, Tokens()):
                        started += 1
                        nursery.cancel_scope.cancel()
            if started == 3:
                break
        assert steps > 5


async def test_a_program_that_is_cancelled_at_any_step_raises_nothing_else():
    async with open_host([FACET]) as host, open_link_server(host, Tokens()) as server:
        for steps in range(60):
            with trio.fail_after(3), trio.CancelScope() as scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(cancel_after, steps, scope)
                    await ask_over_a_link(server.url)
            await until_open(host, 0)


@rule("Q-SET-1")
async def test_under_a_cancelled_scope_nothing_is_asked_over_a_link():
    async with (
        open_host([FACET]) as host,
        open_link_server(host, Tokens()) as server,
        open_link(server.url, "server:host") as link,
    ):
        asker = await link.get(Questions, SCOPE)
        sent = link.session.sent
        with trio.CancelScope() as scope:
            scope.cancel()
            await asker.ask(Confirm("Run it?"), audience=[Principal.user("ana")])
        assert scope.cancelled_caught
        assert link.session.sent == sent


async def cancel_after(steps, scope):
    for _ in range(steps):
        await trio.lowlevel.checkpoint()
    scope.cancel()
