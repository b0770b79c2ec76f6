"""What is said when a server cannot be reached, or takes no token: what is wrong, and what to do about it."""

import base64
import datetime
import json
import ssl
from contextlib import asynccontextmanager

import pytest
import trio
import trustme

from questions.cli.fault_words import about_token
from tests.cli.house import open_house


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@asynccontextmanager
async def with_tls(folder, certificate):
    """A house whose server has TLS; also where it is, and by which certificate it is believed."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    certificate.configure_cert(context)
    async with open_house(folder, tls=context) as house:
        yield house, f"127.0.0.1:{house.server.address[1]}"


@asynccontextmanager
async def answering(data):
    """Something else that listens, and answers whatever comes with these bytes."""

    async def answer(stream):
        await stream.receive_some()
        await stream.send_all(data)

    async with trio.open_nursery() as nursery:
        [listener, *_] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, answer, [listener])
        yield f"127.0.0.1:{listener.socket.getsockname()[1]}"
        nursery.cancel_scope.cancel()


async def told(house, capsys, url, *arguments, wait="2"):
    file = house.token_file()
    given = "--url", url, "--token-file", file, "--wait", wait, *arguments
    code, out, err = await house.run_bare(capsys, "list", *given)
    assert (code, out) == (5, "")
    assert err.startswith(f"{url} cannot be reached: ")
    assert len(err.splitlines()) == 1
    return err


@pytest.mark.parametrize("command", ["list", "watch", "ask confirm Go? --to ana"])
async def test_tls_on_one_side_alone_is_named_with_the_url_that_would_do(tmp_path, capsys, authority, command):
    async with with_tls(tmp_path, authority.issue_cert("127.0.0.1")) as (house, place):
        given = "--url", f"ws://{place}", "--token-file", house.token_file(), "--wait", "2"
        code, _, err = await house.run_bare(capsys, *command.split(), *given)
        assert (code, "or has TLS: then the URL begins with wss://" in err) == (5, True)
    async with open_house(tmp_path) as house:
        given = "--url", house.server.url.replace("ws:", "wss:"), "--token-file", house.token_file(), "--wait", "2"
        code, _, err = await house.run_bare(capsys, *command.split(), *given)
        assert (code, "it does not speak TLS as a server does; where there is none" in err) == (5, True)


async def test_each_fault_of_a_certificate_is_told_apart(tmp_path, capsys, authority):
    ca = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(ca)
    async with with_tls(tmp_path, authority.issue_cert("127.0.0.1")) as (house, place):
        err = await told(house, capsys, f"wss://{place}")
        assert "its certificate is not trusted (" in err
        assert "if it is the right server, --tls-ca FILE names who has signed it." in err
        file = house.token_file()
        done = await house.run_bare(capsys, "list", "--url", f"wss://{place}", "--token-file", file, "--tls-ca", ca)
        assert done[0] == 0
    async with with_tls(tmp_path, authority.issue_cert("other.example")) as (house, place):
        err = await told(house, capsys, f"wss://{place}", "--tls-ca", ca)
        assert "its certificate is for another name (" in err
    past = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    async with with_tls(tmp_path, authority.issue_cert("127.0.0.1", not_after=past)) as (house, place):
        err = await told(house, capsys, f"wss://{place}", "--tls-ca", ca)
        assert "its certificate has expired; who runs it has to renew that." in err


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "(HTTP 404); is the URL whole, with its path?"),
        (b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", "what stands before the server does not reach it"),
        (b"HTTP/1.0 200 OK\r\n\r\n", "serves no questions, or has TLS"),
        (b"SSH-2.0-x\r\n", "serves no questions, or has TLS"),
        (b"", "serves no questions, or has TLS"),
    ],
)
async def test_what_is_no_server_of_questions_is_said_to_be_none(tmp_path, capsys, data, words):
    async with open_house(tmp_path) as house, answering(data) as place:
        assert words in await told(house, capsys, f"ws://{place}")


async def test_silence_and_nobody_there_ask_whether_it_runs(tmp_path, capsys):
    async with open_house(tmp_path) as house:
        [listener, *_] = await trio.open_tcp_listeners(0, host="127.0.0.1")  # and nobody accepts
        async with listener:
            err = await told(house, capsys, f"ws://127.0.0.1:{listener.socket.getsockname()[1]}", wait="0.2")
            assert "it has not answered in time (--wait). Does `questions serve` run there?" in err
        assert "connection refused. Does `questions serve` run" in await told(house, capsys, "ws://127.0.0.1:1")


async def test_a_file_without_certificates_is_said_to_have_none(tmp_path, capsys, authority):
    key = tmp_path / "key.pem"
    authority.private_key_pem.write_to_path(key)
    async with open_house(tmp_path) as house:
        code, _, err = await house.main(capsys, "list", "--tls-ca", key)
        assert (code, err) == (2, f"--tls-ca {key}: holds no certificate in PEM.\n")


async def test_a_token_that_is_no_text_is_refused_like_any_other(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("QUESTIONS_TOKEN", "\udcff")
    async with open_house(tmp_path) as house:
        code, _, err = await house.run_bare(capsys, "list", "--url", house.server.url)
        assert (code, err.endswith("(it does not look like a token)\n")) == (5, True)


def _claims(**claims):
    return f"eyJ.{base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip('=')}.x"


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("hunter2", " (it does not look like a token)"),
        (_claims(exp=0), " (it has expired, at 1970-01-01 00:00:00 UTC)"),
        (_claims(exp=9e9), ""),
        (_claims(exp="soon"), ""),
        (_claims(exp=float("nan")), ""),
        (_claims(exp=1e300), ""),
        (_claims(), ""),
        ("eyJ.W10.x", ""),
        ("eyJ.\xff.x", ""),
        ("eyJ..x", ""),
    ],
)
def test_what_is_wrong_with_a_token_is_told_as_far_as_its_holder_can_see_it(token, words):
    assert about_token(token) == words
