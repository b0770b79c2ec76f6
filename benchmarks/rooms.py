"""Counting the votes of many, in one run: `python -m benchmarks.rooms`.

Prints a table. `--quick` only shows that all of it runs, in seconds; its figures mean nothing.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks import counting, plots, report
from benchmarks.counting import FULL, QUICK, Scale
from benchmarks.findings import Findings

SUBJECTS: Mapping[str, Callable[[Scale], Findings]] = {
    "loops": counting.measure_loops,
    "ranked": counting.measure_ranked,
    "options": counting.measure_options,
    "lock": counting.measure_lock,
    "library": counting.measure_library,
}

_HERE = Path(__file__).parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print or write what was found. A missed budget is shown, not an exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.write and (options.quick or options.only):
        parser.error("--write is for a full run, without --quick and --only")
    if options.write:
        plots.check()
    findings = Findings([])
    for name in options.only or SUBJECTS:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        findings += SUBJECTS[name](QUICK if options.quick else FULL)
    print(report.as_json(findings, report.ROOMS) if options.json else report.table(findings.rows))
    if options.write:
        report.write(findings, report.ROOMS, _HERE / "RESULTS.md", plots.draw(findings.curves, _HERE / "plots"))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rooms", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes, a few seconds")
    parser.add_argument("--json", action="store_true", help="print JSON in place of the table")
    parser.add_argument("--write", action="store_true", help="write benchmarks/RESULTS.md and the plots")
    parser.add_argument(
        "--only", action="append", choices=list(SUBJECTS), metavar="NAME",
        help=f"only this subject; may be repeated: {', '.join(SUBJECTS)}",
    )  # fmt: skip
    return parser


if __name__ == "__main__":
    sys.exit(main())
