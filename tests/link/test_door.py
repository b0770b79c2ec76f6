"""What a stranger meets: nothing but a closed door, the same for everybody."""

import ssl

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from facets import Forbidden, InsecureBind, open_host
from facets.link import TokenIssuer, parse_principal
from facets.link.door import door_of
from facets.link.server import open_link_server
from questions import questions_facet
from tests.link.raw import Closed, connected, dialled, greeted
from tests.link.schema import EXAMPLES
from tests.link.stages import Tokens
from tests.link.tokens import open_guarded

GOODBYE = {
    "type": "goodbye",
    "code": "unauthenticated",
    "message": "the server did not accept the token; have a new one issued, or ask who runs the server",
}


async def said_to(server, *frames):
    """All that is said to somebody who begins with these frames."""
    async with dialled(server) as peer:
        await peer.say(*frames)
        return await peer.hear_all()


def bad_tokens(guarded):
    good = guarded.issue("user:ana")
    yield ""
    yield "user:ana"
    yield good.token[:-4] + "AAAA"
    yield good.token + "A"
    yield guarded.issue("user:ana", lifetime=1).token
    revoked = guarded.issue("user:ana")
    guarded.revocations.revoke_token(revoked.identity.token_id, revoked.identity.expires)
    yield revoked.token
    yield TokenIssuer(guarded.keys, audience="others").issue(parse_principal("user:ana"), guarded.clock.now).token
    yield "x" * 8_000


async def test_every_bad_token_is_told_the_same(tmp_path):
    async with open_guarded(tmp_path) as guarded:
        tokens = list(bad_tokens(guarded))
        guarded.clock.now += 60
        for token in tokens:
            hello = {"type": "hello", "token": token}
            assert await said_to(guarded.server, hello) == [GOODBYE, Closed(1008)], token[:20]


FIRST = [example["frame"] for example in EXAMPLES if example["frame"]["type"] != "hello"]
FIRST += ["", "{", "[]", '{"type":"hello"}', '{"type":"hello","token":7}']
FIRST.append({"type": "hello", "token": "x" * 9_000})


async def test_nothing_is_answered_before_the_hello(tmp_path):
    async with open_guarded(tmp_path) as guarded:
        for first in FIRST:
            heard = await said_to(guarded.server, first, {"type": "hello", "token": guarded.token("user:ana")})
            assert heard == [GOODBYE, Closed(1008)], first


async def test_a_second_hello_is_refused_and_changes_nobody(tmp_path):
    async with open_guarded(tmp_path) as guarded, greeted(guarded.server, guarded.token("user:ana")) as peer:
        await peer.say({"type": "hello", "token": guarded.token("user:bo")})
        assert (await peer.hear())["code"] == "invalid_message"
        await peer.say({"type": "get", "id": 1, "kind": "questions", "input": {"session": "s1"}})
        assert (await peer.hear())["principal"]["id"] == "ana"


async def test_a_token_in_the_url_or_in_a_header_is_no_token(tmp_path):
    async with open_guarded(tmp_path) as guarded:
        token = guarded.token("user:ana")
        more = f"Authorization: Bearer {token}\r\nCookie: token={token}\r\n"
        async with dialled(guarded.server, path=f"/?token={token}", more=more) as peer:
            await peer.say({"type": "get", "id": 1, "kind": "questions", "input": {"session": "s1"}})
            assert await peer.hear_all() == [GOODBYE, Closed(1008)]


async def status(server, **handshake):
    async with connected(server) as peer:
        return (await peer.shake_hands(**handshake)).split(" ")[1]


@pytest.mark.parametrize(
    ("origin", "wanted"),
    [
        ("http://127.0.0.1:{port}", "101"),
        ("https://127.0.0.1:{port}", "101"),
        ("https://listed.example", "101"),
        ("https://other.example", "403"),
        ("https://listed.example.other", "403"),
        ("http://listed.example", "403"),
        ("http://127.0.0.1", "403"),
        ("http://127.0.0.1:{port}.other", "403"),
        ("null", "403"),
        ("", "403"),
        ("file://", "403"),
    ],
)
async def test_a_page_of_another_origin_is_refused(tmp_path, origin, wanted):
    async with open_guarded(tmp_path, origins=["https://listed.example"]) as guarded:
        host, port = guarded.server.address
        more = f"Origin: {origin.format(port=port)}\r\n"
        assert await status(guarded.server, host=f"{host}:{port}", more=more) == wanted


async def test_a_program_sends_no_origin(tmp_path):
    async with open_guarded(tmp_path) as guarded:
        assert await status(guarded.server) == "101"


@pytest.mark.parametrize("bind", ["0.0.0.0", "::", "192.0.2.1", "localhost.invalid", ""])
async def test_an_address_that_others_reach_needs_a_certificate(bind):
    async with open_host([questions_facet]) as host:
        with pytest.raises(InsecureBind) as caught:
            async with open_link_server(host, Tokens(), bind=bind):
                pass
    assert caught.value.address == bind


@pytest.mark.parametrize("options", [{"insecure": True}, {"tls": ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)}])
async def test_an_address_that_others_reach_can_be_had_with_a_certificate_or_by_force(options):
    async with (
        open_host([questions_facet]) as host,
        open_link_server(host, Tokens(), bind="0.0.0.0", **options) as server,
    ):
        assert server.address[0] == "0.0.0.0"


def test_the_goodbye_is_the_one_in_the_documents():
    assert GOODBYE in [example["frame"] for example in EXAMPLES]


class Careless(Tokens):
    """Says too much about a token that is none, although it should never raise."""

    def authenticate(self, token, now):
        raise Forbidden("the database at 10.0.0.7 knows no such token")


async def test_an_authenticator_that_raises_tells_a_stranger_nothing():
    async with open_host([]) as host, open_link_server(host, Careless()) as server, dialled(server) as peer:
        await peer.say({"type": "hello", "token": "t"})
        assert (await peer.until("goodbye"))["code"] == "internal_error"


def test_a_page_comes_in_by_another_door_than_a_program_since_its_browser_names_an_origin():
    headers = {"web": {"Origin": "https://questions.example"}, "link": {"User-Agent": "Mozilla/5.0"}}
    assert {door_of(Request("/", Headers(given))): door for door, given in headers.items()} == {
        "web": "web",
        "link": "link",
    }
