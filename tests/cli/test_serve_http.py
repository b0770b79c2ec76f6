"""`questions serve --http-port`: a second port, told of over the first, with the same tokens and the same rules."""

import ssl

import httpx
import pytest

from facets.link.client import open_link
from questions import Questions, SessionScope
from tests.cli.certificates import write_certificate
from tests.cli.processes import run
from tests.cli.test_serve import serve, token_in

PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


async def got(url, token=None, verify=PLAIN):
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(verify=verify, trust_env=False) as client:
        return await client.get(url, headers=headers)


async def test_it_takes_the_tokens_that_were_handed_out(tmp_path):
    async with serve(tmp_path, "--json", "--person", "ana=Ana", "--http-port", "0") as server:
        told = await server.event("listening")
        token = token_in(told["people"][0]["token_file"])
        me = await got(f"{told['http']}/me", token)
        assert me.json() == {"principal": {"kind": "user", "id": "ana", "name": "Ana"}}
        assert (await got(f"{told['http']}/me", token + "x")).status_code == 401
        assert (await got(f"{told['http']}/healthz")).json() == {"status": "ok"}


async def test_links_are_told_where_it_is(tmp_path):
    async with serve(tmp_path, "--json", "--person", "ana", "--http-port", "0") as server:
        told = await server.event("listening")
        async with open_link(told["url"], token_in(told["people"][0]["token_file"])) as link:
            await link.get(Questions, SessionScope("main"))
            assert link.http_url == told["http"] != ""


async def test_behind_a_proxy_its_address_is_that_of_the_proxy(tmp_path):
    way = "--http-port", "0", "--http-url", "https://q.example/http/"
    async with serve(tmp_path, "--json", *way) as server:
        assert (await server.event("listening"))["http"] == "https://q.example/http"


async def test_without_the_option_there_is_none(tmp_path):
    async with serve(tmp_path, "--json", "--person", "ana") as server:
        told = await server.event("listening")
        assert told["http"] is None
        async with open_link(told["url"], token_in(told["people"][0]["token_file"])) as link:
            await link.get(Questions, SessionScope("main"))
            assert link.http_url == ""


async def test_it_has_the_certificate_of_the_other_port(tmp_path):
    certificate, key = write_certificate(tmp_path)
    trusting = ssl.create_default_context(cafile=certificate)
    way = "--http-port", "0", "--tls-cert", certificate, "--tls-key", key
    async with serve(tmp_path, "--json", *way) as server:
        told = await server.event("listening")
        assert told["http"].startswith("https://")
        assert (await got(f"{told['http']}/healthz", verify=trusting)).status_code == 200


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--http-url", "https://q.example"], "--http-port"),
        (["--http-port", "0", "--http-url", "q.example"], "--http-url"),
        (["--http-port", "0", "--http-url", "https://q.example/?token=x"], "--http-url"),
        (["--http-port", "x"], "--http-port"),
    ],
)
async def test_what_cannot_be_is_refused_with_what_to_do(tmp_path, options, words):
    ended = await run("serve", "--port", "0", "--auth-keys", tmp_path / "keys.json", *options)
    assert ended.returncode == 2
    assert words in ended.stderr


async def test_a_port_in_use_is_said(tmp_path):
    async with serve(tmp_path, "--json", "--http-port", "0") as server:
        taken = (await server.event("listening"))["http"].rpartition(":")[2]
        arguments = "--port", "0", "--auth-keys", tmp_path / "other.json", "--http-port", taken
        ended = await run("serve", *arguments)
        assert ended.returncode == 2
        assert f"port {taken}" in ended.stderr
