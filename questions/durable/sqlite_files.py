"""What belongs to a store in a file besides SQLite: who may write now, and on which disks it can be.

SQLite's own waiting is unfair, and can leave one of many writers waiting for seconds. So all openers queue at two
locks of the system before they write: whoever is next waits for its turn at the second, all others at the first, in
the order in which they came. A process that is killed frees its locks.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import StoreUnavailable

if sys.platform != "win32":
    import fcntl

__all__ = ["HAS_LOCKS", "MOUNTS", "WriteLock", "disk_of", "identity", "make", "refuse_network_disk"]

HAS_LOCKS = sys.platform != "win32"
MOUNTS = Path("/proc/self/mountinfo")

_NETWORK = frozenset(
    "9p afs beegfs ceph cifs coda fuse.ceph fuse.cephfs fuse.gcsfuse fuse.glusterfs fuse.goofys fuse.juicefs"
    " fuse.rclone fuse.s3fs fuse.sshfs gfs2 glusterfs gpfs lustre ncpfs nfs nfs4 ocfs2 orangefs pvfs2 smb2 smb3"
    " smbfs".split()
)


class WriteLock:
    """Whose turn it is to write, among all openers of one file. For one thread at a time.

    The files `-queue` and `-turn` beside `path` are empty, and for their owner alone.
    """

    def __init__(self, path: Path) -> None:
        self._queue, self._turn = (_open(Path(f"{path}{suffix}")) for suffix in ("-queue", "-turn"))
        self._waiting: _Waiting | None = None

    @contextmanager
    def held(self, seconds: float) -> Iterator[None]:
        """Hold it for the block. Raises `StoreUnavailable` if it cannot be had for so long."""
        if not self._acquire(seconds):
            raise StoreUnavailable(f"another process has been writing for {seconds:g} s, or stands still meanwhile")
        try:
            yield
        finally:
            self._release()

    def close(self) -> None:
        """Let go of the files."""
        if self._waiting is None or not self._waiting.leave(self._close):
            self._close()

    def _acquire(self, seconds: float) -> bool:
        if self._waiting is None or not self._waiting.want():
            if self._lock(wait=False):
                return True
            self._waiting = _Waiting(self._lock, self._release)
            self._waiting.start()
        return self._waiting.wait(seconds)

    def _lock(self, *, wait: bool) -> bool:
        """Nobody goes past the queue, so that who has just written cannot be first again."""
        if not HAS_LOCKS:
            return True
        how = fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB
        try:
            fcntl.flock(self._queue, how)
            try:
                fcntl.flock(self._turn, how)
            finally:
                fcntl.flock(self._queue, fcntl.LOCK_UN)
        except BlockingIOError:
            return False
        return True

    def _release(self) -> None:
        if HAS_LOCKS:
            fcntl.flock(self._turn, fcntl.LOCK_UN)

    def _close(self) -> None:
        for descriptor in (self._queue, self._turn):
            os.close(descriptor)


class _Waiting(threading.Thread):
    """Waits for a lock as long as that takes, since the system cannot be told to wait for a while only.

    Lives while somebody waits; but if who has the lock stands still, until that one goes on or ends.
    """

    def __init__(self, lock: Callable[..., object], release: Callable[[], None]) -> None:
        super().__init__(name="questions: waiting to write", daemon=True)
        self._lock, self._unwanted = lock, release
        self._deciding = threading.Lock()
        self._wanted, self._over = True, False

    def run(self) -> None:
        """The thread's."""
        self._lock(wait=True)
        with self._deciding:
            self._over = True
            if not self._wanted:
                self._unwanted()

    def want(self) -> bool:
        """Whether it is still waiting, and then not in vain."""
        with self._deciding:
            self._wanted = True
            return not self._over

    def wait(self, seconds: float) -> bool:
        """Whether it has the lock by then. If not, it lets it go when it comes."""
        self.join(seconds)
        with self._deciding:
            self._wanted = self._over
            return self._over

    def leave(self, then: Callable[[], None]) -> bool:
        """Whether it is still waiting; it does this when it has the lock."""
        with self._deciding:
            self._unwanted = then
            return not self._over


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)


def make(path: Path) -> None:
    """An empty file for its owner alone, if there is none, with its name on the disk. Raises `OSError`."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return
    if HAS_LOCKS:  # elsewhere folders cannot be synced
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def identity(path: Path) -> tuple[int, int]:
    """Which file that is, whatever its name. Raises `StoreUnavailable` if there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116  # at each use of a file, and half as long
    except OSError as error:
        faults = ("put the file back, or open the store anew",)
        raise StoreUnavailable(f"its file cannot be found: {error.strerror}", faults=faults) from error
    return found.st_dev, found.st_ino


def refuse_network_disk(path: Path) -> None:
    """Raises `StoreUnavailable` if the file would be on a disk of another machine."""
    try:
        kind = disk_of(Path(os.path.realpath(path)), MOUNTS.read_text("utf-8", "surrogateescape"))
    except OSError:  # this system has no such table
        return
    if kind in _NETWORK:
        raise StoreUnavailable(
            f"{path.name} would be on a network disk ({kind})",
            faults=("SQLite shares memory between its processes: use a disk of this machine, or PostgreSQL",),
        )


def disk_of(path: Path, mounts: str) -> str:
    """The kind of file system that holds a path, by a table as in /proc/self/mountinfo; "" if it does not say."""
    kinds: dict[str, str] = {}
    for line in mounts.splitlines():
        place, _, device = line.partition(" - ")
        # Of several at one place the last is on top. Blanks and the like are written as octal numbers.
        where = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), place.split()[4])
        kinds[where] = device.split()[0]
    return next((kinds[str(folder)] for folder in (path, *path.parents) if str(folder) in kinds), "")
