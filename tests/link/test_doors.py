"""What comes to the port and is no link: plain requests, odd handshakes, other protocols. And a TLS door."""

import json
import ssl
import subprocess
import sys

import pytest
import trio
import trustme

from facets import Principal, open_host
from facets.errors import Unavailable
from facets.link import open_link_server
from facets.link.client import open_link
from questions import Confirm, Questions, SessionScope, questions_facet
from tests.link.bystander import ALICE, open_site
from tests.link.raw import connected, greeted, wait_until
from tests.link.stages import Tokens
from tests.link.test_taken_back import assert_sent_away
from tests.link.tokens import open_guarded

UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
KEY = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
REQUESTS = {
    "GET": ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "404"),
    "HEAD": ("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", None),
    "GET with a token": ("GET /?token=user:alice HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\n\r\n", "404"),
    "POST": ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", None),
    "a GET with a body": ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", None),
    "HTTP 1.0": ("GET / HTTP/1.0\r\n\r\n", None),
    "HTTP 2": ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", None),
    "no HTTP": ("hello\r\n\r\n", None),
    "TLS": ("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + "\x00" * 64 + "\r\n\r\n", None),
    "an endless line": ("GET /" + "x" * 20_000, None),
    "endless headers": ("GET / HTTP/1.1\r\n" + "X: y\r\n" * 1_000 + "\r\n", None),
    "no key": (f"GET / HTTP/1.1\r\nHost: x\r\n{UPGRADE}\r\n", "400"),
    "a key that is none": (f"GET / HTTP/1.1\r\nHost: x\r\n{UPGRADE}Sec-WebSocket-Key: x\r\n\r\n", "400"),
    "two keys": (f"GET / HTTP/1.1\r\nHost: x\r\n{UPGRADE}{KEY}{KEY}\r\n", "400"),
    "an old version": (f"GET / HTTP/1.1\r\nHost: x\r\n{UPGRADE.replace('13', '8')}{KEY}\r\n", "400"),
    "another protocol": (f"GET / HTTP/1.1\r\nHost: x\r\n{UPGRADE}{KEY}Sec-WebSocket-Protocol: chat\r\n\r\n", "400"),
    "two origins": (f"GET / HTTP/1.1\r\nHost: x\r\n{UPGRADE}{KEY}Origin: http://x\r\nOrigin: http://y\r\n\r\n", "403"),
    "two hosts": (f"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n{UPGRADE}{KEY}Origin: http://x\r\n\r\n", "403"),
    "no host": (f"GET / HTTP/1.1\r\n{UPGRADE}{KEY}Origin: http://\r\n\r\n", "403"),
}
"""What is sent, and the status; None: whatever it is, the connection ends."""


@pytest.mark.parametrize("name", REQUESTS)
async def test_what_is_no_link_is_turned_away_and_others_notice_nothing(name, caplog):
    sent, status = REQUESTS[name]
    async with open_site(greeting=1.0) as site, connected(site.server) as peer:
        await peer.send(sent.encode("latin-1"))
        heard = await everything(peer)
        assert status is None or heard.split(b" ")[1] == status.encode()
        assert not heard or heard.split(b" ")[1] != b"101"
        for secret in (b"Traceback", b"websockets", b"Python", b"/facets/"):
            assert secret not in heard
        assert ALICE not in site.server.by_principal
    assert "Traceback" not in caplog.text


async def everything(peer):
    heard = b""
    with trio.fail_after(5):
        try:
            while data := await peer.stream.receive_some():
                heard += data
        except trio.BrokenResourceError:
            pass
    return heard


@pytest.mark.parametrize(
    "path", ["/", "/anything", "/?token=user:bob", "/../../etc/passwd", "/%00", "//other.example/"]
)
async def test_the_path_means_nothing(path):
    async with open_site() as site, connected(site.server) as peer:
        assert "101" in await peer.shake_hands(path=path)
        welcome = await peer.greet("user:alice")
        assert welcome["principal"]["id"] == "alice"


# --- TLS --------------------------------------------------------------------------------------------------------------


def server_context(authority, name="localhost"):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(name, "127.0.0.1").configure_cert(context)
    return context


def client_context(authority):
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


async def test_an_ask_is_answered_over_tls(authority):
    trusted = client_context(authority)
    async with (
        open_host([questions_facet]) as host,
        open_link_server(host, Tokens(), bind="0.0.0.0", tls=server_context(authority)) as server,
    ):
        url = f"wss://127.0.0.1:{server.address[1]}"
        assert server.url.startswith("wss://")
        async with open_link(url, "server:host", tls=trusted) as one, open_link(url, "user:alice", tls=trusted) as two:
            viewer = await two.get(Questions, SessionScope("s1"))
            asker = await one.get(Questions, SessionScope("s1"))
            with trio.fail_after(10):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(answer_the_first, viewer)
                    # Long enough that it does not fit into one record, or into the socket's buffer.
                    details = "x" * 60_000
                    asked = Confirm("Go?", details=details)
                    assert (await asker.ask(asked, audience=[Principal.user("alice")])).answer is True


async def answer_the_first(viewer):
    async for shown in viewer.open.changes():
        for id in shown:
            await viewer.answer(id, True)
            return


async def test_a_certificate_that_is_not_trusted_gets_no_token(authority):
    other = trustme.CA()
    sent = []

    def token():
        sent.append("user:alice")
        return sent[-1]

    async with (
        open_host([questions_facet]) as host,
        open_link_server(host, Tokens(), tls=server_context(other)) as server,
    ):
        with pytest.raises(Unavailable) as caught:
            async with open_link(server.url, token, tls=client_context(authority), patience=0.5):
                pass
    assert any(isinstance(error, ssl.SSLCertVerificationError) for error in causes(caught.value))
    assert not sent


def causes(error):
    while error := error.__cause__:
        yield error


async def test_a_certificate_for_another_name_gets_no_token(authority):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("other.example").configure_cert(context)
    async with open_host([questions_facet]) as host, open_link_server(host, Tokens(), tls=context) as server:
        with pytest.raises(Unavailable):
            async with open_link(server.url, "user:alice", tls=client_context(authority), patience=0.5):
                pass
        assert not server.peers


async def test_plain_text_at_a_tls_door_is_turned_away(authority):
    async with (
        open_host([questions_facet]) as host,
        open_link_server(host, Tokens(), tls=server_context(authority)) as server,
    ):
        async with connected(server) as peer:
            await peer.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b"HTTP" not in await everything(peer)
        async with open_link(server.url, "user:alice", tls=client_context(authority)):
            await wait_until(lambda: len(server.peers) == 1)


# --- tokens that are taken back ---------------------------------------------------------------------------------------

REVOKE = """
import json, sys
from pathlib import Path
from facets.link import Revocations
path, id, expires = json.loads(sys.argv[1])
Revocations(Path(path)).revoke_token(id, expires)
"""


async def test_a_token_that_another_process_revokes_ends_its_connection(tmp_path):
    async with open_guarded(tmp_path) as guarded:
        issued = guarded.issue("user:ana")
        path = str(tmp_path / "keys.json.revoked")
        entry = json.dumps([path, issued.identity.token_id, issued.identity.expires])
        async with greeted(guarded.server, issued.token) as ana:
            await trio.run_process([sys.executable, "-c", REVOKE, entry], stdout=subprocess.DEVNULL)
            await assert_sent_away(ana)
