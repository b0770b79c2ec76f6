"""Everything inside one process, in one run: `python -m benchmarks.core`.

Prints a table. `--quick` only shows that all of it runs, in seconds; its figures mean nothing.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence

from benchmarks import (
    crowds,
    deadlines,
    floors,
    guards,
    members,
    memory,
    program,
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print or write what was found. A missed budget is shown, not an exit code."""
    parser = program.parser_of("core", __doc__, SUBJECTS, "under ten seconds", only="--rows")
    return program.run(parser, arguments, report.CORE, _measure)


def _measure(options: argparse.Namespace) -> Findings:
    return program.measured(SUBJECTS, options.only, QUICK if options.quick else FULL)


if __name__ == "__main__":
    sys.exit(main())
