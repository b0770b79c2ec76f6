"""The clocks of a worker and of its server may differ: what is left of a deadline is told by the worker's."""

import time

import trio

from facets import open_host
from facets.link.server import open_link_server
from facets.link.worker import open_worker
from questions import Confirm, questions_facet
from questions.testing.stage import ANA
from tests.link.relays import Relayed, sees
from tests.link.stages import Tokens
from tests.link.test_relay import ask

HOUR = 3_600.0


async def test_what_is_left_of_a_deadline_does_not_depend_on_the_servers_clock():
    async with (
        open_host([questions_facet], clock=lambda: time.time() + HOUR) as front,
        open_host([questions_facet]) as host,
        open_link_server(front, Tokens()) as server,
        open_worker(host, server.url, "worker:s1", "s1") as worker,
        trio.open_nursery() as nursery,
    ):
        await worker.connected()
        relayed = Relayed(server, worker, nursery)
        viewer = await relayed.viewer(ANA)
        await ask(relayed, nursery, Confirm("Go?"), audience=[ANA], timeout=60)
        (question,) = await sees(viewer, "Go?")
        assert 50 < question.remaining <= 61
        nursery.cancel_scope.cancel()
