"""The benchmarks run, and say what they measured."""

import json
import subprocess
import sys


def test_a_quick_run_tells_every_row_it_was_asked_for():
    command = [sys.executable, "-m", "benchmarks.core", "--quick", "--json", "--rows", "guards", "--rows", "latency"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    rows = json.loads(done.stdout)["rows"]
    assert {row["name"] for row in rows} >= {"guard on a call that needs no approval", "answer to resumed asker, p50"}
    assert all(row["measured"] > 0 for row in rows)


def test_writing_needs_a_full_run():
    command = [sys.executable, "-m", "benchmarks.core", "--quick", "--write"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "full run" in done.stderr
