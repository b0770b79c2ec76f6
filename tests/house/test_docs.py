"""What the documents say is true: examples run, every command and error has its place, generated pages are fresh.

A block marked ```python is a complete program and runs; ```python fragment is only parsed. A block marked
```text output right below a program is exactly what it prints. Files and commands that a reader types are in
`test_sessions.py`. Generated pages are compared as a whole.
"""

import argparse
import ast
import importlib
import re
import subprocess
import sys

import pytest

from docs.make_command_line import PAGES as COMMAND_LINE
from docs.make_reference import PAGES
from docs.make_wire import PAGES as PARTLY_GENERATED
from facets import FacetError
from tests.house.source import PACKAGES, ROOT, text_of
from tests.house.test_layers import ORDER

DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
GENERATED = PAGES | PARTLY_GENERATED | COMMAND_LINE
WRITTEN_BY_HAND = [path for path in DOCUMENTS if path.name not in PAGES]

BLOCK = re.compile(
    r"^```python(?P<mark>[^\n]*)\n(?P<code>.*?)^```\n(?:\n```text output\n(?P<output>.*?)^```\n)?", re.M | re.S
)

SNIPPETS = {
    f"{path.name}:{text_of(path)[: block.start()].count(chr(10)) + 1}": block
    for path in WRITTEN_BY_HAND
    for block in BLOCK.finditer(text_of(path))
}
PROGRAMS = {place: block for place, block in SNIPPETS.items() if not block["mark"].strip()}
FRAGMENTS = {place: block for place, block in SNIPPETS.items() if block["mark"].strip()}

PROSE = "\n".join(text_of(path) for path in WRITTEN_BY_HAND)


def commands(parser, prefix=""):
    """The full name of every subcommand (`demo`, `gate show`) that the command line knows."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield prefix + name
                yield from commands(below, f"{prefix}{name} ")


def errors():
    """Every error class that users can meet, whichever package offers it."""
    packages = [importlib.import_module(package) for package in PACKAGES]
    offered = [getattr(package, name) for package in packages for name in package.__all__]
    classes = [value for value in offered if isinstance(value, type) and issubclass(value, FacetError)]
    return sorted(set(classes), key=lambda error: error.__name__)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_in_the_documents_runs(program, tmp_path):
    script = tmp_path / "snippet.py"
    script.write_text(program["code"], encoding="utf-8")
    command = [sys.executable, "-W", "error", script]
    ran = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert program["output"] in (None, ran.stdout)


def test_every_fragment_in_the_documents_is_python():
    for place, fragment in FRAGMENTS.items():
        assert re.fullmatch(r" (fragment|\w+\.py)", fragment["mark"]), f"{place}: which one is it?"
        compile(fragment["code"], place, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST)


def test_the_first_example_is_short_and_complete():
    first = next(BLOCK.finditer(text_of(ROOT / "README.md")))
    assert first["mark"] == "", "it runs"
    assert len(first["code"].splitlines()) < 20


def test_the_readme_names_the_two_commands():
    assert {"make demo", "make test"} <= set(re.findall(r"make \w+", text_of(ROOT / "README.md")))


def test_every_command_is_documented():
    parser = importlib.import_module("questions.cli").build_parser()
    assert not [name for name in commands(parser) if f"questions {name}" not in PROSE]


def test_every_error_is_documented_with_its_code():
    missing = [error for error in errors() if f"`{error.__name__}`" not in PROSE or f"`{error.code}`" not in PROSE]
    assert not [error.__name__ for error in missing]


@pytest.mark.parametrize("name", GENERATED)
def test_a_generated_page_is_what_the_code_says_now(name):
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == GENERATED[name](), "run `make docs`"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(path):
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text_of(path))
    assert not [link for link in links if not (path.parent / link).exists()]


def test_every_test_that_the_documents_name_is_there():
    tests = "\n".join(text_of(path) for path in (ROOT / "tests").rglob("test_*.py"))
    assert not [name for name in re.findall(r"`(test_\w+)`", PROSE) if f"def {name}(" not in tests]
    assert not [name for name in re.findall(r"`(\w+/test_\w+\.py)`", PROSE) if not (ROOT / "tests" / name).exists()]


def listed_files(package):
    """The files of a package in the order in which the architecture lists them, as ORDER names them."""
    text = text_of(ROOT / "docs" / "architecture.md")
    table = text.partition(f"### `{package}/`")[2].partition("\n#")[0]
    rows = re.findall(r"^\| `([\w/]+)(?:\.py|/)`( ○)? \|", table, re.M)
    return [name.rstrip("/").replace("/", ".") + mark for name, mark in rows]


@pytest.mark.parametrize("package", ORDER)
def test_the_architecture_lists_every_file_from_the_bottom_up(package):
    rows = [row.strip().removesuffix(".*") for row in ORDER[package].strip().splitlines()]
    assert listed_files(package) == [row for row in rows if not row.endswith("__init__")]
