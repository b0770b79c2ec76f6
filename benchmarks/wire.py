"""Links between processes, over loopback, in one run: `python -m benchmarks.wire`.

Prints a table. `--quick` only shows that all of it runs, in seconds; its figures mean nothing. `--soak 10` lets
everything happen at once for ten minutes besides.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence

from benchmarks import program, report
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print or write what was found. A missed budget is shown, not an exit code."""
    parser = program.parser_of("wire", __doc__, SUBJECTS, "under ten seconds")
    parser.add_argument("--soak", type=float, default=0.0, metavar="MINUTES", help="10 is a good size; off by default")
    return program.run(parser, arguments, report.WIRE, _measure)


def _measure(options: argparse.Namespace) -> Findings:
    raise_the_limit()
    findings = program.measured(SUBJECTS, options.only, QUICK if options.quick else FULL)
    if options.soak:
        print(f"soaking for {options.soak:g} minutes ...", file=sys.stderr, flush=True)
        findings += soak.measure(options.soak)
    return findings


if __name__ == "__main__":
    sys.exit(main())
