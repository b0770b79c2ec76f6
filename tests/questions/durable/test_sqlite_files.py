"""Whose turn it is to write, and on which disks a file can be."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from questions.durable import sqlite_files
from questions.durable.errors import StoreUnavailable
from questions.durable.sqlite import open_sqlite
from questions.durable.sqlite_files import WriteLock, disk_of, identity, make
from tests.questions.durable.sqlite_stages import TABLES

MOUNTS = r"""
22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
28 22 0:25 / /dev/shm rw,nosuid,nodev shared:4 - tmpfs tmpfs rw
98 22 0:53 /export /mnt/team rw,relatime shared:52 - nfs4 files:/export rw,vers=4.2
99 22 0:54 / /mnt/with\040blank rw shared:53 master:1 - cifs //files/share rw
100 22 0:55 / /mnt/covered rw - nfs files:/old rw
101 22 254:2 / /mnt/covered rw - ext4 /dev/vdb1 rw
""".strip()

HOLDS = """
import sys
from pathlib import Path
from questions.durable.sqlite_files import WriteLock
with WriteLock(Path(sys.argv[1])).held(5):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/srv/store.sqlite3", "ext4"),
        ("/dev/shm/x/store.sqlite3", "tmpfs"),
        ("/mnt/team/a/store.sqlite3", "nfs4"),
        ("/mnt/teamwork/store.sqlite3", "ext4"),
        ("/mnt/with blank/store.sqlite3", "cifs"),
        ("/mnt/covered/store.sqlite3", "ext4"),
    ],
)
def test_a_disk_is_the_one_mounted_nearest_and_last(path, kind):
    assert disk_of(Path(path), MOUNTS) == kind


async def test_a_network_disk_is_refused_with_its_kind(tmp_path, monkeypatch):  # case 126
    table = tmp_path / "mounts"
    table.write_text(f"98 22 0:53 / {tmp_path} rw - nfs4 files:/export rw\n")
    monkeypatch.setattr(sqlite_files, "MOUNTS", table)
    with pytest.raises(StoreUnavailable, match=r"network disk \(nfs4\).*PostgreSQL"):
        async with open_sqlite(tmp_path / "store.sqlite3", TABLES):
            pass
    assert list(tmp_path.iterdir()) == [table]


def test_a_file_is_made_for_its_owner_alone_and_never_emptied(tmp_path):
    path = tmp_path / "store"
    make(path)
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("something")
    make(path)
    assert path.read_text() == "something"


def test_a_file_that_is_gone_is_missed(tmp_path):
    with pytest.raises(StoreUnavailable, match="cannot be found"):
        identity(tmp_path / "store")


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock."""
    command = [sys.executable, "-c", HOLDS, str(tmp_path / "store")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


@pytest.fixture
def lock(tmp_path):
    lock = WriteLock(tmp_path / "store")
    yield lock
    lock.close()


def waiting_threads():
    return [thread for thread in threading.enumerate() if thread.name == "questions: waiting to write"]


def test_a_lock_that_is_held_elsewhere_is_waited_for_only_so_long(lock, holder):
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="another process"), lock.held(0.02):
            pass


def test_who_is_killed_frees_the_lock_and_nobody_waits_on(lock, holder):
    with pytest.raises(StoreUnavailable), lock.held(0.02):
        pass
    holder.kill()
    with lock.held(5):
        pass
    assert not waiting_threads()


def test_a_lock_that_comes_too_late_is_let_go(tmp_path, lock, holder):
    with pytest.raises(StoreUnavailable), lock.held(0.02):
        pass
    [waiting] = waiting_threads()
    holder.kill()
    waiting.join(5)
    other = WriteLock(tmp_path / "store")
    with other.held(5), pytest.raises(StoreUnavailable), lock.held(0.02):
        pass
    other.close()


def test_closing_does_not_wait_for_who_stands_still(tmp_path, holder):
    lock = WriteLock(tmp_path / "store")
    with pytest.raises(StoreUnavailable), lock.held(0.02):
        pass
    [waiting] = waiting_threads()
    lock.close()
    holder.kill()
    waiting.join(5)
    other = WriteLock(tmp_path / "store")
    with other.held(5):
        pass
    other.close()


def test_who_has_just_written_is_not_first_again(tmp_path):
    """Two that always want to write take turns."""
    order = []
    ready = threading.Barrier(2)

    def write(name):
        lock = WriteLock(tmp_path / "store")
        ready.wait()
        for _ in range(50):
            with lock.held(5):
                order.append(name)
        lock.close()

    threads = [threading.Thread(target=write, args=[name]) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(order) == 100
