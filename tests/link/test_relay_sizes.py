"""What users send and what they do not read costs the worker's link nothing."""

import json

import attrs
import trio

from facets import open_host
from facets.link import WORKER_LIMITS, LinkLimits, open_link_server, open_worker
from questions import Confirm, questions_facet
from questions.testing.stage import ANA, BO
from tests.link.raw import greeted
from tests.link.relays import open_relayed, sees, until
from tests.link.stages import Tokens
from tests.link.test_relay import ask

FRAME = 2_000


def call_of(size, object):
    """A call whose frame has exactly so many bytes."""
    call = {"type": "call", "id": 9, "object": object, "method": "answer", "args": {"id": "", "value": True}}
    call["args"]["id"] = "x" * (size - len(json.dumps(call)))
    return call


async def test_the_largest_frame_of_a_user_fits_through_the_workers_link():
    """The server's frame is longer than the user's: its ids are, and the principal is added."""
    async with (
        open_host([questions_facet]) as front,
        open_host([questions_facet]) as host,
        open_link_server(front, Tokens(), limits=LinkLimits(frame=FRAME)) as server,
        open_worker(host, server.url, "worker:s1", "s1", limits=attrs.evolve(WORKER_LIMITS, frame=FRAME)) as worker,
        greeted(server, "user:ana") as peer,
    ):
        await worker.connected()
        objects = [await peer.get() for _ in range(8)]
        await peer.say(json.dumps(call_of(FRAME, objects[0])))
        assert (await peer.until("refused", 9))["code"] == "unknown_question"
        assert worker.state.value == "connected"


async def test_a_user_who_does_not_read_holds_up_neither_the_worker_nor_others():
    details = "x" * 60_000
    async with open_relayed() as relayed, greeted(relayed.server, "user:bo", receive_buffer=4_096) as slow:
        await slow.watch(await slow.get())
        viewer = await relayed.viewer(ANA)
        async with trio.open_nursery() as nursery:
            for number in range(40):
                question = Confirm(f"{number}?", details=details)
                await ask(relayed, nursery, question, audience=[ANA, BO])
            shown = await until(viewer.open, lambda value: len(value) == 40)
            await viewer.answer(next(iter(shown)), True)
            await until(viewer.open, lambda value: len(value) == 39)
            assert relayed.worker.state.value == "connected"
            (peer,) = [one for one in relayed.server.peers if one.identity.principal == BO]
            assert peer._connection.unwritten < 3_000_000, "one newest value, not forty"
            nursery.cancel_scope.cancel()
        await sees(viewer)
