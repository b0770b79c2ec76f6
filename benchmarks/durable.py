"""Decisions that outlive the process, on SQLite and PostgreSQL, in one run: `python -m benchmarks.durable`.

Prints a table. `--quick` only shows that all of it runs, in seconds; its figures mean nothing.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks import plots, report
from benchmarks.findings import Findings
from benchmarks.stores import answering, crowd, idle, large, starting, waiters, waking
from benchmarks.stores.places import Place, open_places
from benchmarks.stores.scale import FULL, QUICK, Scale

SUBJECTS: Mapping[str, Callable[[Scale, Sequence[Place]], Findings]] = {
    "answering": answering.measure,
    "crowd": crowd.measure,
    "waking": waking.measure,
    "idle": idle.measure,
    "large": large.measure,
    "waiters": waiters.measure,
    "starting": starting.measure,
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
    findings = _measure(options.only or SUBJECTS, QUICK if options.quick else FULL)
    print(report.as_json(findings, report.DURABLE) if options.json else report.table(findings.rows))
    if options.write:
        report.write(findings, report.DURABLE, _HERE / "RESULTS.md", plots.draw(findings.curves, _HERE / "plots"))
    return 0


def _measure(names: Sequence[str] | Mapping[str, object], scale: Scale) -> Findings:
    findings = Findings([])
    with open_places(scale.syncs) as places:
        for name in names:
            print(f"measuring {name} ...", file=sys.stderr, flush=True)
            findings += SUBJECTS[name](scale, places)
    return findings


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.durable", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes, some seconds")
    parser.add_argument("--json", action="store_true", help="print JSON in place of the table")
    parser.add_argument("--write", action="store_true", help="write benchmarks/RESULTS.md and the plots")
    parser.add_argument(
        "--only", action="append", choices=list(SUBJECTS), metavar="NAME",
        help=f"only this subject; may be repeated: {', '.join(SUBJECTS)}",
    )  # fmt: skip
    return parser


if __name__ == "__main__":
    sys.exit(main())
