"""Over a network that cuts, drops, repeats and delays, every keyed ask has its one right result."""

import os

import pytest
import trio

from facets import Principal, open_host
from facets.link import open_link_server
from questions import Questions, SessionScope, questions_facet
from tests.link.flow import check, converse
from tests.link.proxy import open_proxy
from tests.link.stages import Tokens
from tests.rules import rule

STEP = 1 if os.environ.get("QUESTIONS_EVERY_BYTE") else 13
"""Every how many bytes the connection is cut; all of them take half a minute."""
AT_ONCE = 12
LONG = 20.0

WAYS = {
    "from the asker": ("asker", "up", 560),
    "to the asker": ("asker", "down", 620),
    "from the viewer": ("viewer", "up", 560),
    "to the viewer": ("viewer", "down", 1300),
}
"""Whose connection, in which direction, and about how many bytes are said in it."""


async def run(server, host, name, end, way, disturb):
    """One conversation with a fault in one direction of one end, checked. Returns how often that end has dialled."""
    async with open_proxy(server.address) as proxy:
        disturb(getattr(proxy, way))
        urls = {"asker": server.url, "viewer": server.url, end: proxy.url}
        with trio.fail_after(LONG):
            check(*await converse(urls["asker"], urls["viewer"], name))
        async with host.root(principal=Principal.user(name)) as ctx:
            closed = (await ctx.get(Questions, SessionScope(name))).closed.value
        assert [one.how for one in closed] == ["answered"]
        return proxy.accepted


async def all_of(runs):
    """Run some at a time."""
    limiter = trio.CapacityLimiter(AT_ONCE)
    results = []

    async def one(work):
        async with limiter:
            results.append(await work())

    async with trio.open_nursery() as nursery:
        for work in runs:
            nursery.start_soon(one, work)
    return results


def disturbing(name, value):
    return lambda way: setattr(way, name, value)


@rule("Q-KEY-3", "Q-SET-2")
@pytest.mark.parametrize("ways", WAYS.values(), ids=WAYS)
async def test_a_cut_after_any_byte_costs_nobody_the_result(ways):
    end, way, size = ways
    async with open_host([questions_facet]) as host, open_link_server(host, Tokens()) as server:
        dials = await all_of(
            lambda cut=cut: run(server, host, f"p{cut}", end, way, disturbing("cut_at", cut))
            for cut in range(1, size, STEP)
        )
        assert not host.waiting.value
    assert max(dials) >= 2


@pytest.fixture
def _quick_pings(monkeypatch):
    """Lost frames are looked for every so often."""
    monkeypatch.setattr("facets.link.calling._PING_EVERY", 0.3)


@rule("Q-KEY-3")
@pytest.mark.usefixtures("_quick_pings")
@pytest.mark.parametrize("fault", ["drop", "twice"])
@pytest.mark.parametrize("ways", WAYS.values(), ids=WAYS)
async def test_a_frame_that_is_lost_or_repeated_is_noticed(ways, fault):
    end, way, _ = ways
    async with open_host([questions_facet]) as host, open_link_server(host, Tokens()) as server:
        await all_of(
            lambda frame=frame: run(server, host, f"p{frame}", end, way, disturbing("faults", {frame: fault}))
            for frame in range(8)
        )
        assert not host.waiting.value


@pytest.mark.parametrize("ways", WAYS.values(), ids=WAYS)
async def test_a_slow_network_is_only_slow(ways):
    end, way, _ = ways
    async with open_host([questions_facet]) as host, open_link_server(host, Tokens()) as server:
        assert await run(server, host, "p", end, way, disturbing("delay", 0.05)) == 1
