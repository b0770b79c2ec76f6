"""The tests of durable decisions that kill, crowd and disturb, at full size; ends by itself and says what it has met.

`make soak SECONDS=60 ROUNDS=200` runs it: each test with a crowd of processes takes so many seconds, and each step of a
transition is killed at so many times on each engine. With the numbers of the Makefile that is 2,000 kills.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parent.parent
FILES = (
    "test_killed.py test_hammered.py test_clock_jumps.py test_disk_full.py test_subscribers.py test_sqlite_power.py"
    " test_postgres_servers.py test_postgres_lost.py"
).split()


def told(report: Path) -> list[str]:
    """What the tests have measured, a line each."""
    cases = ElementTree.parse(report).iter("testcase")
    return [
        f"{case.get('name')}: {found.get('name')} {found.get('value')}"
        for case in cases
        for found in case.iter("property")
    ]


def main(seconds: str, rounds: str, arguments: list[str]) -> int:
    """How pytest ended."""
    environment = {**os.environ, "SOAK_SECONDS": seconds, "SOAK_ROUNDS": rounds}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        files = [f"tests/questions/durable/{name}" for name in FILES]
        reporting = [f"--junitxml={report}", "-o", "junit_family=xunit1", "-v"]
        command = [sys.executable, "-m", "pytest", *files, *reporting, *arguments]
        code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        print(*told(report), sep="\n")
    return code


if __name__ == "__main__":
    seconds, rounds, *arguments = sys.argv[1:]
    sys.exit(main(seconds, rounds, arguments))
