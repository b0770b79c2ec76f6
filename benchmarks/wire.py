"""Links between processes, over loopback, in one run: `python -m benchmarks.wire`.

Prints a table. `--quick` only shows that all of it runs, in seconds; its figures mean nothing. `--soak 10` lets
everything happen at once for ten minutes besides.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks import plots, report
from benchmarks.findings import Findings
from benchmarks.links import fan_out, memory, soak, stalled, storm, trips
from benchmarks.links.crowd import raise_the_limit
from benchmarks.links.scale import FULL, QUICK, Scale

SUBJECTS: Mapping[str, Callable[[Scale], Findings]] = {
    "fan-out": fan_out.measure,
    "bursts": fan_out.measure_bursts,
    "round-trip": trips.measure,
    "stalled": stalled.measure,
    "storm": storm.measure,
    "memory": memory.measure,
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
    raise_the_limit()
    findings = _measure(options.only or SUBJECTS, QUICK if options.quick else FULL)
    if options.soak:
        print(f"soaking for {options.soak:g} minutes ...", file=sys.stderr, flush=True)
        findings += soak.measure(options.soak)
    print(report.as_json(findings, report.WIRE) if options.json else report.table(findings.rows))
    if options.write:
        report.write(findings, report.WIRE, _HERE / "RESULTS.md", plots.draw(findings.curves, _HERE / "plots"))
    return 0


def _measure(names: Sequence[str] | Mapping[str, object], scale: Scale) -> Findings:
    findings = Findings([])
    for name in names:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        findings += SUBJECTS[name](scale)
    return findings


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wire", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes, under ten seconds")
    parser.add_argument("--json", action="store_true", help="print JSON in place of the table")
    parser.add_argument("--write", action="store_true", help="write benchmarks/RESULTS.md and the plots")
    parser.add_argument("--soak", type=float, default=0.0, metavar="MINUTES", help="10 is a good size; off by default")
    parser.add_argument(
        "--only", action="append", choices=list(SUBJECTS), metavar="NAME",
        help=f"only this subject; may be repeated: {', '.join(SUBJECTS)}",
    )  # fmt: skip
    return parser


if __name__ == "__main__":
    sys.exit(main())
