"""The benchmark of durable decisions runs, and says what it measured."""

import json
import subprocess
import sys


def test_a_quick_run_tells_every_row():
    command = [sys.executable, "-m", "benchmarks.durable", "--quick", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=True)
    told = json.loads(done.stdout)
    rows = {row["name"]: row for row in told["rows"]}
    for engine in ("SQLite", "PostgreSQL"):
        assert {
            f"one answerer, {engine}",
            f"5 answerers at once, {engine}",
            f"1 process, one store, {engine}: worst wait",
            f"answer to a waiter in another process, p50, over a bare swap, {engine}",
            f"6 idle subscribers, {engine}",
            f"60 open records, {engine}: answer",
            f"60 open records, {engine}: list of 50",
            f"60 open records, {engine}: sweep of nothing due",
            f"20 waiters on one decision, {engine}: all awake",
            f"questions decisions list, {engine}: cold start",
        } <= rows.keys()
        assert rows[f"20 waiters on one decision, {engine}: readers"]["measured"] == 1
    assert {curve["plot"] for curve in told["curves"]} == {"durable_at_once", "durable_writers"}
