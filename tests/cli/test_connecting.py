"""How commands reach a server: by which token, and what they say when they cannot. No token is ever an argument."""

import pytest
import trio

from tests.cli.house import open_house
from tests.cli.processes import run
from tests.cli.terminal import Terminal

BOTH = pytest.mark.parametrize("command", [["watch", "--once"], ["answer", "q_1", "yes"]], ids=" ".join)


@BOTH
async def test_without_a_server_it_is_5_and_says_why(tmp_path, command):
    done = await run(*command, "--url", "ws://127.0.0.1:1", "--wait", "0.1", QUESTIONS_TOKEN="x")
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr.startswith("ws://127.0.0.1:1 cannot be reached: connection refused. Does `questions serve` run")


async def test_a_name_that_there_is_not_is_5_too():
    done = await run("watch", "--insecure", "--url", "ws://no-such.invalid:1", "--wait", "0.1", QUESTIONS_TOKEN="x")
    assert (done.returncode, "ws://no-such.invalid:1 cannot be reached" in done.stderr) == (5, True)


async def test_what_is_no_link_server_is_5_too():
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")

    async def hang_up(stream):
        await stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, hang_up, listeners)
        url = f"ws://127.0.0.1:{listeners[0].socket.getsockname()[1]}"
        done = await run("watch", "--url", url, "--wait", "0.3", QUESTIONS_TOKEN="x")
        nursery.cancel_scope.cancel()
    assert (done.returncode, "what answers there serves no questions" in done.stderr) == (5, True)


@BOTH
async def test_a_token_that_is_not_accepted_is_5_and_not_quoted(tmp_path, command):
    async with open_house(tmp_path) as house:
        token = house.token()[:-4] + "cafe"
        done = await run(*command, "--url", house.server.url, QUESTIONS_TOKEN=token)
        assert (done.returncode, done.stdout) == (5, "")
        assert "the server did not accept the token" in done.stderr
        assert not any(part in done.stderr for part in token.split("."))


@BOTH
async def test_who_asks_is_told_that_the_token_is_not_for_this(tmp_path, command):
    async with open_house(tmp_path) as house:
        done = await house.run(*command, who="worker:main")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("This is the token of worker:main, which asks.")


async def test_the_environment_says_where_and_who(tmp_path):
    async with open_house(tmp_path) as house:
        done = await run("watch", "--once", QUESTIONS_URL=house.server.url, QUESTIONS_TOKEN=house.token())
        assert (done.returncode, done.stderr) == (0, "")


async def test_on_a_terminal_the_token_is_asked_for_and_not_shown(tmp_path):
    async with open_house(tmp_path) as house:
        environment = house.environment()
        token = environment.pop("QUESTIONS_TOKEN")

        def type_it():
            with Terminal("watch", "--once", environment=environment) as terminal:
                terminal.wait_until(lambda terminal: terminal.text.endswith(f"Your token for {house.server.url}: "))
                terminal.type(f"{token}\n")
                return terminal.wait_for_exit(), terminal.text

        code, text = await trio.to_thread.run_sync(type_it)
        assert (code, token in text) == (0, False)


async def test_without_a_terminal_a_token_is_needed():
    done = await run("watch", "--once")
    assert (done.returncode, done.stderr.startswith("Whose token? --token-file FILE")) == (2, True)


async def test_a_token_on_the_command_line_is_refused_and_not_quoted(tmp_path):
    async with open_house(tmp_path) as house:
        token = house.token()
        for place in (["--token-file", token], ["--url", token], ["--url", f"ws://127.0.0.1:1/?token={token}"]):
            done = await run("watch", *place, QUESTIONS_TOKEN="x")
            assert done.returncode == 2
            assert not any(part in done.stderr for part in token.split("."))


async def test_a_token_file_that_others_can_read_is_refused(tmp_path):
    async with open_house(tmp_path) as house:
        file = house.token_file()
        file.chmod(0o644)
        done = await run("watch", "--once", "--url", house.server.url, "--token-file", file)
        assert (done.returncode, "has mode 0644, so that others than its owner can use it" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--token-file", "none"],
            "token file none cannot be opened: No such file or directory\n`questions serve` names",
        ),
        (["--url", "http://127.0.0.1:1"], "is not where a server is"),
        (["--url", "ws://192.0.2.1:1"], "the token would cross the network as it is"),
        (["--tls-ca", "none"], "--tls-ca none: no such file or directory"),
        (["--session", "a\nb"], "$.scope.session: text of 1 to 200 code points"),
        (["--wait", "soon"], "seconds, 0 or more"),
    ],
)
async def test_options_that_cannot_be_used_are_told(arguments, words):
    done = await run("watch", "--once", *arguments, QUESTIONS_TOKEN="x")
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
