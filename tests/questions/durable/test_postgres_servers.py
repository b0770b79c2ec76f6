"""Servers of PostgreSQL that end, crash, come back, or write nothing: nothing acknowledged is lost."""

import os
import shutil
import signal

import pytest
import trio

from questions.durable import postgres_connection
from questions.durable.errors import StoreUnavailable
from questions.testing.engine_stage import THINGS, commit, put
from tests.questions.durable.postgres_server import new_server
from tests.questions.durable.postgres_stages import PostgresStage


@pytest.fixture(scope="module")
def server():
    server = new_server()
    server.start()
    yield server
    server.stop()
    shutil.rmtree(server.folder)


@pytest.fixture
def stage(server):
    return PostgresStage(server.address)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])
async def test_a_server_that_ends_under_load_and_comes_back_costs_time_alone(server, stage, how):
    """SIGQUIT is a crash."""
    done = trio.Event()

    async def keep_writing(engine, key, acknowledged):
        while not done.is_set():
            await engine.commit(commit(put(key, acknowledged[key])))
            acknowledged[key] += 1

    async with stage.open(patience=60) as backend, stage.open(patience=60) as second:
        versions = {f"k{number}": 0 for number in range(20)}
        async with trio.open_nursery() as nursery:
            for number, key in enumerate(versions):
                nursery.start_soon(keep_writing, (backend, second)[number % 2], key, versions)
            while min(versions.values()) < 3:
                await backend.now()
            await trio.to_thread.run_sync(server.stop, how)
            await trio.to_thread.run_sync(server.start)
            before = dict(versions)
            while any(versions[key] < before[key] + 3 for key in versions):
                await second.now()
            done.set()
        rows = (await backend.get(THINGS, list(versions))).rows
        assert {row.key: row.version for row in rows} == versions
        told = [line.notice for line in (await backend.changes(0, 100_000)).lines]
        assert {key: [line.version for line in told if line.key == key] for key in versions} == {
            key: list(range(1, version + 1)) for key, version in versions.items()
        }


async def test_without_a_server_one_is_told_so_and_with_it_all_goes_on(server, stage):
    async with stage.open(patience=0.2) as backend:
        await backend.commit(commit(put("a")))
        await trio.to_thread.run_sync(server.stop)
        try:
            for ask in (backend.now, lambda: backend.commit(commit(put("a", 1))), lambda: backend.moved(10**30)):
                with pytest.raises(StoreUnavailable) as refusal, trio.fail_after(10):
                    await ask()
                assert not refusal.value.unknown
        finally:
            await trio.to_thread.run_sync(server.start)
        await backend.commit(commit(put("a", 1)))
        assert (await backend.get(THINGS, ["a"])).rows[0].version == 2


async def test_a_server_that_only_reads_refuses_at_once_and_is_taken_again_when_it_writes(stage):
    async with stage.open():
        await stage.execute("alter database postgres set default_transaction_read_only = on")
        async with stage.open(patience=60) as backend:
            try:
                with pytest.raises(StoreUnavailable, match="read-only"), trio.fail_after(10):
                    await backend.commit(commit(put("a")))
                assert not (await backend.get(THINGS, ["a"])).rows
            finally:
                await stage.execute("begin read write; alter database postgres reset all; commit")
            await backend.commit(commit(put("a")))


async def test_a_full_disk_is_told_and_nothing_is_changed(stage):
    async with stage.open() as backend:
        await backend.commit(commit(put("a")))
        await stage.execute(
            "create function no_room() returns trigger language plpgsql as $$ begin raise disk_full; end $$"
        )
        await stage.execute("create trigger no_room before update on things execute function no_room()")
        with pytest.raises(StoreUnavailable) as refusal:
            await backend.commit(commit(put("a", 1)))
        assert not refusal.value.unknown
        await stage.execute("drop trigger no_room on things")
        assert (await backend.get(THINGS, ["a"])).rows[0].version == 1
        await backend.commit(commit(put("a", 1)))


async def test_a_session_that_does_not_answer_is_given_up_for_another(stage, monkeypatch):
    monkeypatch.setattr(postgres_connection, "_SILENCE", 0.5)
    async with stage.open() as backend:
        await backend.commit(commit(put("a")))
        sessions = await stage.execute("select pid from pg_stat_activity where application_name = 'questions'")
        for (pid,) in sessions:
            os.kill(pid, signal.SIGSTOP)
        try:
            await backend.commit(commit(put("a", 1)))
            assert (await backend.get(THINGS, ["a"])).rows[0].version == 2
        finally:
            for (pid,) in sessions:
                os.kill(pid, signal.SIGCONT)
