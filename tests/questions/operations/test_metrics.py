"""Every figure of `/metrics` is moved by what really happens, and none of them says anything of anybody."""

import builtins
from contextlib import asynccontextmanager, suppress

import attrs
import pytest
import trio

from facets import MissingExtra, Principal, open_host
from facets.link import LinkLimits
from facets.link.server import open_link_server
from facets.link.worker import open_worker
from facets.nursery import open_serving_nursery
from questions import Confirm, Expired, LimitExceeded, Limits, Questions, UnknownQuestion, questions_facet
from questions.durable import open_journal, open_store
from questions.operations import Metrics, first_answer, observed
from questions.operations.metrics import _LIMITS
from tests.link.raw import connected, dialled, greeted, wait_until
from tests.link.stages import SCOPE, OverLinks, Tokens
from tests.questions.durable.journalling import opened as opened_report
from tests.questions.operations.scraping import exchanged, fetched, samples_of, scraped

ANA = Principal.user("ana-canary")
GO = Confirm("Go-canary?")


class Site:
    """A host with metrics and a server, an asker in it, and links to it."""

    def __init__(self, host, server, nursery, asker):
        self.host, self.server, self.nursery = host, server, nursery
        self.asker = asker
        self.links = OverLinks(server, nursery)

    async def open(self, **options):
        """Ask; returns the scope whose cancellation withdraws it."""
        scope, before = trio.CancelScope(), set(self.host.waiting.value)

        async def ask():
            with scope, suppress(Expired):
                await self.asker.ask(GO, audience=[ANA], **options)

        self.nursery.start_soon(ask)
        await wait_until(lambda: set(self.host.waiting.value) - before)
        return scope

    async def scraped(self):
        return await scraped(self.server)

    async def until(self, name, value):
        """Scrape until a figure has a value."""
        with trio.fail_after(10):
            while (await self.scraped()).get(name) != value:  # noqa: ASYNC110  # nobody tells of it
                await trio.sleep(0.02)


@asynccontextmanager
async def opened(link_limits=None, **settings):
    metrics = Metrics()
    facet = observed(questions_facet.configured(**settings), metrics.observe)
    async with (
        open_host([facet]) as host,
        open_link_server(host, Tokens(), limits=link_limits, answer=first_answer(metrics.answer)) as server,
        open_serving_nursery() as nursery,
        host.root() as ctx,
    ):
        metrics.watch(host, server)
        yield Site(host, server, nursery, await ctx.get(Questions, SCOPE))
        nursery.cancel_scope.cancel()


async def test_open_questions_their_age_and_who_has_seen_them_are_read_at_the_scrape():
    async with opened() as site:
        before = await site.scraped()
        names = ("questions_open", "questions_oldest_age_seconds", "questions_orphaned", "questions_never_shown")
        assert [before[name] for name in names] == [0, 0, 0, 0]
        await site.open()
        await site.open()
        asked = await site.scraped()
        assert (asked["questions_open"], asked["questions_never_shown"]) == (2, 2)
        assert 0 < asked["questions_oldest_age_seconds"] < 60
        async with site.host.root(principal=ANA) as ctx:
            _ = (await ctx.get(Questions, SCOPE)).open.value
        assert (await site.scraped())["questions_never_shown"] == 0


async def test_a_question_whose_asker_is_lost_is_orphaned():
    async with opened() as site:
        link = await site.links._link("server:host")
        remote = await link.get(Questions, SCOPE)
        site.nursery.start_soon(lambda: remote.ask(GO, audience=[ANA], key="k"))
        await wait_until(lambda: site.host.waiting.value)
        await site.until("questions_orphaned", 0)
        site.server.door.is_closed = True  # so that it cannot come back
        next(iter(site.server.peers))._connection.send_goodbye(1011)
        await site.until("questions_orphaned", 1)


async def test_settlements_are_counted_by_outcome_and_the_time_to_answer_is_measured():
    async with opened() as site, site.host.root(principal=ANA) as ctx:
        viewer = await ctx.get(Questions, SCOPE)
        (await site.open()).cancel()  # nobody has looked
        await wait_until(lambda: not site.host.waiting.value)
        await site.open(timeout=0.05)
        await site.open(timeout=0.05, default=False)
        _ = viewer.open.value
        await wait_until(lambda: not site.host.waiting.value)
        await site.open()
        await viewer.answer(next(iter(viewer.open.value)), True)
        told = await site.scraped()
    assert told["questions_opened_total"] == 4
    settled = {name: value for name, value in told.items() if name.startswith("questions_settled_total")}
    assert settled == {
        'questions_settled_total{automatic="false",outcome="answered"}': 1,
        'questions_settled_total{automatic="true",outcome="answered"}': 1,
        'questions_settled_total{automatic="false",outcome="expired"}': 1,
        'questions_settled_total{automatic="false",outcome="withdrawn"}': 1,
        'questions_settled_total{automatic="false",outcome="superseded"}': 0,
        'questions_settled_total{automatic="false",outcome="closed"}': 0,
    }
    assert told["questions_settled_never_shown_total"] == 1
    assert told["questions_time_to_answer_seconds_count"] == 1
    assert 0 <= told["questions_time_to_answer_seconds_sum"] < 10
    assert told['questions_time_to_answer_seconds_bucket{le="60.0"}'] == 1


async def test_asks_that_a_limit_refuses_are_counted_by_the_limit():
    counted = 'questions_limit_refusals_total{limit="open_per_person"}'
    async with opened(limits=Limits(open_per_person=1)) as site:
        await site.open()
        assert (await site.scraped())[counted] == 0
        with pytest.raises(LimitExceeded):
            await site.asker.ask(GO, audience=[ANA])
        assert (await site.scraped())[counted] == 1


async def test_what_a_journal_has_found_and_has_no_room_for_is_read_at_the_scrape():
    metrics = Metrics()
    assert b"journal" not in metrics.text()[0]
    async with open_store(":memory:") as store, open_journal(store, most=1) as journal:
        metrics.watch_journal(journal)
        for number in range(3):
            journal.observe(opened_report(number))
        found = samples_of(metrics.text()[0].decode())
    assert (found["questions_journal_unwritten_total"], found["questions_lost_at_restart_total"]) == (2, 0)


async def test_connections_and_messages_are_counted_also_of_those_that_have_ended():
    async with opened() as site:
        async with dialled(site.server), greeted(site.server, "user:ana") as peer:
            await site.until("facets_link_connections", 1)
            told = await site.scraped()
            assert told["facets_link_strangers"] == 1
            assert (told["facets_link_received_total"], told["facets_link_sent_total"]) == (1, 1)
            await peer.get()
            told = await site.scraped()
            assert (told["facets_link_received_total"], told["facets_link_sent_total"]) == (2, 2)
        await site.until("facets_link_connections", 0)
        told = await site.scraped()
        assert (told["facets_link_received_total"], told["facets_link_sent_total"]) == (2, 2)
        assert told["facets_link_accepted_total"] == 2


async def test_workers_and_draining_are_told():
    async with (
        opened() as site,
        open_host([questions_facet]) as theirs,
    ):
        async with open_worker(theirs, site.server.url, "worker:s1", "s1") as worker:
            await worker.connected()
            told = await site.scraped()
            assert (told["facets_link_workers"], told["facets_link_workers_away"]) == (1, 0)
        await site.until("facets_link_workers_away", 1)
        assert (await site.scraped())["facets_link_draining"] == 0
        await site.server.drain(0)
        assert (await site.scraped())["facets_link_draining"] == 1


async def test_refusals_are_counted_by_code():
    async with opened(link_limits=LinkLimits(strangers=1)) as site:
        async with greeted(site.server, "user:ana") as peer:
            await peer.say({"type": "call", "id": 1, "object": 7, "method": "answer"})
            await peer.until("refused")
            await peer.say("{")
            await peer.until("refused")
        async with connected(site.server) as page:
            assert "403" in await page.shake_hands(more="Origin: https://other.example\r\n")
        async with dialled(site.server), connected(site.server) as late:
            assert "503" in await late.shake_hands()
        told = await site.scraped()
        refused = {name: value for name, value in told.items() if name.startswith("facets_link_refusals_total")}
        assert refused == {
            'facets_link_refusals_total{code="invalid_message"}': 1,
            'facets_link_refusals_total{code="origin_not_allowed"}': 1,
            'facets_link_refusals_total{code="too_many_strangers"}': 1,
            'facets_link_refusals_total{code="unknown_object"}': 1,
        }


async def test_nothing_in_it_says_anything_of_anybody():
    async with opened() as site:
        await site.open(key="key-canary")
        viewer = await site.links.viewer(ANA)
        (id,) = viewer.open.value
        with pytest.raises(UnknownQuestion):
            await viewer.answer("id-canary", True)
        _, text = await fetched(site.server, "/metrics")
        assert 'code="unknown_question"' in text
        assert not [word for word in ("canary", id, str(SCOPE), "server:host") if word in text]


async def test_it_is_told_in_the_form_that_is_asked_for():
    async with opened() as site:
        _, headers, body = await exchanged(site.server, "/metrics", headers=["Accept: application/openmetrics-text"])
        assert headers["content-type"].startswith("application/openmetrics-text")
        assert body.endswith("# EOF\n")
        _, headers, body = await exchanged(site.server, "/metrics", method="HEAD", headers=["Accept: a", "Accept: b"])
        assert (headers["content-type"].startswith("text/plain"), body) == (True, "")


async def test_what_a_proxy_passes_on_is_not_answered_to_those_who_are_here_alone():
    async with opened() as site:
        metrics = Metrics()
        site.server.door.answer = metrics.answer_here
        assert (await fetched(site.server, "/metrics"))[0] == 200
        for header in ("X-Forwarded-For: 192.0.2.1", "Forwarded: for=192.0.2.1", "Via: 1.1 proxy"):
            assert (await fetched(site.server, "/metrics", headers=[header]))[0] == 404


def test_every_limit_that_refuses_has_its_label():
    forgets = {"results", "endings", "closed", "closed_seconds"}
    assert set(_LIMITS) == {field.name for field in attrs.fields(Limits)} - forgets


def test_two_hosts_in_one_process_have_metrics_of_their_own():
    one, other = Metrics(), Metrics()
    one._opened.inc()
    assert (b"questions_opened_total 1.0" in one.text()[0], b"questions_opened_total 1.0" in other.text()[0]) == (
        True,
        False,
    )


def test_without_prometheus_client_it_says_what_to_install(monkeypatch):
    found = builtins.__import__

    def missing(name, *args, **options):
        if name.startswith("prometheus_client"):
            raise ImportError(name)
        return found(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(MissingExtra, match=r"question-broker\[metrics\]"):
        Metrics()
