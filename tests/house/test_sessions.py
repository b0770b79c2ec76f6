"""Pages that a reader follows at a shell: their files and commands, in the order of the page, in one folder.

A block marked ```python NAME.py, or the like, is that file. Blocks marked ```sh session are typed into one shell, one
after another; a block marked ```text output right below one is all that it prints, but for ids, instants and who it is
that types.
"""

import re
import shlex
import subprocess
import sys

import pytest

from tests.cli.processes import PATIENCE, environment
from tests.house.source import ROOT, text_of
from tests.house.test_docs import DOCUMENTS
from tests.questions.durable.postgres_server import new_schema, shared_address

FILE = re.compile(r"^```\w+ (?P<name>\w+\.\w+)\n(?P<code>.*?)^```\n", re.M | re.S)
TYPED = re.compile(r"^```sh session\n(?P<typed>.*?)^```\n(?:\n```text output\n(?P<output>.*?)^```\n)?", re.M | re.S)
PAGES = [path for path in DOCUMENTS if FILE.search(text_of(path)) or TYPED.search(text_of(path))]

ELSEWHERE = {
    r"dec_[\w-]{16}": "ID",
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z": "INSTANT",
    r"by \S+ via cli": "by SOMEBODY via cli",
}
"""What is different whenever it is run."""


def alike(text):
    for pattern, word in ELSEWHERE.items():
        text = re.sub(pattern, word, text)
    return text


class Reader:
    """Somebody who has copied the files of a page into a folder, and has its commands in their shell."""

    def __init__(self, page, folder):
        self.folder = folder
        for file in FILE.finditer(text_of(page)):
            (folder / file["name"]).write_text(file["code"])
        for name, command in {"python": "-W error", "questions": "-W error -m questions.cli"}.items():
            command_file = folder / "bin" / name
            command_file.parent.mkdir(exist_ok=True)
            command_file.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {command} "$@"\n')
            command_file.chmod(0o755)

    def types(self, script):
        """All that this prints."""
        there = environment()
        there["PATH"] = f"{self.folder / 'bin'}:{there['PATH']}"
        command = ["sh", "-c", f"exec 2>&1\n{script}"]
        told = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, timeout=4 * PATIENCE, env=there, check=True, cwd=self.folder
        )
        return told.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_what_a_page_has_one_type_prints_what_it_says(page, tmp_path):
    blocks = list(TYPED.finditer(text_of(page)))
    printed = Reader(page, tmp_path).types("".join(f"{block['typed']}printf '\\036'\n" for block in blocks))
    shown = [block["output"] or "" for block in blocks]
    assert [*map(alike, printed.split("\036"))] == [*map(alike, shown), ""]


def test_the_last_program_of_the_tutorial_runs_on_a_server_too(tmp_path):
    where = new_schema(shared_address())
    printed = Reader(ROOT / "docs" / "tutorial.md", tmp_path).types(f"python where.py '{where}'\n" * 2)
    assert printed == "yes and the store has 1\nyes and the store has 2\n"


def test_a_person_answers_what_the_child_of_the_guide_asks(tmp_path):
    reader = Reader(ROOT / "docs" / "howto" / "route-questions-of-child-programs.md", tmp_path)
    printed = reader.types(
        "mkdir -m 700 decisions; export QUESTIONS_ROOT=decisions; python parent.py & "
        "until questions decisions list >listed && id=$(grep -o 'dec_[^ ]*' listed); do :; done\n"
        'questions decisions answer "$id" --option o2 >answered; wait'
    )
    assert printed == "the child says: building next\n"
