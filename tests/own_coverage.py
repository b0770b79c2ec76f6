"""What the tests cover of each module: all of them together, and the module's own test files alone.

`make coverage` runs it. A module's own tests are `tests/<package>/test_<module>.py` and `test_<module>_*.py`, and those
that ALSO names; a package inside a package is tested as one. What runs while modules are imported counts for both.
Prints a table, and fails if the tests together take less than LEAST percent of the branches.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from coverage import Coverage

LEAST = 98
PACKAGES = ("facets", "questions")
ROOT = Path(__file__).parent.parent
ALSO = {  # whose tests are named after what one can see of them
    "asking": "ask_again",
    "guard": "guard_arguments",
    "publishing": "views|views_changes|reports|audiences_live",
    "store": "asking|answering|keys|keys_kept|lifecycle|races|races_ends|fence_and_drain|deadlines_live",
    "testing": "conformance",
    "views": "asking|answering",
}
ROW = "| {:32} | {:>8} | {:>8} | {:>8} | {:>8} | {}"


class Covered(NamedTuple):
    """How much ran of a module: lines and branches, as coverage.py counts them."""

    lines: int
    lines_run: int
    branches: int
    branches_run: int

    @property
    def branch_share(self) -> float:
        return 100 * self.branches_run / self.branches if self.branches else 100.0

    def texts(self) -> tuple[str, str]:
        lines = f"{100 * self.lines_run / self.lines:.1f}" if self.lines else "–"
        return lines, f"{self.branch_share:.1f}" if self.branches else "–"


def modules() -> list[Path]:
    """Every source file of the two packages, but for the command."""
    found = [path.relative_to(ROOT) for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return [path for path in found if path.parts[:2] != ("questions", "cli") and path.name != "__init__.py"]


def own_tests(module: Path) -> str:
    """A pattern of the contexts that are a module's own: the ids of its tests, and nothing, which is an import."""
    package, name, *_ = module.with_suffix("").parts
    names = "|".join([rf"{name}(_\w+)?", *([ALSO[name]] if name in ALSO else [])])
    return rf"^$|^tests/{package}/(test_({names})\.py|{name}/)"


def run_tests(data_file: str, arguments: list[str]) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "tests/facets", "tests/questions", *arguments]
    measured = ["--cov", "--cov-branch", "--cov-context=test", "--cov-report="]
    environment = {**os.environ, "COVERAGE_FILE": data_file}
    return subprocess.run([*command, *measured], cwd=ROOT, env=environment, check=False).returncode


def covered(coverage: Coverage, module: Path, contexts: str | None = None) -> tuple[Covered, str]:
    """What ran of a module in these contexts, or in any; and the lines and branches that did not."""
    with tempfile.NamedTemporaryFile() as file:
        chosen = [contexts] if contexts else None
        coverage.json_report(morfs=[str(ROOT / module)], contexts=chosen, outfile=file.name)
        [found] = json.loads(Path(file.name).read_text())["files"].values()
    names = ("num_statements", "covered_lines", "num_branches", "covered_branches")
    lines = found["missing_lines"]
    arrows = [f"{start}->{max(end, 0) or 'exit'}" for start, end in found["missing_branches"] if end not in lines]
    return Covered(*(found["summary"][name] for name in names)), ", ".join([*map(str, lines), *arrows])


def total(rows: list[Covered]) -> Covered:
    return Covered(*(sum(column) for column in zip(*rows, strict=True)))


def report(data_file: str) -> float:
    """Print the table. The share of branches that all tests together take."""
    coverage = Coverage(data_file=data_file, config_file=str(ROOT / "pyproject.toml"))
    coverage.load()
    print(ROW.format("module", "lines", "branches", "own", "own br.", "not covered by any test"))
    everything, own = [], []
    for module in modules():
        whole, missing = covered(coverage, module)
        alone, _ = covered(coverage, module, own_tests(module))
        print(ROW.format(str(module), *whole.texts(), *alone.texts(), missing))
        everything.append(whole)
        own.append(alone)
    print(ROW.format("all", *total(everything).texts(), *total(own).texts(), ""))
    return total(everything).branch_share


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        data_file = str(Path(folder) / "coverage")
        failed = run_tests(data_file, sys.argv[1:])
        enough = report(data_file) >= LEAST
    return failed or int(not enough)


if __name__ == "__main__":
    sys.exit(main())
