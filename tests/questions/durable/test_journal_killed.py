"""A host with a journal is killed and started again: durable questions are open, and live ones are named as lost."""

import pytest
import trio

from questions.durable import open_store
from tests.questions.durable import journalled_program
from tests.questions.durable.asking import open_on
from tests.questions.durable.journalling import has_rows
from tests.questions.durable.postgres_stages import PostgresStage
from tests.questions.durable.test_asks_killed import running
from tests.rules import rule

DURABLE = sorted(f"Go with durable-{number}?" for number in range(5))


@pytest.fixture(params=["sqlite", "postgres"])
def where(request, tmp_path):
    if request.param == "sqlite":
        yield str(tmp_path)
    else:
        stage = PostgresStage()
        yield stage.address
        stage.drop()


async def said(process):
    """What it says until it holds its questions and has reported two as lost."""
    lines = [await process.line() for _ in range(3)]
    assert sorted(word for word, *_ in lines) == ["holds", "lost", "lost"]
    [ids] = [rest for word, *rest in lines if word == "holds"]
    return ids, {id: " ".join(message) for word, id, *message in lines if word == "lost"}


@rule("Q-SET-4")
async def test_after_a_kill_five_are_open_with_the_same_ids_two_are_lost_and_none_is_denied(where):
    async with open_store(where) as store:
        async with running(where, program=journalled_program.__name__) as first:
            [_, *ids] = await first.line()
            live = await has_rows(store, 2)
            await first.kill()
        async with running(where, program=journalled_program.__name__) as second:
            again, lost = await said(second)
            assert (len(again), again) == (5, ids)
            assert set(lost) == set(live)
            assert sorted(lost.values()) == ["Go with live-0?", "Go with live-1?"]
            async with open_on(store) as place:
                viewer = await place.viewer()
                open = {one.id: one.message for one in viewer.open.value.values()}
                assert (sorted(open), sorted(open.values())) == (ids, DURABLE)
                assert not viewer.closed.value
            assert not set(await has_rows(store, 2)) & set(live), "reported, and removed"
            await second.kill()
        with trio.fail_after(20):
            left = await has_rows(store, 2)
        async with running(where, program=journalled_program.__name__) as third:
            assert set((await said(third))[1]) == set(left), "each life's own, and once"
