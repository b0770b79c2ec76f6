"""The conformance suite of live questions, over durable ones: each ask gets a key of its own, if it has none."""

from contextlib import asynccontextmanager
from functools import partial
from itertools import count

import pytest
import trio
import trio.testing

from facets import Principal, open_host
from facets.context import Ctx
from facets.link.client import open_link
from facets.link.server import open_link_server
from facets.nursery import open_serving_nursery
from questions import Questions, SessionScope
from questions.durable import open_store
from questions.testing import QUESTION_CASES
from tests.link.clients import every_client
from tests.link.stages import OverLinks, Tokens
from tests.questions.durable.asking import facet

EVE = Principal.user("eve")
SCOPE = SessionScope("s1")

OTHERWISE = {
    "cancelling_the_ask_withdraws_the_question",
    "who_looks_late_is_shown_what_they_ask",
    "secret_reaches_the_asker_and_shows_nowhere",
}
"""Who cancels a durable ask leaves it open, and a secret is never durable: `test_asks` has both."""


class Durably:
    """An asker whose asks are all durable."""

    def __init__(self, asker):
        self.asker = asker
        self.keys = count()

    def __getattr__(self, name):
        return getattr(self.asker, name)

    def ask(self, question, *, key=None, **options):
        return self.asker.ask(question, key=f"key-{next(self.keys)}" if key is None else key, durable=True, **options)


def settings():
    return {"may_view": lambda principal, scope: "all" if principal == EVE else "own"}


class Local:
    overseer: Principal | None = EVE
    second = 0.3

    def __init__(self, host, other):
        self.host = host
        self.other = other
        self._asker: Durably | None = None

    async def asker(self):
        self._asker = self._asker or Durably(await Ctx(self.host, self.host.principal).get(Questions, SCOPE))
        return self._asker

    async def viewer(self, principal):
        return await Ctx(self.other, principal).get(Questions, SCOPE)

    async def quiet(self):
        for _ in range(5):
            await trio.sleep(0.01)


@asynccontextmanager
async def open_local(where, *, hosts):
    """Who asks and who answers are on one host, or each on one of their own."""
    async with open_store(where, safety_poll_ms=50) as store, open_host([facet(store, **settings())]) as host:
        if hosts == 1:
            yield Local(host, host)
            return
        async with open_host([facet(store, **settings())]) as other:
            yield Local(host, other)


class OverLinksDurably(OverLinks):
    _durable: Durably | None = None

    async def asker(self):
        self._durable = self._durable or Durably(await super().asker())
        return self._durable


@asynccontextmanager
async def open_over_links(open_link=open_link):
    async with (
        open_store(":memory:", safety_poll_ms=50) as store,
        open_host([facet(store, **settings())]) as host,
        open_link_server(host, Tokens()) as server,
        open_serving_nursery() as nursery,
    ):
        yield OverLinksDurably(server, nursery, open_link=open_link)


assert {case.__name__ for case in QUESTION_CASES} >= OTHERWISE
CASES = [case for case in QUESTION_CASES if case.__name__ not in OTHERWISE]
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)


@every_case
@pytest.mark.parametrize("hosts", [1, 2])
async def test_durable_asks_of_this_process_conform(case, hosts, tmp_path):
    folders = count()

    def open_stage():
        folder = tmp_path / str(next(folders))
        folder.mkdir()
        return open_local(folder, hosts=hosts)

    await case(open_stage)


@every_client
@every_case
async def test_durable_asks_over_links_conform(case, open_link):
    await case(partial(open_over_links, open_link=open_link))
