"""What was acknowledged is on the disk: after a loss of power, with a full disk, and when a process is killed."""

import subprocess
import sys
from itertools import count

import pytest

from questions.durable import sqlite_commits
from questions.durable.errors import StoreUnavailable
from questions.durable.sqlite_commits import Writer
from questions.testing.engine_stage import THINGS, commit, put
from tests.questions.durable.losing_power import Disk
from tests.questions.durable.sqlite_stages import TABLES, SqliteStage

names = (f"losing-power-{number}" for number in count())


@pytest.fixture
def disk():
    disk = Disk(next(names))
    yield disk
    disk.unregister()


@pytest.fixture
def writer(tmp_path, disk, monkeypatch):
    monkeypatch.setattr(sqlite_commits, "_WORTH", 30)  # the log is copied, and started again, on the way
    writer = Writer(tmp_path / "store.sqlite3", TABLES, lambda: 0, 5, disk.name)
    writer.open()
    yield writer
    writer.close()


async def found_after(disk, folder):
    """The keys in what survives."""
    folder.mkdir()
    disk.cut_the_power(folder)
    async with SqliteStage(folder).open() as backend:
        return {row.key for row in (await backend.get(THINGS, [f"k{number}" for number in range(300)])).rows}


async def lost(disk, writer, folder):
    """What of all that was acknowledged is not there after a loss of power, tried several times on the way."""
    acknowledged, gone = set(), set()
    for number in range(300):
        assert writer.take([commit(put(f"k{number}", value="x" * 4000))]) == [None]
        acknowledged.add(f"k{number}")
        if number % 20 == 19:
            writer.tidy()
        if number % 50 == 7:
            gone |= acknowledged - await found_after(disk, folder / f"after{number}")
    return gone


async def test_what_was_acknowledged_survives_a_loss_of_power(disk, writer, tmp_path):  # case 122
    assert await lost(disk, writer, tmp_path) == set()


async def test_without_syncing_it_would_not(disk, writer, tmp_path):
    """The disk above tells one from the other."""
    writer._line.connection().pragma("synchronous", "off")
    assert await lost(disk, writer, tmp_path)


async def test_a_full_disk_changes_nothing_and_is_forgotten_when_there_is_space(tmp_path):  # case 125
    stage = SqliteStage(tmp_path)
    async with stage.open() as backend:
        await backend.commit(commit(put("a")))
        connection = backend._turns._take.__self__._line.connection()
        await backend._turns.run(connection.pragma, "max_page_count", connection.pragma("page_count") + 10)
        edge = (await backend.changes(-1)).upto
        with pytest.raises(StoreUnavailable, match=r"disk is full.*nothing was changed"):
            await backend.commit(commit(put("a", 1, "x" * 100_000), put("b")))
        assert [row.version for row in (await backend.get(THINGS, ["a", "b"])).rows] == [1]
        assert (await backend.changes(-1)).upto == edge
        await backend._turns.run(connection.pragma, "max_page_count", 1_000_000)
        await backend.commit(commit(put("a", 1, "x" * 100_000), put("b")))


FILLS = """
import resource, signal, sys
import trio
from questions.durable import sqlite_commits
from questions.durable.errors import StoreUnavailable
from questions.testing.engine_stage import THINGS, commit, put
from tests.questions.durable.sqlite_stages import SqliteStage

async def main():
    async with SqliteStage(sys.argv[1]).open() as backend:
        await backend.commit(commit(put("a")))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, resource.RLIM_INFINITY))
        try:
            await backend.commit(commit(put("a", 1, "x" * 200_000)))
        except StoreUnavailable as error:
            print(error.unknown, [row.version for row in (await backend.get(THINGS, ["a"])).rows])
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        await backend.commit(commit(put("a", 1, "y" * 200_000)))
        print([row.version for row in (await backend.get(THINGS, ["a"])).rows])

trio.run(main)
"""


def test_a_write_that_the_system_refuses_changes_nothing(tmp_path):
    command = [sys.executable, "-c", FILLS, str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.stdout, ended.stderr) == ("False [1]\n[2]\n", "")


COMMITS = """
import sys
import trio
from questions.testing.engine_stage import commit, put
from tests.questions.durable.sqlite_stages import SqliteStage

async def main():
    async with SqliteStage(sys.argv[1]).open() as backend:
        for number in range(100_000):
            await backend.commit(commit(put(f"k{number}"), put(f"l{number}")))
            print(number, flush=True)

trio.run(main)
"""


def killed_after(acknowledged, folder):
    """The last commit that a process said was done, killed while it goes on."""
    command = [sys.executable, "-c", COMMITS, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(acknowledged)]
        process.kill()
        return max(map(int, [*told, *process.stdout.read().split()]))


@pytest.mark.parametrize("acknowledged", [1, 20, 77])
async def test_who_is_killed_loses_nothing_that_was_acknowledged(tmp_path, acknowledged):  # case 122, case 123
    last = killed_after(acknowledged, tmp_path)
    async with SqliteStage(tmp_path).open() as backend:
        for letter in "kl":
            rows = (await backend.get(THINGS, [f"{letter}{number}" for number in range(last + 1)])).rows
            assert [row.version for row in rows] == [1] * (last + 1)
        both = await backend.get(THINGS, [f"k{last + 1}", f"l{last + 1}"])
        assert len(both.rows) in (0, 2)
