"""Who gets in, and what strangers are told: the same, whatever they try."""

import logging
import ssl

import httpx
import pytest
import trio
import trustme

from facets.errors import InsecureBind, InvalidFacet
from facets.http import Endpoint, HttpLimits, Service, json_response, open_http_server
from tests.http.site import open_site, until
from tests.rules import rule

WITHOUT_ID = ("x-request-id", "date")


def told(response):
    """All that a reply says, but for what is different in every one."""
    headers = {name: value for name, value in response.headers.items() if name not in WITHOUT_ID}
    body = response.json()
    body["error"].pop("request_id")
    return response.status_code, headers, body


@rule("Q-AUTH-3")
async def test_a_token_says_who_asks():
    async with open_site() as site:
        assert (await site.get("/api/me", "user:bo")).json() == {"principal": "user:bo"}
        assert (await site.get("/api/me", "program:run")).json() == {"principal": "program:run"}


@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer bad", "Basic dXNlcjphbmE=", "user:ana", "Bearer bad\x7f", "bearer  bad"],
)
@pytest.mark.parametrize("path", ["/api/me", "/api/notes/7", "/api/none", "/", "/api", "/favicon.ico"])
async def test_strangers_are_told_the_same_wherever_they_ask(authorization, path):
    async with open_site() as site:
        usual = await site.get("/api/me", None)
        headers = {} if authorization is None else {"Authorization": authorization}
        assert told(await site.get(path, None, headers=headers)) == told(usual)
        assert told(await site.post(path, None, headers=headers, content=b"{")) == told(usual)
        assert site.handled == []
        assert usual.status_code == 401
        assert usual.json()["error"]["code"] == "unauthenticated"
        assert usual.headers["WWW-Authenticate"] == "Bearer"


async def test_a_token_in_the_address_or_a_cookie_or_given_twice_is_none():
    async with open_site() as site:
        for path in ("/api/me?token=user:ana", "/api/me?access_token=user:ana"):
            assert (await site.get(path, None)).status_code == 401
        assert (await site.get("/api/me", None, headers={"Cookie": "token=user:ana"})).status_code == 401
        twice = [("Authorization", "Bearer user:ana"), ("Authorization", "Bearer user:bo")]
        assert (await site.client.get("/api/me", headers=twice)).status_code == 401


async def test_who_is_known_is_told_what_is_not_there():
    async with open_site() as site:
        missing = await site.get("/api/none")
        assert (missing.status_code, missing.json()["error"]["code"]) == (404, "unknown_path")
        other = await site.request("DELETE", "/api/me")
        assert (other.status_code, other.json()["error"]["code"]) == (405, "method_not_allowed")
        assert other.headers["Allow"] == "GET"


async def test_an_open_service_looks_at_no_token_of_the_port():
    async with open_site() as site:
        assert (await site.get("/open", "t_seat")).json() == {"known": False, "own": "t_seat"}
        assert (await site.get("/open", None)).json() == {"known": False, "own": None}


async def test_a_service_may_refuse_in_words_of_its_own():
    async with open_site() as site:
        assert (await site.get("/quaint/x", None)).json() == ["unknown_path"]
        assert (await site.get("/quaintly", None)).json()["error"]["code"] == "unauthenticated"


async def test_a_page_of_another_origin_is_refused_unless_it_is_listed():
    async with open_site(origins=["https://good.example"]) as site:
        host = site.server.url.partition("://")[2]
        for origin, status in [
            ("https://evil.example", 403),
            ("null", 403),
            (f"http://{host}.evil.example", 403),
            (f"http://{host}", 200),
            (f"https://{host}", 200),
            ("https://good.example", 200),
        ]:
            assert (await site.get("/api/me", headers={"Origin": origin})).status_code == status, origin
        own = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}
        assert (await site.get("/api/me", headers=own)).status_code == 200


async def test_a_listed_page_may_read_replies_and_others_may_not():
    async with open_site(origins=["https://good.example"]) as site:
        good = {"Origin": "https://good.example"}
        preflight = await site.request("OPTIONS", "/api/me", None, headers=good)
        assert (preflight.status_code, preflight.content) == (204, b"")
        assert preflight.headers["Access-Control-Allow-Origin"] == "https://good.example"
        assert "Authorization" in preflight.headers["Access-Control-Allow-Headers"]
        assert (await site.get("/api/me", headers=good)).headers["Vary"] == "Origin"
        assert "Access-Control-Allow-Origin" not in (await site.get("/api/me")).headers
        evil = {"Origin": "https://evil.example"}
        refused = await site.request("OPTIONS", "/api/me", None, headers=evil)
        assert (refused.status_code, "Access-Control-Allow-Origin" in refused.headers) == (403, False)


async def test_everything_is_sent_with_what_keeps_browsers_safe():
    async with open_site() as site:
        for response in (await site.get("/api/me"), await site.get("/api/me", None), await site.get("/api/fail/x")):
            assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")
            assert response.headers["Referrer-Policy"] == "no-referrer"
            assert response.headers["Cache-Control"] == "no-store"
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            assert "server" not in response.headers


async def test_every_reply_has_an_id_and_that_of_the_caller_comes_back():
    async with open_site() as site:
        first = await site.get("/api/none", headers={"X-Correlation-Id": "mine-7"})
        second = await site.get("/api/none", headers={"X-Correlation-Id": "mine 7"})
        assert first.headers["X-Correlation-Id"] == "mine-7"
        assert "X-Correlation-Id" not in second.headers
        assert first.headers["X-Request-Id"] == first.json()["error"]["request_id"]
        assert first.headers["X-Request-Id"] != second.headers["X-Request-Id"]


@pytest.mark.parametrize("bind", ["0.0.0.0", "::"])
async def test_where_others_can_listen_it_takes_tls_or_force(bind):
    with pytest.raises(InsecureBind):
        async with open_site(bind=bind):
            pass
    async with open_site(bind=bind, insecure=True) as site:
        assert site.server.address[1] > 0


async def test_over_tls():
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    async with open_site(tls=context, verify=trusting) as site:
        assert site.server.url.startswith("https://")
        assert (await site.get("/api/me")).json() == {"principal": "user:ana"}
        async with httpx.AsyncClient(trust_env=False) as plain:
            with pytest.raises(httpx.TransportError):
                await plain.get(site.server.url.replace("https", "http"))
        assert (await site.get("/api/me")).status_code == 200


async def nothing(call):
    return json_response(None)


async def test_a_prefix_that_cannot_be_is_refused():
    with pytest.raises(InvalidFacet):
        Service("api/", [])
    with pytest.raises(InvalidFacet):
        Service("/api", [Endpoint("GET", "me", nothing)])
    with pytest.raises(InvalidFacet):
        HttpLimits(body=0)


async def test_what_is_under_way_ends_when_its_token_is_revoked():
    async with open_site() as site, trio.open_nursery() as nursery:
        heard = []

        async def ask():
            heard.append(await site.get("/api/wait"))

        nursery.start_soon(ask)
        await until(lambda: site.handled)
        site.tokens.revoked.add("user:ana")
        await until(lambda: heard)
        assert heard[0].status_code == 401
        assert site.handled[-1] == "left"


async def test_no_token_is_logged(caplog):
    caplog.set_level(logging.DEBUG)
    async with open_site() as site:
        await site.get("/api/me", "user:canary-9")
        await site.get("/api/me", "bad-canary-9")
        await site.get("/api/fail/x", "user:canary-9")
    ours = [record for record in caplog.records if record.name.startswith("facets")]
    assert not [record for record in ours if "canary-9" in record.getMessage()]


async def test_two_ports_have_nothing_in_common():
    async with open_site() as one, open_http_server([], one.tokens, now=lambda: 0.0) as two:
        assert two.url != one.server.url
        one.client.base_url = two.url
        assert (await one.get("/api/me")).status_code == 404
