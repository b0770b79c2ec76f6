"""Everything inside one process, in one run: `python -m benchmarks.core`.

Prints a table. `--quick` only shows that all of it runs, in seconds; its figures mean nothing.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks import (
    crowds,
    deadlines,
    floors,
    guards,
    members,
    memory,
    plots,
    report,
    round_trip,
    standing,
)
from benchmarks.findings import Findings
from benchmarks.scale import FULL, QUICK, Scale

SUBJECTS: Mapping[str, Callable[[Scale], Findings]] = {
    "floors": floors.measure,
    "round-trip": round_trip.measure,
    "one-go": round_trip.measure_one_go,
    "latency": round_trip.measure_latency,
    "standing": standing.measure,
    "outsiders": standing.measure_outsiders,
    "viewers": crowds.measure,
    "members": members.measure,
    "deadlines": deadlines.measure,
    "memory": memory.measure,
    "guards": guards.measure,
}

_HERE = Path(__file__).parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print or write what was found. A missed budget is shown, not an exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.write and (options.quick or options.rows):
        parser.error("--write is for a full run, without --quick and --rows")
    if options.write:
        plots.check()
    scale = QUICK if options.quick else FULL
    findings = Findings([])
    for name in options.rows or SUBJECTS:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        findings += SUBJECTS[name](scale)
    print(report.as_json(findings, report.CORE) if options.json else report.table(findings.rows))
    if options.write:
        report.write(findings, report.CORE, _HERE / "RESULTS.md", plots.draw(findings.curves, _HERE / "plots"))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.core", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes, under ten seconds")
    parser.add_argument("--json", action="store_true", help="print JSON in place of the table")
    parser.add_argument("--write", action="store_true", help="write benchmarks/RESULTS.md and the plots")
    parser.add_argument(
        "--rows", action="append", choices=list(SUBJECTS), metavar="NAME",
        help=f"only this subject; may be repeated: {', '.join(SUBJECTS)}",
    )  # fmt: skip
    return parser


if __name__ == "__main__":
    sys.exit(main())
