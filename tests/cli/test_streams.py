"""Closed, full and abandoned standard streams: what was decided stays what it was, and a yes is never made up."""

import os
import subprocess
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
import trio

from questions import Confirm, Option, Select
from questions.cli import codes
from tests.cli.house import ALICE, BOB, open_house
from tests.cli.processes import COMMAND, PATIENCE, environment, run

FULL = Path("/dev/full")
ASK = "ask", "confirm", "Go?", "--to", "alice"


@asynccontextmanager
async def started(command, **streams):
    process: Any = await trio.lowlevel.open_process(
        [*map(str, command)], **{"stdin": subprocess.DEVNULL, **streams}, env=environment()
    )
    try:
        yield process
    finally:
        with trio.CancelScope(shield=True):
            if process.poll() is None:
                process.kill()
            await process.wait()


async def ended(process):
    with trio.fail_after(PATIENCE):
        return await process.wait()


def ask(house):
    return [*COMMAND, *ASK, *house.way("worker:main")]


async def answer(house, value):
    id = await house.asked()
    await (await house.view(ALICE)).answer(id, value)


@pytest.mark.parametrize(("value", "code"), [(False, codes.DENIED), (True, codes.DONE)])
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
async def test_a_reader_that_has_gone_changes_no_answer(tmp_path, stream, value, code):
    reader, writer = os.pipe()
    other = {"stdout": "stderr", "stderr": "stdout"}[stream]
    streams = {stream: writer, other: subprocess.DEVNULL}
    async with open_house(tmp_path) as house, started(ask(house), **streams) as process:
        os.close(writer)
        await house.asked()
        os.close(reader)
        await answer(house, value)
        assert await ended(process) == code


async def test_who_hears_no_more_of_the_progress_gets_the_answers_all_the_same(tmp_path):
    reader, writer = os.pipe()
    async with open_house(tmp_path) as house:
        both = [*ask(house), "--to", "bob", "--policy", "all"]
        async with started(both, stderr=writer, stdout=subprocess.DEVNULL) as process:
            os.close(writer)
            id = await house.asked()
            os.close(reader)
            await (await house.view(ALICE)).answer(id, True)  # of which a line would be told
            await (await house.view(BOB)).answer(id, False)
            assert await ended(process) == codes.DENIED


@pytest.mark.parametrize(("value", "code"), [(False, codes.DENIED), (True, codes.USAGE)])
async def test_an_answer_that_cannot_be_written_is_no_success(tmp_path, value, code):
    async with open_house(tmp_path) as house:
        with FULL.open("wb") as full:  # noqa: ASYNC230
            async with started(ask(house), stdout=full, stderr=subprocess.PIPE) as process:
                await answer(house, value)
                assert await ended(process) == code
                told = (await process.stderr.receive_some()).decode()
    assert told.endswith("What there is to print cannot be written: No space left on device. What was done stands.\n")


@pytest.mark.parametrize(("value", "code"), [(False, codes.DENIED), (True, codes.DONE)])
async def test_without_any_stream_the_exit_code_says_it_all(tmp_path, value, code):
    closing_all = "sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-'
    async with open_house(tmp_path) as house, started([*closing_all, *ask(house)]) as process:
        await answer(house, value)
        assert await ended(process) == code


@pytest.mark.parametrize("command", [["token", "revoke", "-"], ["answer", "ID", "-"], ["ask", *ASK[1:]]])
async def test_a_closed_standard_input_is_an_empty_one(tmp_path, command):
    async with open_house(tmp_path) as house:
        id = await house.ask(Select("Where?", [Option("a", "A")]))
        command = [{"ID": id}.get(word, word) for word in command]
        way = ["--auth-keys", tmp_path / "keys.json"] if command[0] == "token" else house.way("user:alice")
        line = ["sh", "-c", 'exec "$0" "$@" <&-', *COMMAND, *command, *way]
        async with started(line, stderr=subprocess.PIPE) as process:
            assert await ended(process) == codes.USAGE
            assert b"internal error" not in await process.stderr.receive_some()


async def test_who_has_read_enough_of_a_list_ends_it_without_a_word(tmp_path):
    reader, writer = os.pipe()
    async with open_house(tmp_path) as house:
        await house.ask(Confirm("Go?"))
        command = [*COMMAND, "watch", "--json", *house.way("user:alice")]
        async with started(command, stdout=writer, stderr=subprocess.PIPE) as process:
            os.close(writer)
            with closing(os.fdopen(reader, "rb")) as output:
                assert b"connected" in await trio.to_thread.run_sync(output.readline)
            await house.ask(Confirm("And this?"))
            assert await ended(process) == codes.DONE
            assert await process.stderr.receive_some() == b""


async def test_nobody_to_complain_to_is_no_internal_error(tmp_path):
    with FULL.open("wb") as full:  # noqa: ASYNC230
        async with started([*COMMAND, "list", "--url", "nowhere"], stderr=full) as process:
            assert await ended(process) == codes.USAGE


async def test_a_locale_without_a_character_shows_its_code(tmp_path):
    async with open_house(tmp_path) as house:
        await house.ask(Confirm("Wörter?"))
        done = await house.run("list", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
        assert (done.returncode, r"W\xf6rter?" in done.stdout) == (0, True)
    assert (await run("list", "ä", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")).returncode == codes.USAGE
