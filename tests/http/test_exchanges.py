"""Requests and replies: bodies within bounds, errors in one form, what waits, and what streams."""

import httpx
import pytest
import trio

from facets.http import Event, HttpLimits
from tests.http.site import heard, open_site, until

HEAD = "POST /api/notes/7 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer user:ana\r\n"
SMALL = HttpLimits(body=100, reading=0.2)


async def test_a_body_is_read_and_checked():
    async with open_site() as site:
        assert (await site.post("/api/notes/a%20b", json={"text": "hi"})).json() == {"text": "hi", "id": "a b"}
        for body in (b"", b"{", b"[]", b'{"text": 7}', b'{"text": "\xff"}', b"[" * 10_000):
            refused = await site.post("/api/notes/7", content=body)
            assert (refused.status_code, refused.json()["error"]["code"]) == (400, "invalid_body")


async def test_what_stands_in_a_bad_body_is_not_quoted():
    async with open_site() as site:
        refused = await site.post("/api/notes/7", json={"text": ["hunter2"]})
        assert refused.json()["error"]["details"] == {"faults": ["$.text: Expected `str`, got `array`"]}
        assert "hunter2" not in refused.text


@pytest.mark.parametrize(("path", "size", "status"), [("notes", 100, 200), ("notes", 101, 413), ("short", 31, 413)])
async def test_a_body_may_be_so_large_and_no_larger(path, size, status):
    async with open_site(limits=SMALL) as site:
        body = b'{"text":"' + b"x" * (size - 11) + b'"}'
        assert len(body) == size
        assert (await site.post(f"/api/{path}/7", content=body)).status_code == status

        head = HEAD.replace("notes", path) + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        pieces = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
        told = await heard(site.server, head.encode() + pieces)
        assert told.split(b" ")[1] == str(status).encode()


async def test_a_body_that_does_not_come_is_not_waited_for():
    async with open_site(limits=SMALL) as site:
        told = await heard(site.server, HEAD.encode() + b"Content-Length: 9\r\n\r\n{")
        assert b"408" in told.split(b"\r\n")[0]
        assert b"body_too_slow" in told


@pytest.mark.parametrize(
    ("how", "status", "code", "retryable"),
    [
        ("forbidden", 403, "forbidden", False),
        ("busy", 503, "busy", True),
        ("facet", 400, "facet_error", False),
        ("own", 418, "teapot", False),
        ("crash", 500, "internal_error", False),
    ],
)
async def test_an_error_is_told_in_one_form(how, status, code, retryable, caplog):
    async with open_site() as site:
        response = await site.get(f"/api/fail/{how}")
        error = response.json()["error"]
        assert (response.status_code, error["code"], error.get("retryable", False)) == (status, code, retryable)
        assert ("Retry-After" in response.headers) == retryable
        assert "hunter2" not in response.text
        assert (error["request_id"] in caplog.text) == (status == 500)


async def test_head_is_get_without_the_body_and_never_waits():
    async with open_site() as site:
        head = await site.request("HEAD", "/api/me")
        assert (head.status_code, head.content) == (200, b"")
        assert (await site.request("HEAD", "/api/wait")).status_code == 405


async def test_a_long_poll_returns_when_it_has_something():
    async with open_site() as site, trio.open_nursery() as nursery:
        told = []

        async def ask():
            told.append(await site.get("/api/wait"))

        nursery.start_soon(ask)
        await until(lambda: site.handled)
        site.bell.set()
        await until(lambda: told)
        assert told[0].json() == {"rang": True}


async def test_a_long_poll_ends_when_nobody_waits_for_it_any_more():
    async with open_site() as site:
        with pytest.raises(httpx.ReadTimeout):
            await site.get("/api/wait", timeout=0.1)
        await until(lambda: site.handled[-1] == "left")
        assert (await site.get("/api/me")).status_code == 200


async def test_events_come_as_they_happen_with_comments_in_between():
    async with open_site() as site:
        bearer = {"Authorization": "Bearer user:ana"}
        async with site.client.stream("GET", "/api/events", headers=bearer) as response:
            assert response.headers["Content-Type"].startswith("text/event-stream")
            pieces = response.aiter_text()
            heard = ""
            with trio.fail_after(5):
                while ":\n\n:" not in heard:
                    heard += await anext(pieces)
                assert heard.startswith('id: 1\nevent: count\ndata: {"n":1}\n\n:\n\n')
                site.bell.set()
                rest = "".join([piece async for piece in pieces])
            assert rest.endswith('id: 2\ndata: {"n":2}\n\n')


def test_an_event_cannot_break_out_of_its_line():
    assert Event("a\nb").encoded() == b'data: "a\\nb"\n\n'
    with pytest.raises(ValueError, match="one line"):
        Event("", id="1\ndata: 2").encoded()


async def test_one_principal_has_so_many_requests_at_once():
    async with open_site(limits=HttpLimits(at_once=2)) as site, trio.open_nursery() as nursery:
        for _ in range(2):
            nursery.start_soon(site.get, "/api/wait")
        await until(lambda: len(site.handled) == 2)
        refused = await site.get("/api/me")
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too_many_requests")
        assert (await site.get("/api/me", "user:bo")).status_code == 200
        site.bell.set()


async def test_one_principal_has_so_many_requests_a_second_and_others_theirs():
    async with open_site(limits=HttpLimits(requests=1)) as site:
        statuses = [(await site.get("/api/me")).status_code for _ in range(4)]
        assert 429 in statuses
        assert statuses[0] == 200
        assert (await site.get("/api/me", "user:bo")).status_code == 200


async def test_strangers_at_one_address_have_fewer():
    async with open_site(limits=HttpLimits(stranger_requests=1)) as site:
        statuses = [(await site.get("/open", None)).status_code for _ in range(4)]
        assert (statuses[0], statuses[-1]) == (200, 429)
        assert (await site.get("/api/me")).status_code == 200
        assert (await site.get("/api/me", None)).status_code == 429
