"""Other programs, already running, that use the same files."""

import subprocess
import sys

from tests.house.source import ROOT


def run_elsewhere(code, *arguments):
    """Start a program; `path` in it is its first argument, `more` the others. `wait(60)` gives its exit code."""
    start = "import sys, pathlib, facets; path, *more = pathlib.Path(sys.argv[1]), *sys.argv[2:]\n"
    return subprocess.Popen([sys.executable, "-c", start + code, *map(str, arguments)], cwd=ROOT)


def rotate_elsewhere(path):
    return run_elsewhere("facets.KeyRing(path).rotate()", path)


def revoke_elsewhere(path, id):
    return run_elsewhere("facets.Revocations(path).revoke_token(more[0], 2e9)", path, id)
