"""Counting the votes of many, in one run: `python -m benchmarks.rooms`.

Prints a table. `--quick` only shows that all of it runs, in seconds; its figures mean nothing.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence

from benchmarks import counting, program, report
from benchmarks.counting import FULL, QUICK, Scale
from benchmarks.findings import Findings

SUBJECTS: Mapping[str, Callable[[Scale], Findings]] = {
    "loops": counting.measure_loops,
    "ranked": counting.measure_ranked,
    "options": counting.measure_options,
    "lock": counting.measure_lock,
    "library": counting.measure_library,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print or write what was found. A missed budget is shown, not an exit code."""
    parser = program.parser_of("rooms", __doc__, SUBJECTS, "a few seconds")
    return program.run(parser, arguments, report.ROOMS, _measure)


def _measure(options: argparse.Namespace) -> Findings:
    return program.measured(SUBJECTS, options.only, QUICK if options.quick else FULL)


if __name__ == "__main__":
    sys.exit(main())
