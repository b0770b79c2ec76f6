"""`questions serve --root`: a store behind a server, for people and programs elsewhere."""

import json
import time
from functools import partial
from types import SimpleNamespace

import pytest
import trio

from facets import LinkLost, Principal
from facets.link.client import open_link
from questions import Confirm, Questions, SessionScope
from questions.cli.arming import ARMING_DELAY
from questions.durable import LiveDecisions, open_store
from questions.gates import AcceptedDecision, LiveGates, TimeoutPolicy, open_gates
from tests.cli.processes import PATIENCE, environment, run
from tests.cli.terminal import Terminal
from tests.cli.test_serve import serve, token_in
from tests.questions.durable.desk_stages import seen
from tests.questions.durable.journalling import has_rows
from tests.questions.durable.postgres_stages import PostgresStage
from tests.questions.gates.cases import CONTINUE, EXACT, REPLAN
from tests.questions.gates.live_stages import ask
from tests.questions.operations.scraping import scraped


@pytest.fixture(params=["sqlite", "postgres"])
def root(request, tmp_path):
    if request.param == "sqlite":
        yield str(tmp_path)
    else:
        stage = PostgresStage()
        yield stage.address
        stage.drop()


async def raise_one(root, title):
    done = await run("decisions", "raise", "--root", root, "--title", title, "--input", "confirm", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["id"]


async def test_what_is_raised_in_a_shell_is_answered_over_a_link_and_awaited_in_the_shell(root, tmp_path):
    async with serve(tmp_path, "--json", "--person", "alice", "--root", root) as server:
        told = await server.event("listening")
        token = token_in(told["people"][0]["token_file"])
        async with open_link(told["url"], token) as link:
            decisions = await link.get(LiveDecisions)
            await seen(decisions.open, lambda value: not value)
            id = await raise_one(root, "Deploy 7?")
            assert (await seen(decisions.open, bool))[id].message == "Deploy 7?"
            await decisions.answer(id, option="yes")
        done = await run("decisions", "wait", id, "--root", root, "--json")
        answer = json.loads(done.stdout)["answer"]
        assert (done.returncode, answer["answeredBy"], answer["via"]) == (0, "alice", "link")


async def test_a_decision_is_answered_in_the_inbox_on_a_terminal(tmp_path):
    async with serve(tmp_path, "--json", "--person", "alice", "--root", tmp_path) as server:
        told = await server.event("listening")
        id = await raise_one(tmp_path, "Deploy 7?")
        more = {"QUESTIONS_URL": told["url"], "QUESTIONS_TOKEN": token_in(told["people"][0]["token_file"])}
        await trio.to_thread.run_sync(partial(answered_on_a_terminal, environment(**more)))
        done = await run("decisions", "wait", id, "--root", tmp_path, "--json")
        assert json.loads(done.stdout)["answer"]["optionId"] == "yes"


async def test_a_gate_of_another_process_is_answered_over_a_link(root, tmp_path):
    async with (
        serve(tmp_path, "--json", "--person", "alice", "--root", root) as server,
        open_gates(root, serve=False) as workflow,
    ):
        told = await server.event("listening")
        async with open_link(told["url"], token_in(told["people"][0]["token_file"])) as link:
            alice = await link.get(LiveGates)
            _ = alice.open, alice.closed
            made = await ask(workflow)
            shown = (await seen(alice.open, bool))[made.decision_id]
            await alice.answer(shown.id, shown.request_digest, shown.response_of("replan", EXACT))
        with trio.fail_after(PATIENCE):
            decision = await workflow.ended(made.decision_id)
        assert isinstance(decision, AcceptedDecision)
        assert decision.source is not None
        assert (decision.response, decision.source.actor_id) == (REPLAN, "user:alice")


async def test_a_gate_is_answered_in_the_inbox_on_a_terminal(tmp_path):
    async with (
        serve(tmp_path, "--json", "--person", "alice", "--root", tmp_path) as server,
        open_gates(tmp_path, serve=False) as workflow,
    ):
        told = await server.event("listening")
        made = await ask(workflow)
        more = {"QUESTIONS_URL": told["url"], "QUESTIONS_TOKEN": token_in(told["people"][0]["token_file"])}
        await trio.to_thread.run_sync(partial(chosen_on_a_terminal, environment(**more)))
        decision = await workflow.ended(made.decision_id)
        assert isinstance(decision, AcceptedDecision)
        assert decision.response == CONTINUE


def chosen_on_a_terminal(variables):
    with Terminal("inbox", rows=24, environment=variables) as terminal:
        terminal.wait_until(lambda terminal: "[gate] Approve plan" in terminal.text)
        end = time.monotonic() + 2 * ARMING_DELAY
        terminal.wait_until(lambda _: time.monotonic() > end)
        terminal.type("1")
        terminal.wait_until(lambda terminal: "> 1 Continue" in terminal.text)
        terminal.type("\r")
        terminal.wait_until(lambda terminal: "Your answer counts: Approve plan" in terminal.text)
        terminal.type("q")
        assert terminal.wait_for_exit() == 0


async def test_the_server_applies_the_deadlines_of_gates(tmp_path):
    async with serve(tmp_path, "--json", "--root", tmp_path) as server, open_gates(tmp_path, serve=False) as workflow:
        await server.event("listening")
        made = await ask(workflow, timeout=TimeoutPolicy(1_000, CONTINUE))
        with trio.fail_after(PATIENCE):
            decision = await workflow.ended(made.decision_id)
        assert isinstance(decision, AcceptedDecision)
        assert decision.provenance == "timeout"


async def test_an_audience_that_is_not_asked_on_the_page_is_not_there(tmp_path):
    folder = tmp_path / "channels"
    folder.mkdir(mode=0o700)
    audiences = {"operator": {"channels": ["terminal"], "accept": "first-valid-answer"}}
    file = folder / "channels.json"
    file.touch(mode=0o600)
    file.write_text(json.dumps({"schema": "questions.channels.v1", "audiences": audiences}))
    more = "--root", tmp_path, "--channels", folder
    async with (
        serve(tmp_path, "--json", "--person", "alice", *more) as server,
        open_gates(tmp_path, serve=False) as workflow,
    ):
        told = await server.event("listening")
        async with open_link(told["url"], token_in(told["people"][0]["token_file"])) as link:
            alice = await link.get(LiveGates)
            await ask(workflow)
            other = await ask(workflow, "b", audience="board")
            assert list(await seen(alice.open, bool)) == [other.decision_id]


def answered_on_a_terminal(variables):
    with Terminal("inbox", rows=24, environment=variables) as terminal:
        terminal.wait_until(lambda terminal: "[decision] Deploy 7?" in terminal.text)
        end = time.monotonic() + 2 * ARMING_DELAY
        terminal.wait_until(lambda _: time.monotonic() > end)
        terminal.type("y")
        terminal.wait_until(lambda terminal: "Your answer counts: Deploy 7?" in terminal.text)
        terminal.type("q")
        assert terminal.wait_for_exit() == 0


def lines_with(server, words):
    return [line for line in server.errors.splitlines() if words in line]


@pytest.mark.parametrize("form", ["json", None])
async def test_live_questions_that_a_killed_server_has_lost_are_shown_and_counted_by_the_next(tmp_path, form):
    arguments = ["--json", "--person", "alice", "--root", tmp_path, *(["--log-format", form] if form else [])]
    async with serve(tmp_path, *arguments) as server, trio.open_nursery() as nursery:
        told = await server.event("listening")
        asker = await nursery.start(asking, told["url"], token_in(told["workers"][0]["token_file"]))
        async with open_store(tmp_path) as store:
            [id] = await has_rows(store, 1)
        server.process.kill()
        await server.process.wait()
        asker.cancel()
    async with serve(tmp_path, *arguments) as server:
        told = await server.event("listening")
        await server.error_with("Deploy 7?")
        [line] = lines_with(server, "Deploy 7?")
        assert id in line
        if form == "json":
            event = json.loads(line)
            assert (event["event"], event["id"], event["title"]) == ("lost", id, "Deploy 7?")
        assert "answered by nobody" in line
        metrics = await scraped(SimpleNamespace(address=("127.0.0.1", told["port"])))
        assert metrics["questions_lost_at_restart_total"] == 1
        assert await server.stop() == 0
    async with open_store(tmp_path) as store:
        await has_rows(store, 0)


async def asking(url, token, task_status):
    with trio.CancelScope() as scope:
        try:
            async with open_link(url, token) as link:
                asker = await link.get(Questions, SessionScope("main"))
                task_status.started(scope)
                await asker.ask(Confirm("Deploy 7?"), audience=[Principal.user("alice")])
        except* LinkLost:
            pass


BAD = {
    "--root: '/nowhere/at/all' is not a folder": (2, ["--root", "/nowhere/at/all"]),
    "the store is not available": (5, ["--root", "postgresql://127.0.0.1:1/x"]),
    "in a store: --root R": (2, ["--main", "run-1"]),
}


@pytest.mark.parametrize("words", BAD)
async def test_a_store_that_cannot_be_served_is_said_before_anybody_gets_a_token(words, tmp_path):
    code, arguments = BAD[words]
    with trio.fail_after(PATIENCE):
        done = await run("serve", "--port", "0", "--auth-keys", tmp_path / "keys.json", *arguments)
    assert (done.returncode, words in done.stderr) == (code, True), done.stderr
    assert not (tmp_path / "tokens").exists()
