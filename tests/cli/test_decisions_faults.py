"""`questions decisions`: what it says of faults, and of roots that are no stores."""

import os
import stat

import pytest
import trio

from questions.cli import main
from questions.cli.decisions.wording import of_options
from tests.cli.processes import COMMAND, environment, run

SECRET = "s3cret"


@pytest.fixture
def told(capsys, tmp_path, monkeypatch):
    """Run `questions decisions ARGUMENTS` on a store in a folder; returns code and errors."""
    monkeypatch.setenv("QUESTIONS_ROOT", str(tmp_path))

    def acted(*arguments):
        code = main(["decisions", *map(str, arguments)])
        out, err = capsys.readouterr()
        assert out == ""
        return code, err.rstrip("\n")

    return acted


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("$.where: no", "--root: no"),
        ("$.id: no", "ID: no"),
        ("$.timeout_ms: no", "--timeout-ms: no"),
        ("$.default_option_id: needed for on_final default", "--default: needed for --on-final default"),
        ("$.options[0].id: no", "--option 1 (id): no"),
        ("$.escalation.chain[2]: no", "--chain 3: no"),
        ("$.escalation.hop_timeout_ms: no", "--hop-ms: no"),
        ("$.max_stored: at least max_open and 300", "--max-stored: at least --max-open and 300"),
        ("$.option: one of on_expire, b", "--option: one of on_expire, b"),
        ("no path in it", "no path in it"),
    ],
)
def test_a_fault_names_the_option_that_was_typed(fault, words):
    assert of_options(fault) == words


def test_every_fault_of_a_raise_is_told_by_its_option(told):
    code, err = told("raise", "--title", "", "--option", "=x", "--timeout-ms", 1, "--chain", "user", "--kind", "K")
    assert code == 1
    assert [fault.partition(":")[0] for fault in err.split("; ")] == [
        "--option 1 (id)",
        "--kind",
        "--title",
        "--timeout-ms",
        "--chain, --hop-ms and --on-final",
    ]


def test_what_is_kept_in_memory_alone_is_no_store_for_a_command(told):
    code_and_error = told("raise", "--title", "x", "--root", ":memory:")
    assert code_and_error == (1, "--root: ':memory:' is not a folder that is there; make it, or name another")


@pytest.mark.parametrize(
    "root",
    [
        f"postgresql://ana:{SECRET}@h/db",
        f"POSTGRES://ana:{SECRET}@h/db",
        f"postgresql://ana:{SECRET}",
        f"postgresql://ana:{SECRET[:2]}/{SECRET}@h",
        f"mysql://ana:{SECRET}@h/db",
        f"host=h password={SECRET}",
    ],
)
@pytest.mark.parametrize("source", ["option", "environment"])
def test_a_password_is_never_shown(told, monkeypatch, root, source):
    monkeypatch.setenv("QUESTIONS_ROOT", root)
    code, err = told("list", *(["--root", root] if source == "option" else []))
    assert (code, err.startswith("--root: "), SECRET in err) == (1, True, False)


@pytest.mark.parametrize("kind", ["file", "folder", "fifo", "link", "loop"])
def test_what_stands_in_the_place_of_the_store_is_told_and_left_alone(told, tmp_path, kind):
    path = tmp_path / "decisions.sqlite3"
    make = {
        "file": lambda: path.write_bytes(b"no database" * 1_000),
        "folder": path.mkdir,
        "fifo": lambda: os.mkfifo(path),
        "link": lambda: path.symlink_to("nowhere"),
        "loop": lambda: path.symlink_to(path.name),
    }
    make[kind]()
    was = path.lstat()
    code, err = told("raise", "--title", "x")
    assert (code, err.partition(":")[0]) == (5, "the store is not available")
    assert (path.lstat().st_size, stat.S_IFMT(path.lstat().st_mode)) == (was.st_size, stat.S_IFMT(was.st_mode))


@pytest.mark.parametrize("command", ["cancel", "answer --text yes"])
async def test_a_wait_that_cannot_tell_how_it_ended_says_it_by_its_code(told, tmp_path, command):
    id = (await run("decisions", "raise", "--title", "x", "--root", tmp_path)).stdout.strip()
    assert (await run("decisions", *command.split(), id, "--root", tmp_path)).returncode == 0
    with open("/dev/full", "w") as full:  # noqa: ASYNC230, PTH123
        line = [*COMMAND, "decisions", "wait", id, "--root", str(tmp_path)]
        done = await trio.run_process(line, stdout=full, capture_stderr=True, check=False, env=environment())
    assert (done.returncode, b"cannot be written" in done.stderr) == (1 if command == "cancel" else 2, True)


async def test_a_folder_that_cannot_be_written_is_5():
    done = await run("decisions", "list", "--root", "/proc")  # where nobody can make a file, root included
    assert (done.returncode, done.stderr.partition(":")[0]) == (5, "the store is not available")
