"""`questions ask` as a process: what ends it withdraws its question, and a lost connection does not."""

import json
import signal
from contextlib import AsyncExitStack

import pytest
import trio

from questions.cli import codes
from tests.cli.house import ALICE, open_house
from tests.cli.processes import PATIENCE, kept
from tests.cli.terminal import Terminal

ASK = "ask", "confirm", "Go?", "--to", "alice", "--json"


def ask(house, *arguments):
    return kept(house.folder, *ASK, *arguments, *house.way("worker:main"))


async def gone(viewer):
    """How the only question has ended, once it has."""
    with trio.fail_after(PATIENCE):
        await viewer.closed.changed(0)
    return viewer.closed.value[0].how


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_withdraws_it_with_code_4(tmp_path, number):
    async with open_house(tmp_path) as house, ask(house) as process:
        viewer, id = await house.view(ALICE), await house.asked()
        assert id in viewer.open.value
        assert await process.stop(number) == codes.WITHDRAWN
        assert await gone(viewer) == "withdrawn"
        assert json.loads(await process.line())["outcome"] == "withdrawn"
        assert process.errors.endswith("Withdrawn; nothing was decided.\n")


async def test_on_a_terminal_one_line_counts_down_and_ctrl_c_withdraws(tmp_path):
    async with open_house(tmp_path) as house:

        def watch():
            with Terminal(*ASK, "--timeout", "5m", environment=house.environment("worker:main")) as terminal:
                terminal.wait_until(lambda terminal: "Waiting for alice; seen by nobody; 4:5" in terminal.text)
                terminal.type("\x03")
                return terminal.wait_for_exit(), terminal.is_as_before

        assert await trio.to_thread.run_sync(watch) == (codes.WITHDRAWN, True)
        assert not house.host.waiting.value


async def test_a_signal_before_anything_was_asked_is_130(tmp_path):
    way = "--url", "ws://127.0.0.1:1", "--wait", "60"
    async with kept(tmp_path, *ASK, *way, QUESTIONS_TOKEN="x") as process:
        await process.handles(signal.SIGTERM)
        assert await process.stop(signal.SIGINT) == codes.INTERRUPTED
        assert process.errors.strip() == "Interrupted; nothing was asked."


async def test_a_lost_connection_goes_on_by_itself(tmp_path):
    async with AsyncExitStack() as stack:
        async with open_house(tmp_path) as house:
            port = house.server.address[1]
            process = await stack.enter_async_context(ask(house, "--timeout", "5m"))
            await house.asked()
        async with open_house(tmp_path, port=port) as house:
            id = await house.asked()
            await (await house.view(ALICE)).answer(id, True)
            assert json.loads(await process.line())["answer"] is True
            assert await process.end() == codes.DONE
            assert "The connection is lost (" in process.errors


async def test_a_server_that_stays_away_is_5_once_the_time_is_over(tmp_path):
    async with AsyncExitStack() as stack:
        async with open_house(tmp_path) as house:
            process = await stack.enter_async_context(ask(house, "--timeout", "1s"))
            await house.asked()
        assert await process.end() == codes.UNREACHABLE
        assert "The time is over, and ws://127.0.0.1:" in process.errors


async def test_two_with_one_key_share_one_question_and_its_answer(tmp_path):
    async with open_house(tmp_path) as house, ask(house, "--key", "k") as one, ask(house, "--key", "k") as two:
        id = await house.asked()
        for process in (one, two):
            await process.error_with(f"Asked {id}.")
        assert await one.stop() == codes.WITHDRAWN  # it stays open for the other
        await (await house.view(ALICE)).answer(id, False)
        assert await two.end() == codes.DENIED
