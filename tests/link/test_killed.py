"""Processes that are killed the hard way, at each step of a question: nobody hangs, nothing is answered twice."""

import pytest
import trio

from facets import LinkLost, Principal, Retryable, open_host, present
from facets.link.client import open_link
from facets.link.server import open_link_server
from questions import Confirm, Questions, questions_facet
from tests.link.flow import get
from tests.link.killable import ANA, line, running
from tests.link.processes import STEPS, killed
from tests.link.raw import wait_until
from tests.link.stages import SCOPE, Tokens
from tests.rules import rule

LINGER = 0.6
"""Seconds for which a keyed question waits for its asker."""


async def answer_again_and_again(viewer, value, refused):
    """Be a person that answers whatever is open, until an answer is taken."""
    while True:
        async for shown in viewer.open.changes():
            if shown:
                break
        try:
            await viewer.answer(next(iter(shown)), value)
        except Retryable as error:
            refused.append(error)
            await until_back(viewer)
        else:
            return


async def until_back(viewer):
    async for why in viewer.open.unavailability.changes():
        if why is None:
            return


@rule("Q-KEY-3", "Q-SET-4")
@pytest.mark.parametrize("step", STEPS)
async def test_a_server_that_is_killed_at_any_step_is_found_again_by_its_keyed_asks(step):
    results: list = []
    refused: list = []

    async def ask():
        results.append(await asker.ask(Confirm("Go?"), audience=[ANA], key="tool-42"))

    with trio.fail_after(60):
        async with running("server", "0", step) as first:
            port = await line(first)
            url = f"ws://127.0.0.1:{port}"
            async with open_link(url, "server:host") as asking, open_link(url, "user:ana") as viewing:
                viewer, asker = await get(viewing, SCOPE), await get(asking, SCOPE)
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(ask)
                    nursery.start_soon(answer_again_and_again, viewer, False, refused)
                    await killed(first)
                    async with running("server", port, "never") as second:
                        await line(second)
                        await wait_until(lambda: results, 30)
                        nursery.cancel_scope.cancel()
    assert [(one.by.principal, one.answer) for one in results] == [(ANA, False)]
    assert all(isinstance(error, LinkLost) for error in refused)


@rule("Q-KEY-3")
async def test_an_unkeyed_ask_over_a_killed_server_is_lost_and_says_so():
    async with (
        running("server", "0", "publish") as server,
        open_link(f"ws://127.0.0.1:{await line(server)}", "server:host") as asking,
    ):
        asker = await asking.get(Questions, SCOPE)
        with trio.fail_after(30), pytest.raises(LinkLost):
            await asker.ask(Confirm("Go?"), audience=[ANA])


class Here:
    """A host and its server in this process, and a viewer of it."""

    def __init__(self, host, server, viewer):
        self.host = host
        self.server = server
        self.viewer = viewer

    async def sees(self, count, within=30.0):
        await wait_until(lambda: len(self.viewer.open.value) == count, within)


@pytest.fixture
async def here(request):
    linger = getattr(request, "param", LINGER)
    async with (
        open_host([questions_facet.configured(linger=linger)], reference_linger=LINGER) as host,
        open_link_server(host, Tokens()) as server,
        host.root(principal=ANA) as ctx,
    ):
        yield Here(host, server, await ctx.get(Questions, SCOPE))


@rule("Q-SET-6")
async def test_the_question_of_a_killed_asker_is_withdrawn(here):
    async with running("asker", here.server.url, "") as asker:
        await here.sees(1)
        asker.kill()
        await killed(asker)
        await here.sees(0, within=LINGER / 2)
    assert [one.how for one in here.viewer.closed.value] == ["withdrawn"]


@rule("Q-KEY-3")
async def test_the_keyed_question_of_a_killed_asker_lingers_and_goes(here):
    async with running("asker", here.server.url, "tool-42") as asker:
        await here.sees(1)
        asker.kill()
        await killed(asker)
        await wait_until(lambda: not here.server.peers)
        began = trio.current_time()
        assert len(here.viewer.open.value) == 1
        await here.sees(0, within=10)
        assert trio.current_time() - began > LINGER / 2


@rule("Q-KEY-3", "Q-KEY-4")
@pytest.mark.parametrize("here", [60.0], indirect=True, ids=["a long linger"])
async def test_the_keyed_question_of_a_killed_asker_goes_to_its_successor(here):
    async with running("asker", here.server.url, "tool-42") as first:
        await here.sees(1)
        (question,) = here.viewer.open.value
        first.kill()
        await killed(first)
        async with running("asker", here.server.url, "tool-42") as second:
            await line(second, "ready")
            await wait_until(lambda: here.server.peers)
            await here.viewer.answer(question, True)
            with trio.fail_after(10):
                assert await second.wait() == 0
    assert [one.how for one in here.viewer.closed.value] == ["answered"]


@rule("Q-POL-2")
async def test_a_killed_viewer_is_present_no_more(here):
    everyone = present(here.host, Questions, SCOPE)
    bo = Principal.user("bo")
    async with open_link(here.server.url, str(bo)) as link:
        await link.get(Questions, SCOPE)
        async with running("viewer", here.server.url, "") as viewer:
            await line(viewer, "sees 0")
            await wait_until(lambda: set(everyone.value) == {ANA, bo})
            viewer.kill()
            await killed(viewer)
            await wait_until(lambda: not any(one.identity.principal == ANA for one in here.server.peers))
        assert bo in everyone.value


@rule("Q-SET-2")
async def test_an_answer_counts_although_its_viewer_is_killed_before_it_hears_so(here):
    async with here.host.root() as ctx, running("viewer", here.server.url, "answers") as viewer:
        await line(viewer, "sees 0")
        asker = await ctx.get(Questions, SCOPE)
        with trio.fail_after(30):
            result = await asker.ask(Confirm("Go?"), audience=[ANA])
        assert (result.by.principal, result.answer) == (ANA, True)
        await killed(viewer)
