"""`questions rooms explain`: why decisions came out as they did, in words, as data and as a picture."""

import json
from typing import Any
from xml.etree import ElementTree

import pytest

from questions.cli import main
from questions.cli.codes import DONE, USAGE
from tests.questions.rooms.votes import cases

FIRST, SECOND = cases()[0], next(case for case in cases() if case["id"] == "rc-003")
REFUSED = next(case for case in cases() if "error" in case["expected"])


@pytest.fixture
def explained(capsys, tmp_path):
    """Runs the command over lines: exit code, standard output, standard error."""

    def run(lines, *arguments):
        file = tmp_path / "cases.jsonl"
        file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
        code = main(["rooms", "explain", str(file), *map(str, arguments)])
        told = capsys.readouterr()
        return code, told.out, told.err.replace(str(file), "FILE")

    return run


def test_each_case_is_explained_in_words(explained):
    code, out, errors = explained([FIRST, SECOND])
    assert (code, errors) == (DONE, "")
    assert out.startswith(f'{FIRST["id"]} (approval): "ship" has won.\n- 5 of 5 who may vote')
    assert f'\n\n{SECOND["id"]} (ranked_choice): "east" has won.\n' in out
    assert "\n  west   1  ##### (goes)\n" in out


def test_one_case_is_picked_by_its_id_and_told_as_data(explained):
    code, out, _ = explained([FIRST, SECOND], "--id", "rc-003", "--json")
    told = json.loads(out)
    assert (code, told["winner"], told["status"], len(told["charts"])) == (DONE, "east", "completed", 3)


def test_a_picture_is_written_to_a_file(explained, tmp_path):
    code, out, _ = explained([FIRST, SECOND], "--id", "rc-003", "--svg", tmp_path / "out.svg")
    root: Any = ElementTree.fromstring((tmp_path / "out.svg").read_text(encoding="utf-8"))
    assert (code, root.find("{http://www.w3.org/2000/svg}title").text) == (DONE, '"east" has won.')
    assert '"east" has won.' in out


@pytest.mark.parametrize(
    ("lines", "arguments", "said"),
    [
        ([FIRST, SECOND], ["--svg", "x.svg"], "--svg draws one case, and there are several; --id ID says which."),
        ([FIRST], ["--id", "rc-003"], "FILE has no case with the id rc-003: each is a JSON object in one line."),
        ([], [], "FILE has no case: each is a JSON object in one line."),
        ([FIRST], ["--svg", "no/such/folder.svg"], "no/such/folder.svg cannot be written: No such file or directory."),
    ],
)
def test_what_cannot_be_done_is_said(explained, tmp_path, monkeypatch, lines, arguments, said):
    monkeypatch.chdir(tmp_path)
    code, _, errors = explained(lines, *arguments)
    assert (code, said in errors) == (USAGE, True)


def test_lines_that_are_no_counts_are_told_and_the_others_explained(explained):
    code, out, errors = explained(["{", REFUSED, {"id": "m", "kind": "merkle"}, FIRST])
    assert (code, [line.split(": ")[0] for line in errors.splitlines()]) == (USAGE, ["FILE:1", "FILE:2", "FILE:3"])
    assert out.startswith(FIRST["id"])


def test_hidden_characters_of_an_id_are_shown(explained):
    _, out, _ = explained([{**FIRST, "id": "x\u202e\n\x1b[2J"}])
    assert out.startswith("x\\u202e\\n\\x1b[2J (approval)")
