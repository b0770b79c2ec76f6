"""Through a relay too, a question counts as seen once its frame has arrived at somebody, and secrets reach who asks."""

import logging

import trio

from facets import Principal
from questions import Collected, Confirm, Expired, Questions, Quorum, Text
from questions.testing.stage import ANA, BO
from tests.link.raw import greeted
from tests.link.relays import greeted_worker, open_relayed, sees, until
from tests.link.stages import SCOPE
from tests.link.test_relay_hostile import GOT, open_preyed_upon
from tests.rules import rule

SOON = 0.4  # seconds that a question is open


async def ask_until_the_deadline(relayed, watched):
    """Ask Ana with a deadline on the worker, run `watched` once it is open; returns who is said to have seen it."""
    seen: list[Principal] = []

    async def run():
        async with relayed.host.root() as ctx:
            asker = await ctx.get(Questions, SCOPE)
            try:
                await asker.ask(Confirm("Go?"), audience=[ANA, BO], timeout=SOON)
            except Expired as error:
                seen.extend(who.principal for who in error.seen)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        await watched()
    return seen


@rule("Q-POL-5")
async def test_what_the_server_has_mirrored_is_not_seen_yet():
    async with open_relayed() as relayed, greeted(relayed.server, "user:ana") as peer:
        watch = await peer.watch(await peer.get())
        await peer.until("snapshot", watch)

        async def watched():
            assert (await peer.until("difference", watch))["put"]

        assert await ask_until_the_deadline(relayed, watched) == []


@rule("Q-POL-5")
async def test_what_somebody_has_acknowledged_is_seen_by_them():
    async with open_relayed() as relayed, greeted(relayed.server, "user:ana") as peer:
        watch = await peer.watch(await peer.get())
        await peer.until("snapshot", watch)

        async def watched():
            told = await peer.until("difference", watch)
            await peer.say({"type": "ack", "id": watch, "revision": told["revision"]})

        assert await ask_until_the_deadline(relayed, watched) == [ANA]


@rule("Q-POL-5")
async def test_an_acknowledgement_of_what_came_before_is_none_of_what_came_after():
    async with open_relayed() as relayed, greeted(relayed.server, "user:ana") as peer:
        watch = await peer.watch(await peer.get())
        before = await peer.until("snapshot", watch)

        async def watched():
            await peer.until("difference", watch)
            await peer.say({"type": "ack", "id": watch, "revision": before["revision"]})

        assert await ask_until_the_deadline(relayed, watched) == []


@rule("Q-SEC-1")
async def test_a_secret_passes_to_who_asks_and_to_nobody_else(caplog):
    caplog.set_level(logging.DEBUG)
    canary, results = "hunter2-canary", []
    async with open_relayed() as relayed, greeted(relayed.server, "user:bo") as peer, trio.open_nursery() as nursery:
        watch = await peer.watch(await peer.get())
        asker = await (await relayed.link("server:host")).get(Questions, SCOPE)
        viewer = await relayed.viewer(ANA)

        async def run():
            results.append(await asker.ask(Text("Code?", secret=True), audience=[ANA, BO], policy=Quorum(1)))

        nursery.start_soon(run)
        (question,) = await sees(viewer, "Code?")
        await viewer.answer(question.id, canary)
        await until(viewer.closed)
        heard = [await peer.until("snapshot", watch), await peer.until("difference", watch)]
        while question.id not in heard[-1].get("drop", ()):
            heard.append(await peer.until("difference", watch))
        shown = f"{heard} {viewer.closed.value} {relayed.host.describe()} {relayed.server.describe()} {caplog.text}"
    (result,) = results
    assert isinstance(result, Collected)
    assert result.answers[0].answer == canary
    assert canary not in shown + repr(results)


@rule("Q-POL-5")
async def test_what_was_shown_of_a_worker_that_has_died_is_none_of_its_successors():
    """The successor counts its revisions anew: an old one of a higher number is no acknowledgement of them."""
    async with open_preyed_upon() as (site, user, worker):
        step = {"type": "difference", "id": worker.watch, "base": 1, "revision": 100, "now": 0.0, "put": {"a": 1}}
        await worker.say(step)
        old = await user.until("difference")
        await worker.stream.aclose()
        await user.until("unavailable")
        async with greeted_worker(site.server, "s2") as successor:
            await successor.say({**GOT, "id": (await successor.until("get"))["id"]})
            watch = (await successor.until("watch"))["id"]
            snapshot = {"type": "snapshot", "id": watch, "epoch": "f", "revision": 7, "value": {"b": 1}, "now": 0.0}
            await successor.say(snapshot)
            new = await user.until("difference")
            assert new["drop"] == {"a": "unknown"}
            for told in (old, new):
                await user.say({"type": "ack", "id": new["id"], "revision": told["revision"]})
            assert (await successor.until("ack"))["revision"] == 7, "the first that it hears of"
