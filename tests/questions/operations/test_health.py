"""`/healthz` says whether to send people there, and nothing else."""

import pytest

from facets import open_host
from facets.link.server import open_link_server
from questions import questions_facet
from questions.operations import answer_health, first_answer
from questions.web import answer_page
from tests.link.stages import Tokens
from tests.questions.operations.scraping import exchanged, fetched


@pytest.fixture
async def server():
    async with open_host([questions_facet]) as host, open_link_server(host, Tokens()) as server:
        server.door.answer = first_answer(answer_health(server), None, answer_page)
        yield server


async def test_a_server_is_well_until_it_drains(server):
    assert await fetched(server, "/healthz?from=proxy") == (200, "ok\n")
    await server.drain(0)
    assert await fetched(server, "/healthz") == (503, "draining\n")


async def test_nobody_keeps_the_reply_and_a_head_request_gets_no_body(server):
    status, headers, body = await exchanged(server, "/healthz", method="HEAD")
    assert (status, body, headers["content-length"]) == (200, "", "3")
    assert (headers["cache-control"], headers["content-type"]) == ("no-store", "text/plain; charset=utf-8")


async def test_every_other_path_is_somebody_elses(server):
    assert (await fetched(server, "/"))[1].startswith("<!doctype html>")
    assert await fetched(server, "/healthz/more") == (404, "There is nothing here but links.\n")
    assert (await fetched(server, "/metrics"))[0] == 404
