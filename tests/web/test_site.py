"""What plain requests get: the page's own files and nothing else, with headers that keep everything else out."""

import re
from importlib.resources import files

import pytest
import trio
from websockets.datastructures import Headers
from websockets.http11 import Request

from facets import open_host
from facets.link.server import open_link_server
from questions import questions_facet
from questions.web import answer_page
from tests.link.stages import Tokens

STATIC = files("questions.web").joinpath("static")
NAMES = sorted(one.name for one in STATIC.iterdir())
MODULES = [name for name in NAMES if name.endswith(".js")]
INDEX = STATIC.joinpath("index.html").read_text()


def get(path, method="GET", **headers):
    return answer_page(Request(path, Headers(headers), method))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "index.html"])
def test_every_file_of_the_page_is_served_and_can_be_kept_while_it_is_the_same(name):
    response = get(f"/{name}")
    kinds = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml"}
    assert response.body == STATIC.joinpath(name).read_bytes()
    assert response.headers["Content-Type"] == kinds[name.rpartition(".")[2]]
    again = get(f"/{name}", **{"If-None-Match": response.headers["ETag"]})
    assert (again.status_code, again.body) == (304, b"")
    assert get(f"/{name}", **{"If-None-Match": '"another"'}).status_code == 200


def test_a_browser_that_has_several_versions_is_told_that_it_has_this_one():
    etag = get("/page.js").headers["ETag"]
    headers = Headers([("If-None-Match", '"another"'), ("If-None-Match", f'W/"one", {etag}')])
    response = answer_page(Request("/page.js", headers))
    assert response is not None
    assert response.status_code == 304


def test_nobody_keeps_the_page_itself():
    response = get("/?and=what#ever")
    assert response.body.decode() == INDEX
    assert response.headers["Cache-Control"] == "no-store"
    assert "ETag" not in response.headers


@pytest.mark.parametrize("path", ["/", "/page.js", "/icon.svg"])
def test_every_file_comes_with_the_headers_that_keep_others_out(path):
    headers = get(path).headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy.pop("require-trusted-types-for") == "'script'"
    assert {name for name, source in policy.items() if source == "'self'"} == {
        "script-src",
        "style-src",
        "img-src",
        "connect-src",
    }
    assert {source for source in policy.values() if source != "'self'"} == {"'none'"}
    assert {"default-src", "base-uri", "form-action", "frame-ancestors"} < set(policy)
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cross-Origin-Opener-Policy"] == headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_a_head_request_gets_the_headers_alone():
    whole, head = get("/client.js"), get("/client.js", "HEAD")
    assert head.body == b""
    assert head.headers["Content-Length"] == whole.headers["Content-Length"] == str(len(whole.body))


def test_other_methods_are_refused():
    assert get("/", "DELETE").status_code == 405
    assert get("/", "DELETE").headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    "path", ["/index.html", "/..", "/../site.py", "/static/page.js", "//page.js", "/%2e%2e/site.py", "/page", ""]
)
def test_there_is_nothing_else(path):
    assert get(path) is None


def test_the_page_needs_nothing_from_elsewhere_and_runs_nothing_inline():
    assert re.findall(r"(?:src|href)=\"([^\"]+)\"", INDEX)
    assert not re.findall(r"(?:src|href)=\"(?:[a-z]+:|//)|<style|style=|\son[a-z]+=", INDEX)
    assert not re.findall(r"<script(?![^>]*\ssrc=)", INDEX)
    sources = {name: STATIC.joinpath(name).read_text() for name in [*MODULES, "page.css"]}
    wrong = re.compile(r"https?://|innerHTML|insertAdjacentHTML|eval\(")
    assert not [name for name, text in sources.items() if wrong.search(text)]


def test_every_module_is_asked_for_at_once():
    """Else a browser would find them one import after another, each a round trip later."""
    assert re.findall(r'modulepreload" href="([^"]+)"', INDEX) == [name for name in MODULES if name != "page.js"]


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_small_and_imports_only_what_there_is(name):
    text = STATIC.joinpath(name).read_text()
    assert len(text.splitlines()) <= 400
    assert max(map(len, text.splitlines())) <= 120
    assert set(re.findall(r'from "\./([^"]+)"', text)) <= set(MODULES)


async def plain(server, method, path):
    """All that comes back for a plain request."""
    async with await trio.open_tcp_stream(*server.address) as stream:
        await stream.send_all(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        with trio.fail_after(10):
            return b"".join([data async for data in stream])


async def test_a_server_answers_them_beside_its_links():
    async with open_host([questions_facet]) as host, open_link_server(host, Tokens(), answer=answer_page) as server:
        assert b"200 OK" in (page := await plain(server, "GET", "/"))
        assert page.endswith(INDEX.encode())
        assert b"404" in await plain(server, "GET", "/elsewhere")
        assert (await plain(server, "HEAD", "/")).endswith(b"\r\n\r\n")
