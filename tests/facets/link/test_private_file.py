"""A file for its owner alone: replaced as a whole, added to as a whole, read only while nobody else can."""

import errno
import os
import stat

import pytest

from facets.link.private_file import append_private, folder_faults, locked, read_private, stamp, write_private
from tests.facets.link.elsewhere import run_elsewhere


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "file"
    assert write_private(path, b"old") == ()
    return path


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def no_space(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_what_is_written_can_be_read_back(path):
    contents = read_private(path, 100)
    assert (contents.data, contents.faults, contents.stamp) == (b"old", (), stamp(path))
    assert "old" not in repr(contents)


def test_only_the_owner_can_use_it_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        write_private(tmp_path / "new", b"")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "new") == 0o600


def test_a_file_that_others_can_read_is_replaced_by_one_that_they_cannot(path):
    path.chmod(0o644)
    assert write_private(path, b"new") == ()
    assert mode_of(path) == 0o600


def test_when_writing_fails_the_old_file_stays_and_nothing_else(path, monkeypatch):
    monkeypatch.setattr(os, "fsync", no_space)
    assert write_private(path, b"new") == ("cannot be written: No space left on device",)
    assert [(file.name, file.read_bytes()) for file in path.parent.iterdir()] == [("file", b"old")]


def test_only_regular_files_are_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert write_private(tmp_path / "pipe", b"") == ("is not a regular file",)
    assert write_private(tmp_path, b"") == ("is not a regular file",)


def test_a_folder_that_there_is_not_is_a_fault(tmp_path):
    assert write_private(tmp_path / "no" / "file", b"") == ("cannot be written: No such file or directory",)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o666])
def test_a_file_that_others_can_use_is_at_fault(path, mode):
    path.chmod(mode)
    (fault,) = read_private(path, 100).faults
    assert f"has mode {mode:04o}" in fault
    assert "chmod 600" in fault


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_file_for_its_owner_alone_is_not(path, mode):
    path.chmod(mode)
    assert read_private(path, 100).faults == ()


def test_a_file_of_another_user_is_at_fault(path, monkeypatch):
    if os.geteuid() == 0:
        os.chown(path, 4_321, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert read_private(path, 100).faults == ("belongs to another user",)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe", 0o600)
    assert read_private(tmp_path / "pipe", 100).faults == ("is not a regular file",)


def test_what_cannot_be_read_says_why(tmp_path, path):
    assert read_private(tmp_path / "no", 100).faults == ("cannot be opened: No such file or directory",)
    assert read_private(tmp_path, 100).faults == ("is not a regular file",)
    assert read_private(path, 2).faults == ("has 3 bytes, more than 2",)


def test_a_stamp_tells_versions_apart(path):
    before = stamp(path)
    write_private(path, b"ten")
    assert stamp(path) != before
    assert stamp(path.with_name("no")) is None


def test_added_is_all_or_nothing(path, monkeypatch):
    assert append_private(path, b"+new", size=3) == ()
    monkeypatch.setattr(os, "fsync", no_space)
    assert append_private(path, b"+lost", size=7) == ("cannot be written: No space left on device",)
    assert path.read_bytes() == b"old+new"


def test_adding_cuts_off_what_was_not_finished(path):
    assert append_private(path, b"!", size=1) == ()
    assert path.read_bytes() == b"o!"


def test_nothing_is_added_to_what_is_not_there(tmp_path):
    assert append_private(tmp_path / "no", b"", size=0) == ("cannot be written: No such file or directory",)


COUNT = """
from facets.link.private_file import locked, write_private
for _ in range(50):
    with locked(path):
        write_private(path, str(int(path.read_bytes()) + 1).encode())
"""


def test_one_process_at_a_time(path):
    write_private(path, b"0")
    running = [run_elsewhere(COUNT, path) for _ in range(4)]
    assert [each.wait(60) for each in running] == [0] * 4
    assert path.read_bytes() == b"200"


def test_a_lock_that_cannot_be_had_is_told(path):
    with locked(path / "below") as faults:
        assert faults in [("cannot be locked: Not a directory",), ("cannot be locked: File exists",)]


def test_the_folder_of_a_lock_is_made_for_its_owner(tmp_path):
    with locked(tmp_path / "a" / "b" / "file") as faults:
        assert faults == ()
    assert mode_of(tmp_path / "a" / "b") == 0o700


def test_a_strict_reader_follows_no_link(tmp_path, path):
    (tmp_path / "link").symlink_to(path)
    assert read_private(tmp_path / "link", 100).data == b"old"
    strict = read_private(tmp_path / "link", 100, strictly=True)
    assert (strict.data, strict.faults) == (b"", ("is a link, which is not followed",))


def test_a_strict_reader_wants_a_file_of_its_own(path, monkeypatch):
    assert read_private(path, 100, strictly=True).faults == ()
    owner = path.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert read_private(path, 100, strictly=True).faults == ("belongs to another user",)


def test_a_folder_has_to_be_its_owners_alone(tmp_path, path):
    tmp_path.chmod(0o700)
    assert folder_faults(tmp_path) == ()
    tmp_path.chmod(0o710)
    [fault] = folder_faults(tmp_path)
    assert "has mode 0710" in fault
    assert "chmod 700" in fault
    (tmp_path / "link").symlink_to(tmp_path)
    assert folder_faults(tmp_path / "link") == folder_faults(path) == ("is no folder, or a link",)
    assert folder_faults(tmp_path / "no") == ("cannot be opened: No such file or directory",)
