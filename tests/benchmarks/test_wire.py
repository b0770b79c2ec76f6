"""The benchmarks of links run, and say what they measured; each writes its own part of the results."""

import json
import subprocess
import sys

from benchmarks import report
from benchmarks.findings import Findings, Row


def test_a_quick_run_tells_every_row_and_a_soak_finds_nothing_wrong():
    command = [sys.executable, "-m", "benchmarks.wire", "--quick", "--json", "--soak", "0.03"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=True)
    rows = {row["name"]: row for row in json.loads(done.stdout)["rows"]}
    assert {
        "1 change to 6 viewers in the audience",
        "3 changes at once to 6 viewers",
        "ask over a link, answer over another, p50",
        "a relay adds, a hop",
        "1 stalled of 6 viewers: the others' p99",
        "10 clients reconnect at once",
        "memory of an idle viewer",
    } <= rows.keys()
    assert rows["ask over a link, answer over another, p50"]["measured"] > 0
    assert rows["soak of 0.03 minutes: violations"]["verdict"] == "goal"
    assert rows["soak of 0.03 minutes: left over"]["verdict"] == "goal"


def test_each_benchmark_writes_its_own_section(tmp_path):
    path = tmp_path / "RESULTS.md"
    report.write(Findings([Row("first", 1, "s", "")]), report.WIRE, path, [])
    report.write(Findings([Row("second", 1, "s", "")]), report.CORE, path, [])
    report.write(Findings([Row("third", 1, "s", "")]), report.WIRE, path, [])
    text = path.read_text()
    assert text.index("## In one process") < text.index("second") < text.index("## On the wire") < text.index("third")
    assert "first" not in text
