"""Mutation testing: change the judging modules in small ways, one at a time, and see whether their tests notice.

`make mutants` runs it; what is changed and which tests run is in pyproject.toml ([tool.mutmut]). mutmut tries each
mutant in a fork of a process that has imported everything. A mutant of what runs during an import (a table that a
function helps to build) has no effect there, so each survivor is tried again in a process of its own. Prints the
figures and the survivors, and fails below LEAST percent.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

LEAST = 95
ROOT = Path(__file__).parent.parent
COPY = ROOT / "mutants"  # made by mutmut
KILLED = (1, 3)  # how pytest ends: a test failed, or pytest itself


def mutmut(*arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "mutmut", *arguments], cwd=ROOT, check=False, **options)


def exit_codes() -> dict[str, dict[str, int]]:
    """For each module, how pytest ended for each of its mutants that was tried, now or in an earlier run."""
    found = {}
    for file in sorted(COPY.rglob("*.py.meta")):
        codes = json.loads(file.read_text())["exit_code_by_key"]
        found[file.name.removesuffix(".meta")] = {name: code for name, code in codes.items() if code is not None}
    return found


def survives_alone(module: str, mutant: str) -> bool:
    """Whether it still survives when its module is imported as a mutant."""
    tests = [str(path) for path in COPY.glob(f"tests/*/test_{module}")]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--hypothesis-seed=0", *tests]
    environment = {**os.environ, "MUTANT_UNDER_TEST": mutant, "PYTHONPATH": str(COPY)}
    return subprocess.run(command, cwd=COPY, env=environment, capture_output=True, check=False).returncode == 0


def survivors(module: str, codes: dict[str, int]) -> list[str]:
    """Whatever is not known to be killed: what no test runs and what never ended are looked at too."""
    return [name for name, code in codes.items() if code not in KILLED and survives_alone(module, name)]


def difference(mutant: str) -> str:
    lines = mutmut("show", mutant, capture_output=True, text=True).stdout.splitlines()
    return "\n".join(f"    {line}" for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---"))


def main() -> int:
    shown = None if sys.stdout.isatty() else subprocess.DEVNULL  # its progress is one endless line
    ran = mutmut("run", "--max-children", "2", *sys.argv[1:], stdout=shown)
    if ran.returncode:
        return ran.returncode
    count = alive = 0
    for module, codes in exit_codes().items():
        left = survivors(module, codes)
        print(f"{module:20} {len(codes):4} mutants, {len(left)} alive")
        for name in left:
            print(f"  {name}\n{difference(name)}")
        count, alive = count + len(codes), alive + len(left)
    print(f"{count - alive} of {count} killed: {100 * (count - alive) / count:.1f} %")
    return int(count - alive < count * LEAST / 100)


if __name__ == "__main__":
    sys.exit(main())
