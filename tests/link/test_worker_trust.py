"""A worker serves nothing to anybody but the server that was meant: that one says for whom it asks, and is believed."""

import ssl
import time
from contextlib import asynccontextmanager

import pytest

from facets import InsecureDial, Principal, UntrustedServer, open_host
from facets.link import KeyRing, LinkServer, open_link_server, prove
from facets.link.worker import open_worker
from questions import Questions, questions_facet
from tests.cli.certificates import write_certificate
from tests.link.fake_server import open_fake_server
from tests.link.raw import wait_until
from tests.link.relays import until
from tests.link.stages import Tokens


def keys_at(path):
    return KeyRing(path / "keys.json", create=True)


@asynccontextmanager
async def open_at_a_server_with(keys, server_keys):
    def proves(nonce):
        return prove(keys, Principal.server("host"), nonce, time.time())

    async with (
        open_host([questions_facet]) as front,
        open_host([questions_facet]) as host,
        open_link_server(front, Tokens(), prove=proves if keys else None) as server,
        open_worker(host, server.url, "worker:s1", "s1", server_keys=server_keys) as worker,
    ):
        yield worker, server


async def test_a_server_that_proves_to_have_the_keys_is_served(tmp_path):
    keys = keys_at(tmp_path)
    async with open_at_a_server_with(keys, keys.public()) as (worker, server):
        await worker.connected()
        assert isinstance(server, LinkServer)
        assert server.describe()["workers"] == [{"session": "s1", "connected": True}]


async def test_the_keys_may_be_fetched_anew_at_each_connection(tmp_path):
    keys = keys_at(tmp_path)
    async with open_at_a_server_with(keys, keys.public) as (worker, _):
        await worker.connected()


@pytest.mark.parametrize("has_keys", [True, False], ids=["other keys", "no proof"])
async def test_a_server_that_cannot_prove_itself_is_served_nothing(tmp_path, has_keys):
    meant = keys_at(tmp_path / "meant").public()
    other = keys_at(tmp_path / "other") if has_keys else None
    async with open_at_a_server_with(other, meant) as (worker, server):
        with pytest.raises(UntrustedServer):
            await worker.connected()
        assert not worker.host.references(Questions).value
        await until(worker.state, lambda state: state == "refused")
        assert server.url.startswith("ws://127.0.0.1")


async def test_a_proof_for_another_worker_is_none(tmp_path):
    keys = keys_at(tmp_path)
    async with (
        open_host([questions_facet]) as host,
        open_fake_server() as server,
        open_worker(host, server.url, "token", "s1", server_keys=keys.public()) as worker,
    ):
        old = prove(keys, host.principal, "another-nonce-of-before", host.now())
        await (await server.accept()).welcome(proof=old)
        with pytest.raises(UntrustedServer):
            await worker.connected()


@pytest.mark.parametrize("url", ["ws://192.0.2.1:8000", "ws://[2001:db8::1]:8000"])
async def test_a_server_far_away_must_be_known_to_be_the_one(url):
    async with open_host([questions_facet]) as host:
        with pytest.raises(InsecureDial, match="use wss://"):
            await open_worker(host, url, "worker:s1", "s1").__aenter__()


async def test_a_server_with_a_certificate_that_is_checked_is_served(tmp_path):
    cert, key = write_certificate(tmp_path)
    own = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    own.load_cert_chain(cert, key)
    async with (
        open_host([questions_facet]) as front,
        open_host([questions_facet]) as host,
        open_link_server(front, Tokens(), tls=own) as server,
        open_worker(host, server.url, "worker:s1", "s1", tls=ssl.create_default_context(cafile=cert)) as worker,
        open_worker(host, server.url, "worker:s2", "s2") as distrustful,
    ):
        await worker.connected()
        await wait_until(lambda: isinstance(distrustful.links["s2"].failure, ssl.SSLError))
        assert server.relay.describe() == [{"session": "s1", "connected": True}]


async def test_a_certificate_that_is_not_checked_shows_nothing():
    unchecked = ssl.create_default_context()
    unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
    async with open_host([questions_facet]) as host:
        with pytest.raises(InsecureDial):
            await open_worker(host, "wss://192.0.2.1:8000", "worker:s1", "s1", tls=unchecked).__aenter__()
