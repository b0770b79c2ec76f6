"""`questions ask --durable`: what it asks outlives the command and the server."""

import json
import signal
from contextlib import asynccontextmanager

import pytest
import trio

from questions import Questions
from questions.cli import codes
from questions.durable import durable_asks, open_store
from tests.cli.house import ALICE, FACET, SCOPE, open_house
from tests.cli.processes import kept
from tests.rules import rule

ASK = "ask", "confirm", "Go?", "--to", "alice", "--key", "k", "--durable"
WORKER = "worker:main"


@asynccontextmanager
async def house_with_a_store(folder):
    store_folder = folder / "store"
    store_folder.mkdir(exist_ok=True)
    async with (
        open_store(store_folder) as store,
        open_house(folder, FACET.configured(durable=durable_asks(store))) as house,
    ):
        yield house


@rule("Q-KEY-4")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
async def test_its_question_stays_open_when_it_is_stopped_also_with_the_server(tmp_path, capsys, number):
    async with house_with_a_store(tmp_path) as house, kept(tmp_path, *ASK, "--json", *house.way(WORKER)) as process:
        id = await house.asked()
        code = await process.stop(number)
        if number != signal.SIGKILL:
            assert (code, json.loads(await process.line())["outcome"]) == (codes.STILL_OPEN, "open")
            assert "the question stays open. Ask again with --key k" in process.errors
    async with house_with_a_store(tmp_path) as house:
        viewer = await house.view(ALICE)
        assert list(viewer.open.value) == [id]
        await viewer.answer(id, False)
        code, out, _ = await house.main(capsys, " ".join(ASK), "--json", who=WORKER)
    async with house_with_a_store(tmp_path) as house:
        again, later, _ = await house.main(capsys, " ".join(ASK), "--json", who=WORKER)
    assert code == again == codes.DENIED
    for told in (json.loads(out), json.loads(later)):
        assert (told["id"], told["answer"], told["kept"]) == (id, False, True)


async def test_a_question_that_is_taken_back_meanwhile_ends_with_code_4(tmp_path, capsys):
    async with house_with_a_store(tmp_path) as house:
        told = []

        async def ask():
            told.append(await house.main(capsys, " ".join(ASK), who=WORKER))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            await house.asked()
            [principal] = [one.asker.principal for one in house.host.waiting.value.values()]
            async with house.host.root(principal=principal) as its:
                assert await (await its.get(Questions, SCOPE)).withdraw("k")
        [(code, out, err)] = told
        assert (code, out) == (codes.WITHDRAWN, "")
        assert "withdrawn by its asker" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("confirm", "Go?", "--to", "alice", "--durable"), "by which --key"),
        (("confirm", "Go?", "--present", "--durable", "--key", "k"), "who is present changes"),
        (("text", "Code?", "--secret", "--to", "alice", "--durable", "--key", "k"), "a secret is never stored"),
        (("confirm", "Go?", "--to", "alice", "--durable", "--key", "k"), "questions serve --root"),
    ],
)
async def test_what_cannot_be_durable_is_bad_usage_that_says_what_to_change(tmp_path, capsys, arguments, words):
    async with open_house(tmp_path) as house:
        code, out, err = await house.run_bare(capsys, "ask", *arguments, *house.way(WORKER))
    assert (code, out) == (codes.USAGE, "")
    assert words in err
