"""Other programs, already running, that use the same files."""

import subprocess
import sys

from tests.house.source import ROOT


def run_elsewhere(code, *arguments):
    """Start a program; `path` in it is its first argument, `more` the others. `wait(60)` gives its exit code."""
    start = "import sys, pathlib; path, *more = pathlib.Path(sys.argv[1]), *sys.argv[2:]\n"
    return subprocess.Popen([sys.executable, "-c", start + code, *map(str, arguments)], cwd=ROOT)


def rotate_elsewhere(path):
    return run_elsewhere("from facets.link.keys import KeyRing; KeyRing(path).rotate()", path)


def revoke_elsewhere(path, id):
    code = "from facets.link.revocations import Revocations; Revocations(path).revoke_token(more[0], 2e9)"
    return run_elsewhere(code, path, id)
