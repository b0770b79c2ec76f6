"""A store in a file: whose it is, how it grows, and what is in the way of it."""

import stat
import subprocess
import sys
import threading

import apsw
import pytest
import trio
import trio.testing
from msgspec.structs import replace

from facets.errors import MissingExtra
from questions.durable.backend import Index, Scan
from questions.durable.errors import StoreUnavailable
from questions.durable.sqlite import open_sqlite
from questions.durable.sqlite_connection import check_library
from questions.durable.sqlite_tables import Relation
from questions.testing.engine_stage import THINGS, WORDS, commit, put
from tests.questions.durable.sqlite_stages import TABLES, SqliteStage


@pytest.fixture
def stage(tmp_path):
    return SqliteStage(tmp_path)


async def value_of(backend, key="a"):
    return [row.value for row in (await backend.get(THINGS, [key])).rows]


def by_hand(path, *statements):
    """What another program does to the file."""
    connection = apsw.Connection(str(path))
    try:
        return [connection.execute(statement).fetchall() for statement in statements][-1]
    finally:
        connection.close()


FOREIGN = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute(sys.argv[2])
connection.execute("insert into words (_key, _version) values ('theirs', 1)")
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def foreign():
    """Starts a program that knows nothing of the store's own lock, and keeps the file locked."""
    started = []

    def start(path, begin):
        command = [sys.executable, "-c", FOREIGN, str(path), begin]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def our_threads():
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("questions:")]


# Opening


async def test_all_files_are_for_their_owner_alone(stage, tmp_path):
    async with stage.open() as backend:
        await backend.commit(commit(put("a")))
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes["store.sqlite3"] == 0o600
    assert set(modes.values()) == {0o600}


async def test_a_folder_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(StoreUnavailable, match="No such file"):
        async with open_sqlite(tmp_path / "nowhere" / "store.sqlite3", TABLES):
            pass
    assert not our_threads()


async def test_without_apsw_one_is_told_what_to_install(stage, monkeypatch):
    monkeypatch.setitem(sys.modules, "apsw", None)
    for name in [name for name in sys.modules if name.startswith("questions.durable.sqlite_")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtra, match=r"question-broker\[sqlite\]"):
        async with stage.open():
            pass


def test_an_old_library_is_refused_where_no_lock_keeps_writers_apart(monkeypatch):
    check_library("3.40.1")
    monkeypatch.setattr("questions.durable.sqlite_connection.HAS_LOCKS", False)
    check_library("3.51.3")
    with pytest.raises(StoreUnavailable, match=r"SQLite 3\.51\.2 can lose commits"):
        check_library("3.51.2")


async def test_every_commit_is_synced_and_the_log_is_copied_by_the_writer_alone(stage):
    async with stage.open() as backend:
        writing = backend._turns._take.__self__._line
        asked = ("journal_mode", "synchronous", "wal_autocheckpoint")
        told = await backend._turns.run(lambda: [writing.connection().pragma(name) for name in asked])
    assert told == ["wal", 2, 0]


# Files of others


async def refused(stage, words, tables=TABLES):
    before = stage.path.read_bytes()
    with pytest.raises(StoreUnavailable, match=words):
        async with stage.open(tables):
            pass
    assert stage.path.read_bytes() == before
    assert not our_threads()


async def test_a_database_of_another_program_is_left_alone(stage):
    by_hand(stage.path, "create table photos (id)")
    await refused(stage, "belongs to another program")


async def test_what_is_no_database_is_left_alone(stage):
    stage.path.write_text("Dear diary, " * 1000)
    await refused(stage, "not a database")


async def test_a_later_format_is_refused(stage):
    async with stage.open():
        pass
    by_hand(stage.path, "pragma user_version = 2", "pragma wal_checkpoint(truncate)")
    await refused(stage, "later version.*update this program")


async def test_a_table_with_a_column_that_is_not_known_is_refused(stage):
    later = replace(THINGS, columns={**THINGS.columns, "mood": str})
    async with stage.open([later]):
        pass
    by_hand(stage.path, "pragma wal_checkpoint(truncate)")
    await refused(stage, r"later version.*things\.column\.mood")


async def test_a_file_that_was_cut_off_is_damaged_and_says_so(stage):
    async with stage.open() as backend:
        await backend.commit(commit(*(put(f"k{number}", value="x" * 1000) for number in range(200))))
    by_hand(stage.path, "pragma wal_checkpoint(truncate)")
    with stage.path.open("r+b") as file:
        file.truncate(stage.path.stat().st_size // 2)
    with pytest.raises(StoreUnavailable, match=r"damaged.*keep a copy"):
        async with stage.open() as backend:
            await backend.scan(Scan(THINGS, "all", (), 200))


async def test_what_is_no_text_comes_out_unreadable_and_stays(stage):
    async with stage.open() as backend:
        await backend.commit(commit(put("a"), put("b")))
        by_hand(stage.path, "update things set _value = cast(x'ff7b' as text) where _key = 'a'")
        assert await value_of(backend) == ["\udcff{"]
        assert (await backend.scan(Scan(THINGS, "all", (), 9))).rows[1].value == "v"
    assert by_hand(stage.path, "select hex(_value) from things where _key = 'a'") == [("FF7B",)]


# Migrations


async def test_a_column_and_an_index_that_come_later_are_added_with_a_record(stage):
    before = replace(THINGS, columns={"state": str, "rank": int}, indexes=())
    async with stage.open([before]) as backend:
        await backend.commit(commit(put("a", state="open"), put("b", state="closed")))
    async with stage.open() as backend:
        await backend.commit(commit(put("c", owner="ana", due=7)))
        assert await backend.count(THINGS, "by_state", ("open",)) == 2
        assert [row.key for row in (await backend.scan(Scan(THINGS, "due", ("open",), 9))).rows] == ["c"]
    recorded = [name for (name,) in by_hand(stage.path, "select name from _migrations")]
    assert {"things", "words", "things.column.due", "things.index.by_state"} <= set(recorded)


async def test_a_migration_that_fails_leaves_nothing_of_itself(stage):
    async with stage.open([WORDS]):
        pass
    wrong = replace(THINGS, indexes=(Index("all", (), "nothing"),))
    with pytest.raises(StoreUnavailable):
        async with stage.open([wrong]):
            pass
    assert by_hand(stage.path, "select count(*) from sqlite_schema where name = 'things'") == [(0,)]
    async with stage.open() as backend:
        await backend.commit(commit(put("a")))


# Locks of others


async def test_a_lock_of_another_program_is_waited_for_only_so_long(stage, foreign):
    async with stage.open(patience=0.05) as backend:
        await backend.commit(commit(put("a")))
        shell = foreign(stage.path, "begin immediate")
        with pytest.raises(StoreUnavailable, match="another program has locked it"):
            await backend.commit(commit(put("a", 1, "new")))
        assert await value_of(backend) == ["v"]
        shell.kill()
        shell.wait()
        await backend.commit(commit(put("a", 1, "new")))
        assert await value_of(backend) == ["new"]


async def test_one_that_lets_go_in_time_is_not_noticed(stage, foreign):
    async with stage.open() as backend, trio.open_nursery() as nursery:
        shell = foreign(stage.path, "begin immediate")
        nursery.start_soon(backend.commit, commit(put("a")))
        await trio.testing.wait_all_tasks_blocked(0.02)
        shell.kill()


async def test_a_file_that_is_locked_for_reading_too_is_not_available(stage, foreign):
    async with stage.open():
        pass
    foreign(stage.path, "pragma locking_mode = exclusive")
    with pytest.raises(StoreUnavailable, match="locked"):
        async with stage.open(patience=0.05):
            pass


# Files that go away


async def test_a_file_that_is_gone_is_missed_and_used_again_when_it_is_back(stage, tmp_path):
    async with stage.open() as backend:
        await backend.commit(commit(put("a")))
        stage.path.rename(tmp_path / "away")
        for use in (backend.commit(commit(put("a", 1))), value_of(backend), backend.moved(1)):
            with pytest.raises(StoreUnavailable, match="cannot be found"):
                await use
        assert not stage.path.exists()
        (tmp_path / "away").rename(stage.path)
        await backend.commit(commit(put("a", 1, "new")))
        assert await value_of(backend) == ["new"]


async def test_a_file_put_in_its_place_is_used(stage, tmp_path):
    other = SqliteStage(tmp_path / "other")
    other.path.parent.mkdir()
    async with other.open() as backend:
        await backend.commit(commit(put("a", value="theirs")))
    by_hand(other.path, "pragma wal_checkpoint(truncate)")
    async with stage.open() as backend:
        await backend.commit(commit(put("a"), put("b")))
        for suffix in ("-wal", "-shm"):
            (tmp_path / f"store.sqlite3{suffix}").unlink()
        other.path.rename(stage.path)
        assert await value_of(backend) == ["theirs"]
        assert (await backend.changes(2)).gap
        await backend.commit(commit(put("a", 1, "ours")))
    assert by_hand(stage.path, "select _value from things") == [("ours",)]


# Commits


async def test_what_sqlite_cannot_take_is_refused_alone(stage):
    ends = {}

    async def send(backend, key, **columns):
        try:
            await backend.commit(commit(put(key, **columns)))
            ends[key] = "done"
        except Exception as error:
            ends[key] = type(error).__name__

    async with stage.open() as backend:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(send, backend, "a")
            nursery.start_soon(lambda: send(backend, "number", rank="high"))
            nursery.start_soon(lambda: send(backend, "text", owner="\ud800"))
            nursery.start_soon(send, backend, "z")
        assert ends == {"a": "done", "number": "ConstraintError", "text": "UnicodeEncodeError", "z": "done"}
        assert await backend.count(THINGS, "all", ()) == 2


async def test_a_deleted_key_is_forgotten_with_its_line_of_the_feed(stage):
    async with stage.open() as backend:
        await backend.commit(commit(put("a"), put("b")))
        await backend.commit(commit(put("a", 1, None)))
        for turn in range(20):
            await backend.commit(commit(*(put(f"k{turn}.{number}") for number in range(1000))))
    assert by_hand(stage.path, "select _key from things where _key in ('a', 'b')") == [("b",)]
    [(lines,)] = by_hand(stage.path, "select count(*) from _feed")
    assert 16_384 <= lines <= 16_384 + 2048


async def test_counters_are_right_whoever_writes(stage):
    async with stage.open() as backend:
        await backend.commit(commit(put("a"), put("b"), put("c", state="closed")))
        by_hand(
            stage.path, "update things set state = 'closed' where _key = 'a'", "delete from things where _key = 'b'"
        )
        counts = [await backend.count(THINGS, "by_state", (state,)) for state in ("open", "closed")]
    assert counts == [0, 2]


async def test_the_log_is_copied_when_it_is_worth_it(stage, tmp_path):
    async with stage.open() as backend:
        for turn in range(12):
            await backend.commit(commit(*(put(f"k{turn}.{number}", value="x" * 4000) for number in range(200))))
        assert (tmp_path / "store.sqlite3-wal").stat().st_size < 10_000_000
        assert stage.path.stat().st_size > 4_000_000


async def test_who_reads_for_long_keeps_the_log_back_and_nobody_else(stage, tmp_path):
    log = tmp_path / "store.sqlite3-wal"
    async with stage.open() as backend:
        await backend.commit(commit(put("a")))
        reader = apsw.Connection(str(stage.path))
        assert reader.execute("begin; select _key from things").fetchall() == [("a",)]
        for turn in range(30):
            await backend.commit(commit(*(put(f"k{turn}.{number}", value="x" * 4000) for number in range(200))))
        assert log.stat().st_size > 20_000_000
        reader.close()
        for turn in range(100):  # it begins anew with the first write after all of it was copied
            await backend.commit(commit(put("a", turn + 1, f"{turn:04}" * 250_000)))
            if log.stat().st_size <= 16 * 1024 * 1024:
                break
        else:
            pytest.fail("the log stays as long as it was")


@pytest.mark.parametrize("after", [None, (5, "k")])
@pytest.mark.parametrize("index", THINGS.indexes, ids=lambda index: index.name)
async def test_scans_go_by_their_index_and_sort_nothing(stage, index, after):
    async with stage.open():
        pass
    statement, values = Relation(THINGS).scanning(Scan(THINGS, index.name, ("x",) * len(index.equal), 9, 7, after))
    connection = apsw.Connection(str(stage.path))
    plan = [row[3] for row in connection.execute(f"explain query plan {statement}", values)]
    connection.close()
    assert len(plan) == 1
    assert f"USING INDEX things.{index.name} (" in plan[0]


@pytest.mark.parametrize("wait", ["moved", "commit", "nothing"])
async def test_after_a_cancelled_block_no_thread_is_left(stage, wait):  # case 100
    with trio.move_on_after(0.05):
        async with stage.open() as backend:
            match wait:
                case "moved":
                    await backend.moved(0)
                case "commit":
                    for number in range(100_000):
                        await backend.commit(commit(put(f"k{number}")))
            await trio.sleep_forever()
    assert not our_threads()
