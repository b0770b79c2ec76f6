"""Files that only their owner may read: read with every fault named, written whole or not at all, locked.

Nothing here raises `OSError`. Faults are returned, for the caller's own error: a traceback through these frames would
hold what the file holds.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import attrs

if sys.platform != "win32":
    import fcntl

__all__ = ["Contents", "Stamp", "append_private", "folder_faults", "locked", "read_private", "stamp", "write_private"]

Stamp = tuple[int, ...]
"""What is different when a file has changed: device, inode, size, and when it and its inode were last changed."""

_PLAIN = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)  # not for child processes; bytes as they are
_NEVER_WAITS = getattr(os, "O_NONBLOCK", 0)  # opening a named pipe would wait for a writer
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = getattr(os, "O_DIRECTORY", 0)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_NO_FOLDER = (errno.ELOOP, errno.ENOTDIR)


@attrs.frozen
class Contents:
    """What was read: `data` (empty if it could not be), and what is wrong with the file, data left aside."""

    data: bytes = attrs.field(repr=False)
    stamp: Stamp | None
    """From before the data was read: what is written meanwhile will look like a change."""
    faults: tuple[str, ...]


def stamp(path: Path) -> Stamp | None:
    """The stamp of a file as it is now, or None if it cannot be looked at."""
    try:
        return _stamp_of(path.stat())
    except OSError:
        return None


def _stamp_of(found: os.stat_result) -> Stamp:
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def read_private(path: Path, most: int, *, strictly: bool = False) -> Contents:
    """Read a file of up to `most` bytes, and find what is wrong with it.

    `strictly`: a link is at fault, and so is a file that belongs to anybody but this user, `root` too. What is looked
    at is what is read, whatever takes its place meanwhile.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | _NEVER_WAITS | _PLAIN | (_NO_LINK if strictly else 0))
    except OSError as error:
        return Contents(b"", None, (_unopened(error, strictly=strictly),))
    try:
        found = os.fstat(descriptor)
        if faults := _unreadable(found, most):
            return Contents(b"", None, faults)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return Contents(file.read(most), _stamp_of(found), _exposed(found, strictly=strictly))
    except OSError as error:
        return Contents(b"", None, (f"cannot be read: {_words(error)}",))
    finally:
        os.close(descriptor)


def _unreadable(found: os.stat_result, most: int) -> tuple[str, ...]:
    if not stat.S_ISREG(found.st_mode):
        return ("is not a regular file",)
    return (f"has {found.st_size} bytes, more than {most}",) if found.st_size > most else ()


def _unopened(error: OSError, *, strictly: bool) -> str:
    if strictly and error.errno == errno.ELOOP:
        return "is a link, which is not followed"
    return f"cannot be opened: {_words(error)}"


def folder_faults(path: Path) -> tuple[str, ...]:
    """What is wrong with a folder of such files: it has to be this user's, no link, and of no use to others."""
    if sys.platform == "win32":  # where a folder cannot be opened
        return ()
    try:
        descriptor = os.open(path, os.O_RDONLY | _FOLDER | _NO_LINK | _PLAIN)
    except OSError as error:
        return ("is no folder, or a link",) if error.errno in _NO_FOLDER else (f"cannot be opened: {_words(error)}",)
    try:
        return tuple(fault.replace("chmod 600", "chmod 700") for fault in _exposed(os.fstat(descriptor), strictly=True))
    finally:
        os.close(descriptor)


def _exposed(found: os.stat_result, *, strictly: bool) -> tuple[str, ...]:
    if sys.platform == "win32":  # it has other means than mode bits, and the profile's folder has them already
        return ()
    faults = []
    if found.st_mode & _OTHERS:
        mode = stat.S_IMODE(found.st_mode)
        faults.append(f"has mode {mode:04o}, so that others than its owner can use it; chmod 600 it")
    if found.st_uid != os.geteuid() and (strictly or found.st_uid != 0):
        faults.append("belongs to another user")
    return tuple(faults)


def write_private(path: Path, data: bytes) -> tuple[str, ...]:
    """Put `data` in the place of what is there, with mode 0600, so that a reader sees all of it or the old file."""
    if not path.name:  # the root, or where one stands
        return ("is not a regular file",)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        if path.exists() and not path.is_file():
            return ("is not a regular file",)
        _write_new(temporary, data)
        temporary.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        return (f"cannot be written: {_words(error)}",)
    finally:
        with suppress(OSError):  # as a rule it has its new name by now
            temporary.unlink()
    return ()


def _write_new(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    """So that the name, too, is there after a power cut."""
    if sys.platform != "win32":  # where a folder cannot be opened
        descriptor = os.open(folder, os.O_RDONLY | _PLAIN)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def append_private(path: Path, data: bytes, *, size: int) -> tuple[str, ...]:
    """Add `data` behind the first `size` bytes of a file that is there, all of it or nothing. Hold the lock."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | _PLAIN)
        with os.fdopen(descriptor, "ab", buffering=0) as file:
            file.truncate(size)
            try:
                written = file.write(data)
                os.fsync(file.fileno())
            except OSError:
                file.truncate(size)
                raise
            if written != len(data):
                file.truncate(size)
                return ("cannot be written: no space left",)
    except OSError as error:
        return (f"cannot be written: {_words(error)}",)
    return ()


@contextmanager
def locked(path: Path) -> Iterator[tuple[str, ...]]:
    """Change the file in this block: one process at a time, others wait. Yields why there is no lock, if there is none.

    The lock is on a file beside it, since the file itself gives way to a new one. It goes with the process. Makes the
    folder if there is none.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = path.with_name(f"{path.name}.lock")
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | _PLAIN, 0o600)
    except OSError as error:
        yield (f"cannot be locked: {_words(error)}",)
        return
    try:
        if sys.platform != "win32":
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield ()
    finally:
        os.close(descriptor)


def _words(error: OSError) -> str:
    return error.strerror or type(error).__name__
