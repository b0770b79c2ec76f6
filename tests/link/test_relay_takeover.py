"""Objects of a session that were got before its worker had dialled in are the worker's once it has."""

from contextlib import asynccontextmanager

from facets import open_host
from facets.link.mirror import unavailability_of
from facets.link.server import open_link_server
from facets.link.worker import open_worker
from facets.nursery import open_serving_nursery
from questions import Confirm, Questions, questions_facet
from questions.testing.stage import ANA
from tests.link.raw import greeted
from tests.link.relays import Relayed, greeted_worker, sees, until
from tests.link.stages import FACET, SCOPE, OverLinks, Tokens
from tests.link.test_relay import ask


@asynccontextmanager
async def open_before_the_worker():
    """A server whose sessions live with it until a worker dials in, a host that may become that worker, and links."""
    async with (
        open_host([questions_facet]) as front,
        open_host([FACET]) as back,
        open_link_server(front, Tokens()) as server,
        open_serving_nursery() as nursery,
    ):
        yield front, back, server, OverLinks(server, nursery, "worker:s1")


async def test_watches_go_on_with_what_the_worker_has():
    async with open_before_the_worker() as (front, back, server, links), open_serving_nursery() as nursery:
        viewer = await links.viewer(ANA)
        asker = await links.asker()
        nursery.start_soon(lambda: asker.ask(Confirm("Here?"), audience=[ANA]))
        await sees(viewer, "Here?")
        async with open_worker(back, server.url, "worker:s1", "s1") as worker:
            await ask(Relayed(server, worker, nursery), nursery, Confirm("There?"), audience=[ANA])
            (question,) = await sees(viewer, "There?")
            await viewer.answer(question.id, True)
            await sees(viewer)
        assert [waiting.what for waiting in front.waiting.value.values()], "a call under way ends where it began"


async def test_new_asks_of_an_old_asker_go_to_the_worker():
    async with open_before_the_worker() as (front, back, server, links), open_serving_nursery() as nursery:
        asker = await links.asker()
        async with open_worker(back, server.url, "worker:s1", "s1") as worker:
            await worker.connected()
            await until(back.references(Questions, SCOPE))
            nursery.start_soon(lambda: asker.ask(Confirm("There?"), audience=[ANA]))
            await until(back.waiting)
            assert not front.waiting.value
            nursery.cancel_scope.cancel()


async def test_a_watch_goes_on_with_a_snapshot_under_another_epoch():
    async with open_before_the_worker() as (_, back, server, _), greeted(server, "user:ana") as peer:
        watch = await peer.watch(await peer.get())
        before = await peer.until("snapshot", watch)
        async with open_worker(back, server.url, "worker:s1", "s1"):
            after = await peer.until("snapshot", watch)
        assert after["epoch"] != before["epoch"]
        assert await peer.until("unavailable", watch)


async def test_what_was_taken_over_comes_back_although_the_worker_was_lost_at_once():
    """The worker has not given the object yet when its link drops; it is got again all the same."""
    async with open_before_the_worker() as (_, back, server, links), open_serving_nursery() as nursery:
        viewer = await links.viewer(ANA)
        async with greeted_worker(server) as peer:
            await peer.until("get")
        await until(unavailability_of(viewer.open))
        async with open_worker(back, server.url, "worker:s1", "s1") as worker:
            await ask(Relayed(server, worker, nursery), nursery, Confirm("There?"), audience=[ANA])
            await sees(viewer, "There?")
