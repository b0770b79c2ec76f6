"""Durable asks with every client: across servers that end, cancelled, taken back, refused."""

from contextlib import asynccontextmanager, suppress
from functools import partial

import pytest
import trio

from facets import open_host
from facets.link import open_link_server
from facets.nursery import open_serving_nursery
from questions import InvalidAsk, LinkLost, NoDurableStore, Present, Text, UnknownQuestion, Withdrawn, questions_facet
from questions.durable import StoreUnavailable, open_store
from questions.durable.memory import MemoryBackend
from questions.durable.store import TABLES
from questions.testing import Asking
from tests.link.clients import asked_again, every_client
from tests.link.relays import sees, until
from tests.link.stages import OverLinks, Tokens
from tests.link.test_clients_lost import end_of
from tests.questions.durable.asking import ANA, GO, facet, within
from tests.questions.durable.intercepting import Intercepting
from tests.rules import rule

pytestmark = every_client


@asynccontextmanager
async def serving(store, port=0):
    async with open_host([facet(store)]) as host, open_link_server(host, Tokens(), port=port) as server:
        yield server


@pytest.fixture
async def engine():
    return Intercepting(MemoryBackend(TABLES))


@pytest.fixture
async def store(engine):
    async with open_store(engine, safety_poll_ms=50) as opened:
        yield opened


def begin(nursery, ask, **options):
    asking = Asking()
    nursery.start_soon(asking.run, partial(ask, GO, audience=[ANA], key="k", durable=True, **options))
    return asking


@rule("Q-KEY-3", "Q-KEY-6")
async def test_the_next_server_on_the_store_has_the_same_question(open_link, store):
    async with open_serving_nursery() as keeping, trio.open_nursery() as nursery:
        async with serving(store) as server:
            links = OverLinks(server, keeping, open_link=open_link)
            viewer, asker = await links.viewer(ANA), await links.asker()
            asking = begin(nursery, partial(asked_again, asker))
            [before] = await sees(viewer, "Go?")
            port = server.address[1]
        async with serving(store, port) as server:
            await until(server.host.waiting)
            [after] = await sees(viewer, "Go?")
            assert after.id == before.id
            await answer_again(viewer, after.id)
            assert (await end_of(asking)).answer is True
            keeping.cancel_scope.cancel()


async def answer_again(viewer, id):
    """Answer yes, also over a link that does not know yet that its server has gone."""
    while True:
        with suppress(LinkLost):
            return await viewer.answer(id, True)
        await trio.sleep(0.01)


@rule("Q-SET-6")
async def test_cancelled_it_stays_open_and_is_taken_back_by_its_key(open_link, store):
    async with serving(store) as server, open_serving_nursery() as keeping, trio.open_nursery() as nursery:
        links = OverLinks(server, keeping, open_link=open_link)
        viewer, asker = await links.viewer(ANA), await links.asker()
        asking = begin(nursery, asker.ask)
        [question] = await sees(viewer, "Go?")
        asking.cancel()
        with within("its end"):
            await asking.done.wait()
        await sees(viewer, "Go?")
        assert await asker.asked("k") == question.id
        again = begin(nursery, asker.ask)
        await until(server.host.waiting)
        assert (await asker.withdraw("k"), await asker.withdraw("k")) == (True, False)
        with pytest.raises(Withdrawn):
            await end_of(again)
        await sees(viewer)
        keeping.cancel_scope.cancel()


@rule("Q-AUTH-1")
async def test_what_cannot_be_durable_is_refused(open_link, store):
    async with serving(store) as server, open_serving_nursery() as keeping:
        links = OverLinks(server, keeping, open_link=open_link)
        asker = await links.asker()
        for question, options in ((GO, {"audience": Present()}), (Text("Code?", secret=True), {}), (GO, {"key": None})):
            with pytest.raises(InvalidAsk):
                await asker.ask(question, **{"audience": [ANA], "key": "k", "durable": True, **options})
        keeping.cancel_scope.cancel()


async def test_a_server_without_a_store_says_so(open_link):
    async with (
        open_host([questions_facet]) as host,
        open_link_server(host, Tokens()) as server,
        open_serving_nursery() as keeping,
    ):
        links = OverLinks(server, keeping, open_link=open_link)
        asker, viewer = await links.asker(), await links.viewer(ANA)
        with pytest.raises(NoDurableStore):
            await asker.ask(GO, audience=[ANA], key="k", durable=True)
        with pytest.raises(UnknownQuestion):
            await viewer.answer("ask_0", True)
        keeping.cancel_scope.cancel()


async def test_while_the_store_is_away_an_answer_is_refused_and_counts_for_nothing(open_link, engine, store):
    async with serving(store) as server, open_serving_nursery() as keeping, trio.open_nursery() as nursery:
        links = OverLinks(server, keeping, open_link=open_link)
        viewer, asker = await links.viewer(ANA), await links.asker()
        asking = begin(nursery, asker.ask)
        [question] = await sees(viewer, "Go?")
        engine.away = {"get", "commit"}
        with pytest.raises(StoreUnavailable):
            await viewer.answer(question.id, True)
        engine.away = set()
        assert (asking.outcome, len(viewer.open.value)) == (None, 1)
        await viewer.answer(question.id, False)
        assert (await end_of(asking)).answer is False
        keeping.cancel_scope.cancel()
