"""The engine on PostgreSQL, where it is more than the conformance suite asks for."""

import sys
import threading
from contextlib import asynccontextmanager

import psycopg
import pytest
import trio

from facets import MissingExtra
from questions.durable.backend import Below, Conflict, GuardFailed, Index, Table, Unchanged
from questions.durable.errors import BadArgument, StoreUnavailable
from questions.durable.postgres import open_postgres
from questions.durable.postgres_connection import Line
from questions.testing import BACKEND_CASES
from questions.testing.engine_stage import THINGS, WORDS, commit, keys, put
from tests.questions.durable.postgres_stages import open_postgres_stage


@pytest.fixture
async def stage():
    async with open_postgres_stage() as stage:
        yield stage


@pytest.fixture
async def backend(stage):
    async with stage.open() as backend:
        yield backend


@asynccontextmanager
async def transaction(stage):
    """A transaction of somebody else, which ends with the block."""
    connection = await trio.to_thread.run_sync(lambda: psycopg.connect(stage.server))
    try:
        connection.execute(f"set search_path to {stage.schema}")
        yield connection
    finally:
        connection.close()


# The feed


async def test_a_line_that_is_committed_late_is_not_skipped(stage, backend):
    async with transaction(stage) as writer:
        # As a commit does: the lock of those who write, and then a number, lower than that of the commit below.
        number = stage.lock("writing")
        writer.execute("select pg_advisory_xact_lock_shared(%s), pg_current_xact_id()", [number])
        await backend.commit(commit(put("a")))
        assert not (await backend.changes(0)).lines
        writer.execute(
            "insert into _feed select pg_current_xact_id()::text::bigint, 1, 't', 0, 'things', 'x', 1, 'k', ''"
        )
        writer.commit()
    assert [line.notice.key for line in (await backend.changes(0)).lines] == ["x", "a"]


async def test_transactions_of_others_do_not_hold_the_feed_back(stage, backend):
    async with transaction(stage) as other:
        other.execute("select pg_current_xact_id()")
        await backend.commit(commit(put("a")))
        changes = await backend.changes(0)
        assert [line.notice.key for line in changes.lines] == ["a"]
        assert (await backend.changes(-1)).upto == changes.upto


# What it shares with others


async def test_counters_are_exact_after_a_crowd_in_several_openers(stage, backend):
    async def change(engine, key):
        for version in range(4):
            await engine.commit(commit(put(key, version, state="open" if version % 2 else "closed", owner="ana")))

    async with stage.open() as second, stage.open() as third, trio.open_nursery() as nursery:
        for number in range(30):
            nursery.start_soon(change, (backend, second, third)[number % 3], f"k{number}")
    assert await backend.count(THINGS, "by_state", ("open",)) == len(await keys(backend, "by_state", "open")) == 30
    assert await backend.count(THINGS, "by_state", ("closed",)) == 0


async def test_two_who_write_the_same_keys_in_other_orders_never_wait_in_a_circle(stage, backend):
    async def change(engine, number):
        names = [f"k{(number * step) % 7}" for step in range(1, 4)]
        for name in dict.fromkeys(names):
            version = next((row.version for row in (await engine.get(THINGS, [name])).rows), 0)
            with trio.fail_after(10):
                try:
                    await engine.commit(commit(put(name, version), put(f"new{number}{name}")))
                except Conflict:
                    continue

    before = await stage.execute("select deadlocks from pg_stat_database where datname = current_database()")
    async with stage.open() as second, trio.open_nursery() as nursery:
        for number in range(40):
            nursery.start_soon(change, (backend, second)[number % 2], number)
    assert await stage.execute("select deadlocks from pg_stat_database where datname = current_database()") == before


async def test_who_is_the_victim_of_a_deadlock_tries_again(stage, backend):
    await backend.commit(commit(put("a"), put("b")))
    async with transaction(stage) as other, trio.open_nursery() as nursery:
        other.execute("set local deadlock_timeout = '20s'")
        other.execute("select from things where key = 'b' for update")
        nursery.start_soon(backend.commit, commit(put("a", 1), put("b", 1)))
        await stage.blocked()
        await trio.to_thread.run_sync(other.execute, "select from things where key = 'a' for update")
        other.commit()
    assert [row.version for row in (await backend.get(THINGS, ["a", "b"])).rows] == [2, 2]


async def test_of_two_who_expect_that_the_other_is_not_there_only_one_gets_in(stage, backend):
    outcomes = []

    async def enter(engine, mine, other):
        try:
            await engine.commit(commit(put(mine), guards=[Unchanged(THINGS, other, 0)]))
            outcomes.append(mine)
        except Conflict:
            pass

    async with stage.open() as second:
        for number in range(10):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(enter, backend, f"a{number}", f"b{number}")
                nursery.start_soon(enter, second, f"b{number}", f"a{number}")
    assert sorted(key[1:] for key in outcomes) == [str(number) for number in range(10)]


async def test_a_limit_counts_those_who_came_while_one_waited_for_a_lock(stage, backend):
    await backend.commit(commit(put("a")))
    guard = Below(THINGS, "by_owner", ("ana", "open"), 1)

    async def enter():
        with pytest.raises(GuardFailed):
            await backend.commit(commit(put("a", 1), put("b", owner="ana"), guards=[guard]))

    async with stage.open() as second, transaction(stage) as other, trio.open_nursery() as nursery:
        other.execute("select from things where key = 'a' for update")
        nursery.start_soon(enter)
        await stage.blocked()
        await second.commit(commit(put("c", owner="ana")))
        other.commit()


# What cannot be stored


@pytest.mark.parametrize("value", ["a\0b", "\ud800"])
async def test_text_that_cannot_be_stored_is_refused_alone(backend, value):
    outcomes = {}

    async def send(key, value):
        try:
            await backend.commit(commit(put(key, value=value)))
            outcomes[key] = "done"
        except BadArgument:
            outcomes[key] = "refused"

    async with trio.open_nursery() as nursery:
        for number in range(6):
            nursery.start_soon(send, f"k{number}", value if number == 3 else "v")
    assert outcomes == {f"k{number}": "refused" if number == 3 else "done" for number in range(6)}
    with pytest.raises(BadArgument):
        await backend.get(THINGS, [value])


# The schema


async def test_a_schema_that_is_newer_than_what_is_known_is_left_alone(stage):
    async with stage.open():
        pass
    await stage.execute("insert into _migrations values (1000)")
    with pytest.raises(StoreUnavailable, match=r"version 1000.*newer version of this program"):
        async with stage.open():
            pass


async def test_many_who_open_a_new_store_at_once_make_it_once(stage):
    async def open_it():
        async with stage.open() as backend:
            await backend.now()

    async with trio.open_nursery() as nursery:
        for _ in range(6):
            nursery.start_soon(open_it)
    assert await stage.execute("select version from _migrations") == [(1,), (2,)]


async def test_a_table_gets_what_is_new_in_it_and_what_it_had_is_counted(stage):
    first = Table("notes", {"state": str, "rank": int}, (Index("all", (), "rank", counted=True),))
    second = Table(
        "notes",
        {"state": str, "rank": int, "owner": str},
        (*first.indexes, Index("state", ("state",), "rank", counted=True)),
    )
    async with stage.open([first]) as backend:
        await backend.commit(commit(put("a", table=first, state="ünï\x7f", rank=1), put("b", table=first, rank=2)))
    for _ in range(2):
        async with stage.open([second]) as backend:
            assert await backend.count(second, "state", ("ünï\x7f",)) == 1
            assert await backend.count(second, "all", ()) == 2


@pytest.mark.parametrize("name", ["Upper", "two words", "value"])
async def test_a_column_is_a_word_that_a_row_has_not_anyway(stage, name):
    with pytest.raises(ValueError, match=name):
        async with stage.open([Table("notes", {name: int})]):
            pass


# Sessions and threads


@pytest.mark.parametrize("case", BACKEND_CASES, ids=lambda case: case.__name__)
async def test_nothing_is_kept_in_a_session(case, monkeypatch):
    """As with a pooler that gives every transaction another session."""
    turn = Line._turn

    def one_turn(line, once):
        try:
            return turn(line, once)
        finally:
            line.close()

    monkeypatch.setattr(Line, "_turn", one_turn)
    await case(open_postgres_stage)


async def test_who_is_cancelled_in_the_middle_of_a_commit_leaves_no_thread_behind(stage):
    before = set(threading.enumerate())
    async with transaction(stage) as other, trio.open_nursery() as nursery:

        async def work():
            async with stage.open() as backend:
                await backend.commit(commit(put("a")))
                other.execute("select from things for update")
                started.set()
                await backend.commit(commit(put("a", 1)))

        started = trio.Event()
        nursery.start_soon(work)
        await started.wait()
        await stage.blocked()
        nursery.cancel_scope.cancel()
        other.rollback()
    assert not {thread for thread in set(threading.enumerate()) - before if "PostgreSQL" in thread.name}


async def test_without_psycopg_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for name in [name for name in sys.modules if name.startswith("questions.durable.postgres_")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtra, match=r"question-broker\[postgres\]"):
        async with open_postgres("postgresql://", [WORDS]):
            pass
