"""Deleted keys are remembered for as long as the feed tells of it, on every engine, and no longer."""

import psycopg
import pytest

from questions.durable import MemoryBackend
from questions.durable.backend import Conflict
from questions.testing.engine_stage import THINGS, commit, put
from tests.questions.durable.postgres_stages import TABLES, PostgresStage
from tests.questions.durable.sqlite_stages import SqliteStage

LINES = 5_000


@pytest.fixture
def stage():
    made = PostgresStage()
    yield made
    made.drop()


@pytest.fixture(params=["memory", "sqlite", "postgres"])
async def backend(request, tmp_path):
    """An engine of each kind, empty."""
    if request.param == "memory":
        yield MemoryBackend(TABLES)
    elif request.param == "sqlite":
        async with SqliteStage(tmp_path).open() as opened:
            yield opened
    else:
        stage = request.getfixturevalue("stage")
        async with stage.open() as opened:
            yield opened


async def test_a_deleted_key_is_new_again_once_the_feed_has_forgotten_it(backend):
    await backend.commit(commit(put("early"), put("kept")))
    await backend.commit(commit(put("early", 1, None)))
    for turn in range(8):
        await backend.commit(commit(*(put(f"k{turn}.{number}") for number in range(LINES))))
    await backend.commit(commit(put("late")))
    await backend.commit(commit(put("late", 1, None)))
    with pytest.raises(Conflict):
        await backend.commit(commit(put("late")))
    await backend.commit(commit(put("early", value="again")))
    found = await backend.get(THINGS, ["early", "kept", "late"])
    assert [(row.key, row.version, row.value) for row in found.rows] == [("early", 1, "again"), ("kept", 1, "v")]
    assert await backend.count(THINGS, "all", ()) == 8 * LINES + 2


async def test_who_is_about_to_be_refused_does_not_stop_the_trim(stage):
    async with stage.open() as backend:
        await backend.commit(commit(put("a"), put("b")))
        await backend.commit(commit(put("a", 1, None), put("b", 1, None)))
        await backend.commit(commit(put("c")))
        with psycopg.connect(stage.server) as other:
            other.execute(f"select from {stage.schema}.things where key = 'a' for update")
            await stage.execute("select _trim(0)")
            assert await stage.execute("select key from things order by key") == [("a",), ("c",)]
        await backend.commit(commit(put("d")))
        await stage.execute("select _trim(0)")
    assert await stage.execute("select key from things order by key") == [("c",), ("d",)]


async def test_a_store_of_the_version_before_forgets_what_it_has_deleted(stage):
    async with stage.open() as backend:
        await backend.commit(commit(put("a"), put("b")))
        await backend.commit(commit(put("a", 1, None)))
    for statement in ("alter table things drop column _gone", "delete from _tables"):
        await stage.execute(statement)
    await stage.execute("delete from _migrations where version = 2")
    async with stage.open() as backend:
        await backend.commit(commit(put("c")))
        await stage.execute("select _trim(0)")
    assert await stage.execute("select key from things order by key") == [("b",), ("c",)]
