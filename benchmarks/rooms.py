"""Counting the votes of many, and receipts of it, in one run: `python -m benchmarks.rooms`.

Prints a table. `--quick` only shows that all of it runs, in seconds; its figures mean nothing.
"""

import argparse
import gc
import sys
from collections.abc import Callable, Mapping, Sequence

from benchmarks import chains, counting, locking, program, report
from benchmarks.findings import Findings
from benchmarks.rooms_scale import FULL, QUICK, Scale

SUBJECTS: Mapping[str, Callable[[Scale], Findings]] = {
    "loops": counting.measure_loops,
    "ranked": counting.measure_ranked,
    "options": counting.measure_options,
    "library": counting.measure_library,
    "lock": locking.measure_lock,
    "voters": locking.measure_voters,
    "receipts": chains.measure,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print or write what was found. A missed budget is shown, not an exit code."""
    parser = program.parser_of("rooms", __doc__, SUBJECTS, "in seconds")
    return program.run(parser, arguments, report.ROOMS, _measure)


def _measure(options: argparse.Namespace) -> Findings:
    gc.freeze()  # each sample begins with a collection, which then looks at what has been made since
    return program.measured(SUBJECTS, options.only, QUICK if options.quick else FULL)


if __name__ == "__main__":
    sys.exit(main())
