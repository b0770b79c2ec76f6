"""`questions serve` for whoever runs it: health, metrics, logs, limits, and how it stops; with real processes."""

import json
import signal
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio

from facets import GoingAway, LinkLost, Principal, Unavailable
from facets.link.client import open_link
from questions import Confirm, LimitExceeded, Questions, SessionScope, StoreClosed, Text
from tests.cli.processes import kept, run
from tests.link.raw import wait_until
from tests.link.relays import until
from tests.questions.operations.scraping import fetched, scraped

ALICE, BOB = Principal.user("alice"), Principal.user("bob")
MAIN = SessionScope("main")


@attrs.frozen
class Served:
    """A server that runs, and where."""

    process: Any
    url: str
    address: tuple
    folder: Path

    def token(self, who):
        return (self.folder / "tokens" / f"{who}.token").read_text().strip()

    def link(self, who="worker-main"):
        return open_link(self.url, self.token(who))

    def logged(self):
        return [json.loads(line) for line in self.process.errors.splitlines()]


class serving:  # noqa: N801  # it is used like a function
    """Keep `questions serve` for the length of a block."""

    def __init__(self, folder, *arguments):
        people = "--person", "alice", "--person", "bob"
        ours = "--port", "0", "--auth-keys", folder / "keys.json", "--json", *people
        self._folder = folder
        self._kept = kept(folder, "serve", *ours, *arguments)

    async def __aenter__(self):
        process = await self._kept.__aenter__()
        told = await process.event("listening")
        return Served(process, told["url"], ("127.0.0.1", told["port"]), self._folder)

    async def __aexit__(self, *error):
        return await self._kept.__aexit__(*error)


async def ask(asker, results, question=Confirm("Go?"), **options):  # noqa: B008  # immutable
    try:
        results.append((await asker.ask(question, audience=[ALICE], **options)).answer)
    except (StoreClosed, LinkLost, Unavailable) as error:
        results.append(type(error))


async def test_health_and_metrics_are_told_where_this_machine_alone_can_ask(tmp_path):
    async with serving(tmp_path) as served:
        assert await fetched(served, "/healthz") == (200, "ok\n")
        assert (await scraped(served))["questions_open"] == 0
        assert (await fetched(served, "/"))[0] == 200, "and the page is there"
        assert (await fetched(served, "/metrics", headers=["X-Forwarded-For: 192.0.2.1"]))[0] == 404


@pytest.mark.parametrize(
    ("options", "status"),
    [(["--no-metrics"], 404), (["--bind", "0.0.0.0", "--insecure"], 404), (["--metrics", "--no-page"], 200)],
)
async def test_metrics_are_told_as_wished(tmp_path, options, status):
    async with serving(tmp_path, *options) as served:
        assert (await fetched(served, "/metrics", headers=["X-Forwarded-For: 192.0.2.1"]))[0] == status
        assert (await fetched(served, "/metrics"))[0] == status
        assert (await fetched(served, "/healthz"))[0] == 200


async def test_what_happens_moves_the_figures_of_a_real_server(tmp_path):
    async with serving(tmp_path) as served, served.link() as work, served.link("user-alice") as hers:
        results: list = []
        asker, viewer = await work.get(Questions, MAIN), await hers.get(Questions, MAIN)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, asker, results)
            (id,) = await until(viewer.open)
            told = await scraped(served)
            assert (told["questions_open"], told["facets_link_connections"]) == (1, 2)
            await viewer.answer(id, True)
        told = await scraped(served)
        assert results == [True]
        assert told['questions_settled_total{automatic="false",outcome="answered"}'] == 1
        assert told["questions_time_to_answer_seconds_count"] == 1


async def test_limits_can_be_set_and_name_what_is_full(tmp_path):
    async with serving(tmp_path, "--limit", "open-per-person=1") as served, served.link() as work:
        asker = await work.get(Questions, MAIN)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, asker, [])
            await served_open(served, 1)
            with pytest.raises(LimitExceeded, match="asked of user:alice"):
                await asker.ask(Confirm("Another?"), audience=[ALICE, BOB])
            told = await scraped(served)
            assert told['questions_limit_refusals_total{limit="open_per_person"}'] == 1
            assert told['facets_link_refusals_total{code="limit_exceeded"}'] == 1
            nursery.cancel_scope.cancel()


async def served_open(served, count):
    with trio.fail_after(10):
        while (await scraped(served))["questions_open"] != count:  # noqa: ASYNC110  # nobody tells of it
            await trio.sleep(0.02)


async def until_draining(served):
    with trio.fail_after(10):
        while await fetched(served, "/healthz") != (503, "draining\n"):  # noqa: ASYNC110
            await trio.sleep(0.02)


async def test_sigterm_lets_what_is_open_be_answered_and_takes_nothing_new(tmp_path):
    async with serving(tmp_path, "--drain", "60") as served, served.link() as work, served.link("user-alice") as hers:
        results: list = []
        asker, viewer = await work.get(Questions, MAIN), await hers.get(Questions, MAIN)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, asker, results)
            (id,) = await until(viewer.open)
            served.process.process.send_signal(signal.SIGTERM)
            await until_draining(served)
            with pytest.raises(GoingAway):
                await work.get(Questions, SessionScope("other"))
            await ask(asker, results)
            assert (await scraped(served))["facets_link_draining"] == 1
            await viewer.answer(id, True)
        assert results == [Unavailable, True]
        assert await served.process.end() == 0
        await until(hers.state, lambda state: state == "lost")
        assert served.process.errors == "Stopped: connections and open questions are closed.\n"


@pytest.mark.parametrize("second", [None, signal.SIGTERM, signal.SIGINT])
async def test_what_nobody_answers_in_time_is_closed_and_a_second_signal_does_not_wait(tmp_path, second):
    seconds = "0.2" if second is None else "60"
    async with serving(tmp_path, "--drain", seconds) as served, served.link() as work:
        results: list = []
        asker = await work.get(Questions, MAIN)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, asker, results)
            await served_open(served, 1)
            served.process.process.send_signal(signal.SIGTERM)
            if second is not None:
                await until_draining(served)
                served.process.process.send_signal(second)
            assert await served.process.end() == 0
            await wait_until(lambda: results == [StoreClosed])


async def test_ctrl_c_waits_for_nobody(tmp_path):
    async with serving(tmp_path, "--drain", "60") as served, served.link() as work:
        results: list = []
        asker = await work.get(Questions, MAIN)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, asker, results)
            await served_open(served, 1)
            assert await served.process.stop(signal.SIGINT) == 130
            await wait_until(lambda: results == [StoreClosed])


async def test_json_logs_have_every_event_and_neither_answers_nor_tokens(tmp_path):
    async with serving(tmp_path, "--log-format", "json", "--drain", "0") as served:
        bad = served.token("user-alice")[:-4] + "cafe"
        way = "--url", served.url
        assert (await run("watch", "--once", *way, QUESTIONS_TOKEN=bad)).returncode == 5
        async with served.link() as work, served.link("user-alice") as hers:
            results: list = []
            asker, viewer = await work.get(Questions, MAIN), await hers.get(Questions, MAIN)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(ask, asker, results, Text("Code-canary?"))
                (id,) = await until(viewer.open)
                await viewer.answer(id, "answer-canary")
            assert results == ["answer-canary"]
        assert await served.process.stop() == 0
        events = served.logged()
        assert {"settled", "draining", "drained", "stopped"} <= {event["event"] for event in events}
        (settled,) = [event for event in events if event["event"] == "settled"]
        assert (settled["id"], settled["how"], settled["by"]) == (id, "answered", ["user:alice"])
        assert any("a token was refused" in event["message"] for event in events)
        secrets = [bad, *(served.token(who) for who in ("user-alice", "user-bob", "worker-main"))]
        assert not [part for token in secrets for part in token.split(".") if part in served.process.errors]
        assert "canary" not in served.process.errors


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--drain", "-1"], "a number of seconds, 0 or more"),
        (["--drain", "nan"], "a number of seconds, 0 or more"),
        (["--drain", "inf"], "a number of seconds, 0 or more"),
        (["--limit", "open-per-person=0"], "and a number from 1"),
        (["--limit", "per-person=5"], "one of open, open-per-asker"),
        (["--limit", "open"], "and a number from 1"),
        (["--log-format", "xml"], "invalid choice"),
    ],
)
async def test_what_cannot_be_is_told(tmp_path, arguments, words):
    done = await run("serve", "--port", "0", "--auth-keys", tmp_path / "keys.json", *arguments)
    assert (done.returncode, words in done.stderr) == (2, True), done.stderr


async def test_metrics_that_cannot_be_are_told_only_if_they_were_wished(tmp_path):
    (tmp_path / "prometheus_client.py").write_text("raise ImportError")
    ours = "serve", "--port", "0", "--auth-keys", "keys.json"
    done = await run(*ours, "--metrics", cwd=tmp_path)
    assert (done.returncode, 'pip install "question-broker[metrics]"' in done.stderr) == (2, True)
    async with kept(tmp_path, *ours, "--json", cwd=tmp_path) as server:
        port = (await server.event("listening"))["port"]
        served = Served(server, "", ("127.0.0.1", port), tmp_path)
        assert (await fetched(served, "/metrics"))[0] == 404
