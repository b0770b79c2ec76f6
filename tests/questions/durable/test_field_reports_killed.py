"""Faults that users of other systems have met, with processes that are killed: what is asked stays asked, and once."""

import time
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio

from facets import Principal, Retryable
from facets.link import KeyRing, TokenIssuer
from facets.link.client import open_link
from questions import Confirm, Questions
from questions.durable import Caller, open_store
from questions.testing import Asking
from tests.questions.durable import deciding_program, serving_program
from tests.questions.durable.asking import ANA, GO, PATIENCE, SCOPE, result, shown
from tests.questions.durable.test_asks_killed import people, running
from tests.rules import rule

deciding = partial(running, program=deciding_program.__name__)
JOB = Principal.worker("s1")


@asynccontextmanager
async def desk(folder):
    """Ana's decisions in the store that the processes have."""
    async with open_store(folder) as store:
        with trio.fail_after(2 * PATIENCE):
            yield store.decisions(Caller(ANA))


async def test_an_answer_that_came_while_nobody_waited_is_there_for_every_process_that_waits_later(tmp_path):
    async with deciding(tmp_path, "flow") as raiser:
        [_, id] = await raiser.line()
        await raiser.kill()
    async with desk(tmp_path) as ana:
        answered = await ana.answer(id, option="no")
    for _ in range(2):
        async with deciding(tmp_path, "await", id) as later:
            assert await later.line() == ["got", id, "no", "2", str(answered.answer.at)]


async def test_decisions_are_open_after_a_kill_with_their_ids_and_none_is_denied(tmp_path):
    async with deciding(tmp_path, "hold", 5) as process:
        [_, *ids] = await process.line()
        await process.kill()
    async with desk(tmp_path) as ana:
        left = await ana.list("all")
        assert sorted((one.id, one.status, one.answer) for one in left) == [(id, "open", None) for id in ids]
    async with deciding(tmp_path, "hold", 5) as again:
        assert (await again.line())[1:] == ids


async def test_a_flow_that_is_killed_between_two_decisions_gets_the_first_from_the_record(tmp_path):
    async with deciding(tmp_path, "flow") as first, desk(tmp_path) as ana:
        [_, one] = await first.line()
        await ana.answer(one, option="no")
        assert (await first.line())[:3] == ["got", one, "no"]
        await first.line()
        await first.kill()
    async with deciding(tmp_path, "flow") as restored, desk(tmp_path) as ana:
        assert await restored.line() == ["waits", one]
        assert (await restored.line())[:3] == ["got", one, "no"]
        [_, two] = await restored.line()
        assert [decision.id for decision in await ana.list()] == [two]
        await ana.answer(two, option="yes")
        assert (await restored.line())[:3] == ["got", two, "yes"]


@rule("Q-KEY-1")
async def test_retries_of_processes_that_are_killed_are_one_question_and_all_get_its_result(tmp_path):
    async with people(tmp_path) as place:
        viewer = await place.viewer()
        async with running(tmp_path, "ask", "tool-42") as killed:
            ids = {(await killed.line())[1]}
            await killed.kill()
        ask = partial(running, tmp_path, "ask", "tool-42")
        async with ask() as second, ask() as third, ask() as fourth:
            tries = second, third, fourth
            ids |= {(await one.line())[1] for one in tries}
            [question] = await shown(viewer, "Go with tool-42?")
            assert ids == {question.id}
            await viewer.answer(question.id, True)
            assert [await one.line() for one in tries] == [["got", "True", "by", "ana"]] * 3


@rule("Q-KEY-2")
async def test_a_retry_with_another_question_replaces_that_of_the_killed_one_and_joins_nothing(tmp_path):
    async with people(tmp_path) as place:
        viewer = await place.viewer()
        async with running(tmp_path, "ask", "tool-42") as killed:
            [_, old] = await killed.line()
            await shown(viewer, "Go with tool-42?")
            await killed.kill()
        async with running(tmp_path, "ask", "tool-42", "Go further?") as other:
            await other.line()
            [question] = await shown(viewer, "Go further?")
            assert question.id != old
            assert [(one.id, one.how) for one in viewer.closed.value] == [(old, "superseded")]
            await viewer.answer(question.id, False)
            assert await other.line() == ["got", "False", "by", "ana"]


@asynccontextmanager
async def served(folder, port):
    async with running(folder, port, program=serving_program.__name__) as server:
        [port] = await server.line()
        yield server, int(port)


@rule("Q-KEY-3")
@pytest.mark.parametrize("answer", [True, False])
async def test_when_a_server_is_killed_durable_asks_go_on_and_live_ones_may_be_repeated(tmp_path, answer):
    """Neither is told that anybody has denied it."""
    issuer = TokenIssuer(KeyRing(tmp_path / "keys.json", create=True))
    tokens = [issuer.issue(who, time.time()).token for who in (JOB, ANA)]
    durable, live = [Asking() for _ in range(5)], [Asking() for _ in range(2)]
    async with trio.open_nursery() as nursery:
        async with served(tmp_path, 0) as (server, port):
            job, ana = [await nursery.start(linked, f"ws://127.0.0.1:{port}", token) for token in tokens]
            for number, asking in enumerate(durable):
                ask = partial(job.ask, GO, audience=[ANA], key=f"k{number}", durable=True)
                nursery.start_soon(asking.run, ask)
            for asking in live:
                nursery.start_soon(asking.run, partial(job.ask, Confirm("Live?"), audience=[ANA]))
            before = await open_count(ana, 7)
            await server.kill()
            for asking in live:
                with pytest.raises(Retryable) as lost:
                    await result(asking)
                assert "den" not in str(lost.value)
        async with served(tmp_path, port):
            again = await open_count(ana, 5)
            assert set(again) == {id for id in before if id.startswith("ask_")}
            for id in again:
                await ana.answer(id, answer)
            assert [(await result(asking)).answer for asking in durable] == [answer] * 5
        nursery.cancel_scope.cancel()


async def linked(url, token, task_status):
    async with open_link(url, token) as link:
        task_status.started(await link.get(Questions, SCOPE))
        await trio.sleep_forever()


async def open_count(viewer, count):
    with trio.fail_after(PATIENCE):
        async for value in viewer.open.changes():
            if len(value) == count:
                return list(value)
    raise AssertionError
