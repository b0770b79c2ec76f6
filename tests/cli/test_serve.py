"""`questions serve`: where it listens, who is let in, what it refuses to begin with, and how it ends."""

import importlib
import json
import shlex
import signal
import socket
import stat
import time
from pathlib import Path
from typing import Any

import pytest
import trio
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from facets import LinkLost, Principal
from facets.link import SUBPROTOCOL, KeyRing, Revocations, TokenAuthenticator
from facets.link.client import open_link
from questions import Confirm, Questions, SessionScope, StoreClosed
from tests.cli.certificates import write_certificate
from tests.cli.processes import kept, run
from tests.cli.terminal import Terminal

ALICE = Principal.user("alice")


def serve(folder, *arguments, **options):
    """Keep `questions serve` with keys of its own, on any free port, for the length of a block."""
    return kept(folder, "serve", "--port", "0", "--auth-keys", folder / "keys.json", *arguments, **options)


def token_in(file):
    return Path(file).read_text().strip()


def identity_in(file, folder):
    authenticator = TokenAuthenticator(KeyRing(folder / "keys.json"), Revocations(folder / "keys.json.revoked"))
    return authenticator.authenticate(token_in(file), time.time())


def mode_of(path):
    return stat.S_IMODE(Path(path).stat().st_mode)


async def test_everybody_gets_a_token_in_a_file_of_their_own(tmp_path):
    people = "--person", "alice", "--person", "bob=Bob B.", "--person", "guest:ann=Ann"
    async with serve(tmp_path, "--json", *people, "--session", "s1", "--session", "../s2") as server:
        told = await server.event("listening")
        everyone = told["people"] + told["workers"]
        identities = [identity_in(one["token_file"], tmp_path) for one in everyone]
        assert [(str(one.principal), one.name) for one in identities] == [
            ("user:alice", None),
            ("user:bob", "Bob B."),
            ("guest:ann", "Ann"),
            ("worker:s1", None),
            ("worker:../s2", None),
        ]
        assert [one.token_id for one in identities] == [one["id"] for one in everyone]
        assert {Path(one["token_file"]).parent for one in everyone} == {tmp_path / "tokens"}
        assert {mode_of(one["token_file"]) for one in everyone} == {0o600}
        assert mode_of(tmp_path / "tokens") == 0o700
        assert not any(token_in(one["token_file"]) in json.dumps(told) for one in everyone)


async def test_the_workers_token_goes_where_it_is_wished(tmp_path):
    file = tmp_path / "w"
    async with serve(tmp_path, "--json", "--worker-token-file", file, "--expires", "90s") as server:
        (worker,) = (await server.event("listening"))["workers"]
        identity = identity_in(file, tmp_path)
        assert (worker["session"], worker["token_file"], mode_of(file)) == ("main", str(file), 0o600)
        assert identity.expires - identity.issued == pytest.approx(90)


async def test_the_commands_that_it_names_reach_the_sessions_that_it_serves(tmp_path):
    async with serve(tmp_path, "--person", "a", "--session", "s1", "--session", "b c") as server:
        *_, watch, answer = [await server.line() for _ in range(15)]
        assert shlex.split(watch)[4:8] == ["--session", "s1", "--session", "b c"]
        assert shlex.split(answer)[4:] == shlex.split(watch)[2:]


async def test_an_address_that_stands_for_all_of_them_is_said_to_be_no_name(tmp_path):
    async with serve(tmp_path, "--person", "a", "--bind", "0.0.0.0", "--insecure") as server:
        lines = [await server.line() for _ in range(15)]
        assert lines[-1].startswith("0.0.0.0 stands for every address of this machine.")


async def test_what_nobody_sees_at_a_terminal_has_no_tokens_in_it_unless_wished(tmp_path):
    for wish, is_there in [([], False), (["--print-tokens"], True)]:
        async with serve(tmp_path, "--person", "alice=Alice", *wish) as server:
            assert (await server.line()).startswith("Listening on ws://127.0.0.1:")
            text = "".join([await server.line() for _ in range(9 if wish else 7)])
            worker = tmp_path / "tokens" / "worker-main.token"
            ask = await server.line_with("questions ask")
            assert ask.startswith('  questions ask confirm "Go on?" --to alice --url ws://127.0.0.1:')
            assert ask.endswith(f" --token-file {worker}")
            token = token_in(tmp_path / "tokens" / "user-alice.token")
            assert (token in text, "user:alice (Alice)" in text, "session main" in text) == (is_there, True, True)


def test_on_a_terminal_people_are_shown_their_tokens_and_ctrl_c_ends_it(tmp_path):
    command = "serve", "--port", "0", "--auth-keys", tmp_path / "keys.json", "--person", "alice"
    with Terminal(*command) as terminal:
        terminal.wait_until(lambda terminal: "questions answer ID" in terminal.text)
        shown = terminal.text.replace("\r\n", "")
        assert token_in(tmp_path / "tokens" / "user-alice.token") in shown
        assert token_in(tmp_path / "tokens" / "worker-main.token") not in shown
        terminal.type("\x03")
        assert terminal.wait_for_exit() == 130


async def ask_remotely(url, file, results, **options):
    async with open_link(url, token_in(file)) as link:
        asker = await link.get(Questions, SessionScope("main"))
        try:
            results.append(await asker.ask(Confirm("Run the build?"), audience=[ALICE], **options))
        except (StoreClosed, LinkLost) as error:
            results.append(error)


async def test_two_terminals_answer_what_a_worker_asks(tmp_path):
    async with serve(tmp_path, "--json", "--person", "alice") as server:
        results: list[Any] = []
        url = (await server.event("listening"))["url"]
        way = "--url", url, "--token-file", tmp_path / "tokens" / "user-alice.token"
        async with trio.open_nursery() as nursery, kept(tmp_path, "watch", "--json", *way) as watch:
            await watch.event("connected")
            nursery.start_soon(ask_remotely, url, tmp_path / "tokens" / "worker-main.token", results)
            id = (await watch.event("opened"))["id"]
            assert (await run("answer", id, "yes", *way)).returncode == 0
            gone = await watch.event("gone")
            assert (gone["id"], gone["how"], [who["id"] for who in gone["by"]]) == (id, "answered", ["alice"])
        assert results[0].answer is True


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
@pytest.mark.parametrize("key", [None, "k"])
async def test_it_ends_cleanly_and_who_asks_hears_of_it(tmp_path, number, code, key):
    async with serve(tmp_path, "--json", "--person", "alice") as server:
        results: list[Any] = []
        url = (await server.event("listening"))["url"]
        way = "--url", url, "--token-file", tmp_path / "tokens" / "user-alice.token"
        async with trio.open_nursery() as nursery, kept(tmp_path, "watch", "--json", *way) as watch:
            worker = tmp_path / "tokens" / "worker-main.token"
            nursery.start_soon(lambda: ask_remotely(url, worker, results, key=key))
            await watch.event("connected")
            await watch.event("opened")
            assert await server.stop(number) == code
            assert (await watch.event("gone"))["how"] == "closed"
            await watch.event("lost")
        assert [type(result) for result in results] == [StoreClosed]
        assert server.errors == "Stopped: connections and open questions are closed.\n"


async def test_a_port_in_use_is_told(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = await run("serve", "--person", "a", "--port", port, "--auth-keys", tmp_path / "keys.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"Cannot listen on 127.0.0.1, port {port}: address already in use.\n"
    assert not (tmp_path / "tokens").exists()


FACET = """
from facets import facet, serve
from facets.link import remote

class Greeter:
    def greet(self, name: str) -> str:
        return f"Hello, {name}."

remote("greeter", Greeter, methods=["greet"])
greetings = facet("greetings", serves=[serve(Greeter, lambda environment, input, principal: Greeter())])
"""


async def test_what_is_not_installed_is_named(tmp_path):
    (tmp_path / "joserfc.py").write_text("raise ModuleNotFoundError(\"No module named 'joserfc'\", name='joserfc')")
    for command in (["serve", "--port", "0", "--auth-keys", "keys.json"], ["demo", "--served"]):
        done = await run(*command, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert 'pip install "question-broker[serve]"' in done.stderr


OPENLY = """
from questions import questions_facet
openly = questions_facet.configured(may_view=lambda who, scope: "all")
"""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--bind", "0.0.0.0"], "give a certificate, bind to 127.0.0.1, or force it"),
        (["--bind", "no-such.invalid", "--insecure"], "Cannot listen on no-such.invalid, port 0: "),
        (["--port", "65536"], "a number from 0 to 65535"),
        (["--tls-cert", "none"], "none cannot be read: No such file or directory"),
        (["--tls-cert", "mine.py"], "mine.py: not a certificate and its key, both PEM"),
        (["--tls-key", "mine.py"], "--tls-key needs its certificate"),
        (["--auth-keys", "mine.py"], "key file mine.py: "),
        (["--auth-keys", "."], "key file .: "),
        (["--expires", "1000d"], "no token was issued: $.lifetime"),
        (["--person", "server:x"], "people are users and guests"),
        (["--person", "worker:s1=X"], "people are users and guests"),
        (["--person", ""], "--person ''"),
        (["--person", "ann="], "a name has 1 to 200 characters"),
        (["--person", "ann", "--person", "ann=Ann"], "is given twice"),
        (["--session", "a", "--session", "a"], "is given twice"),
        (["--session", "a\tb"], "$.scope.session"),
        (["--session", "a", "--session", "b", "--worker-token-file", "w"], "--worker-token-file is for one --session"),
        (["--tokens-dir", "mine.py"], "The token of worker:main: "),
        (["--origin", "https://page.example/path"], "one origin, without a path"),
        (["--origin", "*"], "one origin, without a path"),
        (["--facet", "mine"], "a module and a name in it"),
        (["--facet", "no_such:x"], "cannot be loaded: ModuleNotFoundError"),
        (["--facet", "mine:none"], "cannot be loaded: AttributeError"),
        (["--facet", "mine:Greeter"], "is type, and no facet"),
        (["--facet", "script:x"], "--facet script:x: cannot be loaded: SystemExit: 0"),
        (["--facet", "broken:x"], r"cannot be loaded: ValueError: \x1b[2K"),
        (["--facet", "mine:greetings", "--facet", "mine:greetings"], "Two --facet have the same name."),
    ],
)
async def test_what_cannot_be_served_is_told_and_nobody_gets_a_token(tmp_path, arguments, words):
    (tmp_path / "mine.py").write_text(FACET)
    (tmp_path / "script.py").write_text("raise SystemExit(0)")
    (tmp_path / "broken.py").write_text("raise ValueError('\x1b[2K')")
    ours = "--port", "0", "--auth-keys", "keys.json"
    done = await run("serve", *ours, *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert not list(tmp_path.rglob("*.token"))


async def test_a_facet_of_ones_own_is_served_beside_the_questions(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(FACET)
    monkeypatch.syspath_prepend(tmp_path)
    greeter = importlib.import_module("mine").Greeter
    async with serve(tmp_path, "--json", "--person", "a", "--facet", "mine:greetings", cwd=tmp_path) as server:
        url = (await server.event("listening"))["url"]
        token = token_in(tmp_path / "tokens" / "user-a.token")
        async with open_link(url, token) as link:
            assert await (await link.get(greeter)).greet("Ann") == "Hello, Ann."
            assert (await link.get(Questions, SessionScope("main"))).principal == Principal.user("a")


async def test_the_questions_may_be_served_by_other_rules(tmp_path):
    (tmp_path / "team.py").write_text(OPENLY)
    people = "--person", "alice", "--person", "bob"
    async with serve(tmp_path, "--json", *people, "--facet", "team:openly", cwd=tmp_path) as server:
        url = (await server.event("listening"))["url"]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask_remotely, url, tmp_path / "tokens" / "worker-main.token", [])
            way = "--url", url, "--token-file", tmp_path / "tokens" / "user-bob.token"
            async with kept(tmp_path, "watch", *way) as watch:
                assert "not yours; waiting for alice" in await watch.line_with("Run the build?")
            nursery.cancel_scope.cancel()


async def test_with_a_certificate_it_is_encrypted(tmp_path):
    cert, key = write_certificate(tmp_path)
    async with serve(tmp_path, "--json", "--person", "a", "--tls-cert", cert, "--tls-key", key) as server:
        url = (await server.event("listening"))["url"]
        assert url.startswith("wss://")
        way = "--url", url, "--token-file", tmp_path / "tokens" / "user-a.token"
        assert (await run("watch", "--once", *way, "--tls-ca", cert)).returncode == 0
        done = await run("watch", "--once", *way, "--wait", "0.5")
        assert (done.returncode, "its certificate is not trusted" in done.stderr) == (5, True)


async def test_pages_of_other_origins_are_let_in_if_they_are_named(tmp_path):
    async with serve(tmp_path, "--json", "--origin", "https://page.example") as server:
        url = (await server.event("listening"))["url"]

        def dial(origin):
            with connect(url, origin=origin, subprotocols=[Subprotocol(SUBPROTOCOL)], close_timeout=1):
                pass

        await trio.to_thread.run_sync(dial, "https://page.example")
        with pytest.raises(InvalidStatus):
            await trio.to_thread.run_sync(dial, "https://other.example")


async def test_the_log_says_who_was_refused_and_has_no_token_in_it(tmp_path):
    async with serve(tmp_path, "--json", "--person", "a", "--verbose") as server:
        way = "--url", (await server.event("listening"))["url"]
        good = token_in(tmp_path / "tokens" / "user-a.token")
        bad = good[:-4] + "cafe"
        assert (await run("watch", "--once", *way, QUESTIONS_TOKEN=good)).returncode == 0
        assert (await run("watch", "--once", *way, QUESTIONS_TOKEN=bad)).returncode == 5
        await server.stop()
        assert "a token was refused: its signature is wrong" in server.errors
        assert not any(part in server.errors for part in [*good.split("."), *bad.split(".")])
