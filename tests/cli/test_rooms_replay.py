"""`questions rooms replay`: decisions run again from their inputs."""

import io
import json
import subprocess
import sys

import pytest

from questions.cli import main
from questions.cli.codes import DIFFERENT, DONE, USAGE
from questions.cli.rooms import cases as reading
from tests.cli.processes import COMMAND, environment
from tests.questions.rooms.votes import CASES, cases


@pytest.fixture
def replayed(capsys, tmp_path):
    """Runs the command over lines: exit code, lines of output, lines of errors."""

    def run(lines, *arguments):
        file = tmp_path / "cases.jsonl"
        file.write_bytes(b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines))
        code = main(["rooms", "replay", str(file), *arguments])
        told = capsys.readouterr()
        return code, told.out.splitlines(), told.err.replace(str(file), "FILE").splitlines()

    return run


def test_each_case_comes_out_as_a_line_with_id_and_expected(replayed):
    code, lines, errors = replayed(cases()[:5])
    assert (code, errors) == (DONE, [])
    assert [json.loads(line).keys() for line in lines] == [{"id", "expected"}] * 5


def test_what_it_prints_can_be_checked_against_what_it_was_given(replayed):
    _, lines, _ = replayed(cases())
    given = [{**case, **json.loads(line)} for case, line in zip(cases(), lines, strict=True)]
    assert replayed(given, "--check") == (DONE, [], [f"{len(given)} replayed, 0 different"])


def test_a_difference_is_told_with_its_path_and_by_the_exit_code(replayed):
    first, second = cases()[:2]
    changed = {**first, "expected": {**first["expected"], "cast": 7}}
    code, lines, errors = replayed([changed, second], "--check")
    assert (code, lines) == (DIFFERENT, [f"{first['id']}: $.expected.cast: {first['expected']['cast']}, expected 7"])
    assert errors == ["2 replayed, 1 different"]


def test_a_case_that_expects_nothing_is_no_match(replayed):
    case = {name: value for name, value in cases()[0].items() if name != "expected"}
    assert replayed([case], "--check")[0] == DIFFERENT
    assert replayed([case])[0] == DONE


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "no JSON"),
        (b"\xff", "not UTF-8"),
        (b'{"id": NaN}', "no number"),
        (b'{"id": "x", "id": "y"}', "$.id: is there twice"),
        (b'{"id": "\\ud800"}', "half of a surrogate pair"),
        (b"[" * 200_000, "nested more than 64 deep"),
        (b"9" * 5000, "no number"),
        (b"7", "must be an object"),
        (b"{}", "$.id"),
        (b'{"id": "x", "kind": "tarot"}', "$.kind"),
        (b'{"id": "x"}', "$.mechanism: is missing"),
    ],
)
def test_a_line_that_is_no_case_is_told_with_its_number_and_the_others_are_replayed(replayed, line, said):
    code, lines, errors = replayed([cases()[0], b"", line, cases()[1]])
    assert (code, len(lines), len(errors)) == (USAGE, 2, 1)
    assert errors[0].startswith("FILE:3: ")
    assert said in errors[0]


def test_what_could_steer_a_terminal_is_shown_and_not_sent(replayed):
    case = {**cases()[0], "id": "\x1b[2J\u202e"}
    assert all(line.isascii() and line.isprintable() for line in replayed([case])[1])
    _, lines, _ = replayed([{**case, "expected": {}}], "--check")
    assert all(line.isprintable() for line in lines)


def test_a_line_has_an_end(replayed, monkeypatch):
    monkeypatch.setattr(reading, "LONGEST_LINE", 100)
    code, lines, errors = replayed([b"7" * 101])
    assert (code, lines) == (USAGE, [])
    assert "FILE:1: longer than 100 bytes" in errors[0]


@pytest.mark.parametrize("given", [[], [b"{", b'  "id": "x"', b"}"]])
@pytest.mark.parametrize("arguments", [[], ["--check"]])
def test_a_file_without_a_case_has_not_come_out_as_expected(replayed, given, arguments):
    code, lines, errors = replayed(given, *arguments)
    assert (code, lines, errors[-1]) == (USAGE, [], "FILE has no case: each is a JSON object in one line.")


@pytest.mark.parametrize("name", ["nowhere.jsonl", ".", "a\0b"])
def test_a_file_that_cannot_be_read_is_told(capsys, name):
    assert main(["rooms", "replay", name]) == USAGE
    assert "cannot be read" in capsys.readouterr().err


def test_standard_input_is_read_too(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CASES.read_bytes())))
    assert main(["rooms", "replay", "-", "--check"]) == DONE
    assert "0 different" in capsys.readouterr().err


def test_every_process_comes_to_the_same():
    """Whatever its hashes are seeded with, and whatever its locale."""
    command = [*COMMAND, "rooms", "replay", str(CASES)]
    told = {
        subprocess.run(
            command, env=environment(PYTHONHASHSEED=seed, LC_ALL=locale), capture_output=True, timeout=120, check=True
        ).stdout
        for seed, locale in (("0", "C"), ("1", "C.UTF-8"), ("4294967295", "POSIX"))
    }
    assert len(told) == 1
