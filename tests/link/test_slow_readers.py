"""Who does not read costs the others nothing, and the server a bounded amount, and is up to date when it reads."""

import gc
import os
import ssl
import statistics
import weakref
from contextlib import AsyncExitStack
from functools import partial

import trio
import trustme

from facets import Principal, open_host
from facets.link import LinkLimits, open_link_server
from facets.nursery import open_serving_nursery
from questions import Confirm, Questions, questions_facet
from tests.link.bystander import SCOPE, open_site
from tests.link.crowd import Rebuilt, answer_everything, connection_of, only_listen
from tests.link.raw import RawPeer, connected, greeted, wait_until
from tests.link.stages import Tokens

SLOW, QUICK = Principal.user("slow"), Principal.user("quick")
OTHERS = 98
MANY = 10_000 if os.environ.get("QUESTIONS_HEAVY") else 1_000
DETAILS = "x" * 2_000


async def ask(site, *audience):
    """How long an ask takes, in seconds, until its answer is back."""
    began = trio.current_time()
    await site.asker.ask(Confirm("Go?", details=DETAILS), audience=audience)
    return trio.current_time() - began


async def enter(stack, site, name, **options):
    """A viewer that follows the open questions: the peer, its object, its watch."""
    peer = await stack.enter_async_context(greeted(site.server, f"user:{name}", **options))
    object = await peer.get()
    return peer, object, await peer.watch(object)


async def catch_up(peer, watch, rebuilt, value):
    """Read until what is known is this."""
    while rebuilt.value.keys() != value or rebuilt.revision is None:
        told = await peer.hear()
        if told.get("id") == watch:
            rebuilt.take(told)


async def board_of(site, principal):
    async with site.host.root(principal=principal) as ctx:
        return (await ctx.get(Questions, SCOPE)).open.value.keys()


async def test_a_stalled_reader_delays_nobody_and_is_owed_no_more_than_the_newest_value():
    async with open_site() as site, AsyncExitStack() as stack, trio.open_nursery() as nursery:
        for number in range(OTHERS):
            nursery.start_soon(only_listen, *await enter(stack, site, f"other-{number}"))
        nursery.start_soon(answer_everything, *await enter(stack, site, "quick"))
        slow, _, watch = await enter(stack, site, "slow", receive_buffer=2048)
        rebuilt = Rebuilt()
        await catch_up(slow, watch, rebuilt, set())
        connection = connection_of(site.server, SLOW)

        alone = [await ask(site, QUICK) for _ in range(200)]
        stalled, unsent = [], []
        for _ in range(MANY):
            stalled.append(await ask(site, QUICK, SLOW))
            unsent.append(len(connection._unsent))
        assert not connection.is_ready
        assert max(unsent) < 20_000
        assert max(unsent[len(unsent) // 2 :]) <= max(unsent[: len(unsent) // 2])
        assert statistics.median(stalled) < 3 * statistics.median(alone) + 0.002

        left = {await site.ask(SLOW) for _ in range(3)}
        await catch_up(slow, watch, rebuilt, left)
        assert rebuilt.value.keys() == await board_of(site, SLOW)
        assert rebuilt.frames < 50
        nursery.cancel_scope.cancel()


async def test_a_stalled_reader_is_cut_off_and_leaves_nothing_behind():
    async with open_site(stalled=0.3) as site, AsyncExitStack() as stack:
        slow, _, watch = await enter(stack, site, "slow", receive_buffer=2048)
        await catch_up(slow, watch, Rebuilt(), set())
        (peer,) = [one for one in site.server.peers if one.identity.principal == SLOW]
        connection = connection_of(site.server, SLOW)
        remains = [weakref.ref(one) for one in (peer, peer.session, peer.serving, connection)]
        del peer
        for _ in range(60):  # more than the buffers of two sockets take
            await site.ask(SLOW, message="x" * 3_000)
        assert not connection.is_ready
        del connection
        began = trio.current_time()
        await wait_until(lambda: SLOW not in site.server.by_principal)
        assert trio.current_time() - began < 3
        await site.check()
        await wait_until(lambda: gc.collect() >= 0 and not any(one() for one in remains))


async def test_a_reader_to_whom_there_is_nothing_to_say_is_not_cut_off():
    async with open_site(stalled=0.1) as site, AsyncExitStack() as stack:
        quiet, _, watch = await enter(stack, site, "slow")
        rebuilt = Rebuilt()
        await catch_up(quiet, watch, rebuilt, set())
        for _ in range(5):
            await site.check()
            await trio.sleep(0.05)
        await catch_up(quiet, watch, rebuilt, {await site.ask(SLOW)})


async def test_a_reader_that_is_slow_but_reads_is_not_cut_off():
    async with open_site(stalled=0.4) as site, AsyncExitStack() as stack:
        slow, _, watch = await enter(stack, site, "slow", receive_buffer=2048)
        rebuilt = Rebuilt()
        await catch_up(slow, watch, rebuilt, set())
        connection = connection_of(site.server, SLOW)
        left = {await site.ask(SLOW, message="x" * 3_000) for _ in range(60)}
        assert not connection.is_ready
        for _ in range(8):  # twice as long as one may take nothing at all
            await trio.sleep(0.1)
            told = await slow.hear()
            if told.get("id") == watch:
                rebuilt.take(told)
            left.add(await site.ask(SLOW, message="x" * 3_000))
        await catch_up(slow, watch, rebuilt, left)


async def test_a_stalled_reader_over_tls_is_cut_off_as_well():
    authority = trustme.CA()
    door, trust = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH), ssl.create_default_context()
    authority.issue_cert("127.0.0.1").configure_cert(door)
    authority.configure_trust(trust)
    async with (
        open_host([questions_facet]) as host,
        open_link_server(host, Tokens(), tls=door, limits=LinkLimits(stalled=0.3)) as server,
        host.root() as ctx,
        connected(server, receive_buffer=2048) as plain,
        open_serving_nursery() as nursery,
    ):
        slow = RawPeer(trio.SSLStream(plain.stream, trust, server_hostname="127.0.0.1"))
        await slow.shake_hands()
        await slow.greet("user:slow")
        watch = await slow.watch(await slow.get())
        await slow.until("snapshot", watch)
        asker = await ctx.get(Questions, SCOPE)
        for number in range(300):
            nursery.start_soon(partial(asker.ask, Confirm(f"{number}", details="x" * 30_000), audience=[SLOW]))
        await wait_until(lambda: not all(peer._connection.is_ready for peer in server.peers))
        await wait_until(lambda: not server.peers)
