"""The files in tests/typing are type-checked, never run; `# E: code` marks each error that mypy must find."""

import re
import subprocess
import sys

from tests.house.source import ROOT, python_files, text_of

REPORTED = re.compile(r"^(?P<file>tests/typing/[^:]+):(?P<line>\d+): error: .*\[(?P<code>[\w-]+)\]$", re.M)
EXPECTED = re.compile(r"# E: (?P<codes>[\w-]+(?:, [\w-]+)*)$")


def expected_errors():
    for path in python_files("tests/typing"):
        for number, line in enumerate(text_of(path).splitlines(), 1):
            if found := EXPECTED.search(line):
                yield from ((str(path.relative_to(ROOT)), number, code) for code in found["codes"].split(", "))


def test_mypy_finds_exactly_the_errors_that_are_marked():
    """Under the project's own settings, which leave these files out unless they are named one by one."""
    files = [str(path.relative_to(ROOT)) for path in python_files("tests/typing")]
    command = [sys.executable, "-m", "mypy", "--strict", "--no-pretty", "--no-error-summary", *files]
    ran = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True)
    reported = {(match["file"], int(match["line"]), match["code"]) for match in REPORTED.finditer(ran.stdout)}
    assert ran.returncode in (0, 1), ran.stderr
    assert reported == set(expected_errors()), ran.stdout
