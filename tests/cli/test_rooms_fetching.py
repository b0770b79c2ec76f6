"""Receipts and keys from a server: what it sends has an end, and its own keys are taken only if one says so."""

import json
import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from questions.cli import main
from questions.cli.codes import DONE, UNREACHABLE, USAGE
from questions.cli.rooms import fetching, sources
from tests.questions.rooms.receipts import KEY, jwks, signed

CHAIN = "\n".join(signed(2)).encode()
KEYS = json.dumps(jwks(a=KEY)).encode()


class Pages(ThreadingHTTPServer):
    """Has bytes under paths, or (status, headers, bytes), and keeps which were asked for."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages: dict = {}
        self.asked: list = []
        self.url = f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Pages

    def do_GET(self):
        found = self.server.pages.get(self.path, (404, {}, b""))
        status, headers, body = found if isinstance(found, tuple) else (200, {}, found)
        self.server.asked.append(self.path)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def served():
    with Pages() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@contextmanager
def silent_server():
    """An address where connections are taken and nothing is ever said."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"


def run(*arguments):
    return main(["rooms", "verify", *arguments])


def outcome(url=None):
    found = {"decisions": [{"receipt_jws": text} for text in signed(2)]}
    return json.dumps(found if url is None else {**found, "verification": {"jwks_url": url}}).encode()


def test_receipts_come_from_a_server_and_keys_from_elsewhere(served, tmp_path, capsys):
    served.pages["/outcome"] = CHAIN
    keys = tmp_path / "keys.json"
    keys.write_bytes(KEYS)
    assert run(f"{served.url}/outcome", "--jwks", str(keys)) == DONE
    assert served.asked == ["/outcome"]
    assert "that is as certain as the way" in capsys.readouterr().out


def test_keys_may_come_from_a_url_that_is_named(served, tmp_path):
    served.pages["/keys"] = KEYS
    file = tmp_path / "chain"
    file.write_bytes(CHAIN)
    assert run(str(file), "--jwks", f"{served.url}/keys") == DONE


def test_the_keys_of_the_server_itself_are_taken_only_if_one_says_so(served, capsys):
    served.pages |= {"/outcome": outcome("/jwks"), "/jwks": KEYS}
    with pytest.raises(SystemExit):
        run(f"{served.url}/outcome")
    assert served.asked == []
    assert run(f"{served.url}/outcome", "--trust-url") == DONE
    assert served.asked == ["/outcome", "/jwks"]
    assert "the same server has given them" in capsys.readouterr().out


def test_a_server_that_names_no_keys_has_them_on_its_page(served):
    served.pages |= {"/outcome": outcome(), "/.well-known/grp.json": KEYS}
    assert run(f"{served.url}/outcome", "--trust-url") == DONE


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/jwks", "file:///etc/passwd", "//elsewhere.example/jwks"])
def test_keys_that_are_said_to_be_elsewhere_are_not_fetched(served, capsys, url):
    served.pages["/outcome"] = outcome(url)
    assert run(f"{served.url}/outcome", "--trust-url") == USAGE
    assert "elsewhere" in capsys.readouterr().err


def test_a_redirection_is_told_and_not_followed(served, capsys):
    served.pages |= {"/a": (302, {"Location": "/b"}, b""), "/b": KEYS}
    assert run(f"{served.url}/a", "--jwks", "x") == UNREACHABLE
    assert served.asked == ["/a"]
    assert "is not followed to /b" in capsys.readouterr().err


@pytest.mark.parametrize(("status", "said"), [(403, "takes a token"), (404, "HTTP 404"), (500, "HTTP 500")])
def test_an_answer_that_is_none_is_told(served, capsys, status, said):
    served.pages["/a"] = (status, {}, b"a page")
    assert run(f"{served.url}/a", "--jwks", "x") == UNREACHABLE
    assert said in capsys.readouterr().err


def test_what_a_server_sends_has_an_end(served, capsys, monkeypatch):
    monkeypatch.setattr(sources, "LARGEST_FETCHED", 100)
    served.pages["/a"] = b"x" * 101
    assert run(f"{served.url}/a", "--jwks", "x") == USAGE
    assert "larger than 100 bytes" in capsys.readouterr().err


def test_an_answer_that_ends_in_the_middle_is_none(served, capsys):
    """A chain that is cut between two receipts would look whole."""
    first, _ = CHAIN.split(b"\n")
    served.pages["/a"] = (200, {"Content-Length": str(len(CHAIN))}, first + b"\n")
    assert run(f"{served.url}/a", "--jwks", "x") == UNREACHABLE
    assert "ended in the middle" in capsys.readouterr().err


def test_a_server_that_says_nothing_is_left(capsys, monkeypatch):
    monkeypatch.setattr(fetching, "LONGEST_FETCH", 0.05)
    with silent_server() as url:
        assert run(url, "--jwks", "x") == UNREACHABLE
    assert "within 0.05 seconds" in capsys.readouterr().err


def test_a_server_that_is_not_there_is_told(capsys):
    with silent_server() as url:
        pass
    assert run(url, "--jwks", "x") == UNREACHABLE
    assert "cannot be reached" in capsys.readouterr().err


@pytest.mark.parametrize("url", ["ftp://x/y", "file:///etc/passwd", "http://", "http://[", "https://x:99999/", "x://y"])
def test_only_http_and_https_are_spoken(capsys, url):
    assert run(url, "--jwks", "x") == USAGE
    assert "no URL of http or https" in capsys.readouterr().err


def test_a_password_in_a_url_is_refused_and_not_quoted(capsys):
    assert run("https://ana:secret@127.0.0.1/", "--jwks", "x") == USAGE
    assert "secret" not in capsys.readouterr().err
