"""`questions serve` and `questions gates serve` with an HTTP port: the page to which the links of webhooks lead."""

import socket
import ssl
from contextlib import asynccontextmanager

import httpx
import pytest

from questions.gates import AcceptedDecision, open_gates
from tests.cli.certificates import write_certificate
from tests.cli.processes import kept, run
from tests.cli.test_serve import serve
from tests.questions.gates.configurations import hooked
from tests.questions.gates.live_stages import ask
from tests.questions.gates.webhook.receiver import NOBODY, open_receiver


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


def gates_serve(folder, *arguments, **options):
    return kept(folder, "gates", "serve", *arguments, **options)


async def code_of(receiver, decision_id):
    [told] = [one for one in await receiver.has("decision.open", 2) if one["to"] == "ana"]
    assert told["decision_id"] == decision_id
    return told["link"].partition("#")


@asynccontextmanager
async def browser():
    async with httpx.AsyncClient(verify=NOBODY, trust_env=False, timeout=10) as client:
        yield client


@pytest.mark.parametrize("command", [serve, gates_serve])
async def test_a_link_of_a_configured_webhook_leads_to_its_page_where_an_answer_counts(command, tmp_path):
    port = free_port()
    async with open_receiver() as receiver:
        channels = hooked(tmp_path, url=receiver.url, page=f"http://127.0.0.1:{port}/decide")
        way = "--root", tmp_path, "--channels", channels, "--http-port", port, "--json"
        async with command(tmp_path, *way) as server, open_gates(tmp_path, serve=False) as workflow, browser() as page:
            await server.line_with(f"http://127.0.0.1:{port}")
            made = await ask(workflow)
            url, _, code = await code_of(receiver, made.decision_id)
            assert (await page.get(url)).status_code == 200
            assert "Approve plan" in (await page.post(url, data={"code": code})).text
            form = {"code": code, "act": "act-1", "choice": "continue"}
            assert (await page.post(f"{url}/answer", data=form)).status_code == 200
            decision = await workflow.ended(made.decision_id)
            assert isinstance(decision, AcceptedDecision)
            assert decision.source is not None
            assert (decision.source.channel, decision.source.actor_id) == ("webhook:ops", "ana")


async def test_a_gate_server_has_a_certificate_and_says_that_it_is_there(tmp_path):
    certificate, key = write_certificate(tmp_path)
    trusting = ssl.create_default_context(cafile=certificate)
    way = "--root", tmp_path, "--http-port", "0", "--tls-cert", certificate, "--tls-key", key
    async with gates_serve(tmp_path, *way) as server:
        url = (await server.line_with("HTTP on ")).removeprefix("HTTP on ").rstrip(".")
        async with httpx.AsyncClient(verify=trusting, trust_env=False) as client:
            assert (await client.get(f"{url}/healthz")).json() == {"status": "ok"}
            refused = await client.post(f"{url}/decide", data={"code": "none"})
            assert (refused.status_code, "This link is not good" in refused.text) == (403, True)
            assert (await client.get(f"{url}/me", headers={"Authorization": "Bearer x"})).status_code == 401


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--bind", "127.0.0.1"], "--http-port"),
        (["--tls-cert", "none.pem"], "--http-port"),
        (["--http-port", "0", "--tls-cert", "none.pem"], "none.pem"),
        (["--http-port", "0", "--bind", "0.0.0.0"], "--insecure"),
        (["--http-port", "x"], "--http-port"),
    ],
)
async def test_what_cannot_be_is_refused_with_what_to_do(tmp_path, options, words):
    ended = await run("gates", "serve", "--root", tmp_path, *options)
    assert (ended.returncode, words in ended.stderr) == (2, True), ended.stderr
    assert "0.0.0.0" in options or ended.stdout == ""


async def test_a_port_in_use_is_said(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = await run("gates", "serve", "--root", tmp_path, "--http-port", port)
    assert (ended.returncode, f"port {port}" in ended.stderr) == (2, True)
