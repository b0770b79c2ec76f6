"""A server looks now and then whether anything was lost on its way to a worker or back, and asks again what failed."""

import pytest
import trio

from questions import Confirm
from questions.testing.stage import ANA
from tests.link.raw import greeted, wait_until
from tests.link.relays import greeted_worker, open_relayed, sees
from tests.link.test_relay import ask
from tests.link.test_relay_hostile import GOT, is_gone, open_preyed_upon, preyed_upon


@pytest.fixture(autouse=True)
def often(monkeypatch):
    monkeypatch.setattr("facets.link.calling._PING_EVERY", 0.05)
    monkeypatch.setattr("facets.link.relay._TICK", 0.05)


async def test_a_worker_that_loses_nothing_stays():
    async with open_relayed() as relayed, trio.open_nursery() as nursery:
        viewer = await relayed.viewer(ANA)
        (peer,) = [one for one in relayed.server.peers if one.session.asks]
        before = peer.session.received
        for number in range(3):
            await ask(relayed, nursery, Confirm(f"Go {number}?"), audience=[ANA])
            await sees(viewer, *[f"Go {n}?" for n in range(number + 1)])
        await wait_until(lambda: peer.session.received > before + 20)  # pongs, most of them
        assert relayed.server.relay.describe() == [{"session": "s1", "connected": True}]
        assert peer in relayed.server.peers
        nursery.cancel_scope.cancel()


async def test_a_worker_that_has_missed_something_is_dialled_anew():
    async with preyed_upon() as (user, worker):
        ping = await worker.until("ping")
        await worker.say({"type": "pong", "id": ping["id"], "received": ping["sent"] - 1, "sent": 0})
        assert (await user.until("unavailable"))["why"]
        assert await is_gone(worker) == "link_lost"


async def test_an_object_that_a_worker_cannot_give_again_yet_is_asked_for_again():
    async with open_preyed_upon() as (site, user, worker):
        await worker.stream.aclose()
        await user.until("unavailable")
        async with greeted_worker(site.server, "s2") as again:
            get, watch = await again.until("get"), await again.until("watch")
            assert (watch["epoch"], watch["revision"]) == ("e", 1), "it goes on from what it had"
            refused = {"type": "refused", "code": "unavailable", "message": "not yet", "retryable": True}
            await again.say({**refused, "id": get["id"]}, {**refused, "id": watch["id"], "code": "unknown_object"})
            get = await again.until("get")
            await again.say({**GOT, "id": get["id"]})
            watch = await again.until("watch")
            snapshot = {"type": "snapshot", "epoch": "f", "revision": 1, "value": {"a": 1}, "now": 0.0}
            await again.say({**snapshot, "id": watch["id"]})
            assert (await user.until("difference"))["put"] == {"a": 1}


async def test_an_object_that_a_worker_will_not_give_again_is_unavailable_for_good():
    async with open_preyed_upon() as (site, user, worker), greeted(site.server, "user:bo"):
        await worker.stream.aclose()
        await user.until("unavailable")
        async with greeted_worker(site.server, "s2") as again:
            get = await again.until("get")
            await again.say(
                {"type": "refused", "id": get["id"], "code": "forbidden", "message": "no", "data": {"why": "no"}}
            )
            await user.until("unavailable")
            call = {"type": "call", "id": user.new_id(), "object": user.object, "method": "answer", "args": {}}
            await user.say(call)
            assert (await user.until("refused", call["id"]))["code"] == "forbidden"
