"""Random programs against plain models, in rounds, each from a new seed, until the time is over.

`make fuzz SECONDS=600` runs it; the tests marked `fuzz` take part. As a pytest plugin it counts the programs, and ends
a test whose time is over; one that has failed is not hurried, but still shrunk. Stops at the first failing round and
says how to run that again.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from functools import wraps
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ENDLESS = 1e9
REPORT, SECONDS = "FUZZ_REPORT", "FUZZ_SECONDS"
REPEAT = "FAILED. The same round again: make fuzz SEED={}. What failed is also the first that make test tries."


class TimeIsOver(BaseException):
    """Leaves a test between two programs. Hypothesis lets through what is no Exception."""


class Programs:
    """The plugin: what each test has run in this round."""

    def __init__(self, seconds: float, report: Path) -> None:
        self.seconds = seconds
        self.until = self.own_until = float("inf")
        self.report = report
        self.counts: Counter[str] = Counter()
        self.failed: set[str] = set()
        self.left = 0

    def counted(self, name, run):
        @wraps(run)
        def program(*args, **kwargs):
            if time.monotonic() > self.own_until and name not in self.failed:
                raise TimeIsOver
            self.counts[name] += 1
            try:
                return run(*args, **kwargs)
            except Exception:
                self.failed.add(name)
                raise

        vars(program)["is_counted"] = True
        return program

    @pytest.hookimpl(trylast=True)  # after pytest-trio, which makes plain functions of async ones
    def pytest_collection_modifyitems(self, items):
        self.left = len(items)
        self.until = time.monotonic() + self.seconds
        for item in items:
            handle = getattr(item.obj, "hypothesis", None)
            if handle is not None and not hasattr(handle.inner_test, "is_counted"):
                handle.inner_test = self.counted(item.originalname, handle.inner_test)

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self):
        """Each test may take its share of the time that is left."""
        now = time.monotonic()
        self.own_until = now + (self.until - now) / max(self.left, 1)
        self.left -= 1
        try:
            return (yield)
        except TimeIsOver:
            return True

    def pytest_sessionfinish(self):
        spent = self.seconds - (self.until - time.monotonic())
        self.report.write_text(json.dumps({"spent": spent, "programs": self.counts}))


def pytest_configure(config):
    config.pluginmanager.register(Programs(float(os.environ[SECONDS]), Path(os.environ[REPORT])))


def run_round(seed: int, seconds: float, arguments: list[str]) -> tuple[int, float, Counter[str]]:
    """How pytest ended, the seconds that its tests took, and how many programs each of them has run."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "programs.json"
        environment = {**os.environ, SECONDS: str(seconds), REPORT: str(report)}
        chosen = ["-m", "fuzz", "-p", "tests.fuzz", "--hypothesis-profile=fuzz", f"--hypothesis-seed={seed}"]
        command = [sys.executable, "-m", "pytest", "-q", "tests/facets", "tests/questions", *chosen, *arguments]
        code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        found = json.loads(report.read_text())
    return code, found["spent"], Counter(found["programs"])


def main(seconds: float, seed: int | None, arguments: list[str]) -> int:
    """Rounds for that many seconds, or one round of a seed, however long it takes."""
    total: Counter[str] = Counter()
    code = rounds = 0
    left, chosen = seconds, seed
    while code == 0 and left > 0 and not (seed is not None and rounds):
        rounds += 1
        chosen = random.SystemRandom().getrandbits(32) if seed is None else seed
        print(f"Round {rounds}, seed {chosen}", flush=True)
        code, spent, programs = run_round(chosen, left if seed is None else ENDLESS, arguments)
        left, total = left - spent, total + programs
    for name, count in sorted(total.items()):
        print(f"{count:9,} {name}")
    print(f"{total.total():9,} programs in {rounds} rounds")
    if code:
        print(REPEAT.format(chosen))
    return code


if __name__ == "__main__":
    seconds, seed, *arguments = sys.argv[1:]
    sys.exit(main(float(seconds), int(seed) if seed else None, arguments))
