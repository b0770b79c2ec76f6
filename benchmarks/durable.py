"""Decisions that outlive the process, on SQLite and PostgreSQL, in one run: `python -m benchmarks.durable`.

Prints a table. `--quick` only shows that all of it runs, in seconds; its figures mean nothing.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence

from benchmarks import program, report
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print or write what was found. A missed budget is shown, not an exit code."""
    parser = program.parser_of("durable", __doc__, SUBJECTS, "some seconds")
    return program.run(parser, arguments, report.DURABLE, _measure)


def _measure(options: argparse.Namespace) -> Findings:
    scale = QUICK if options.quick else FULL
    with open_places(scale.syncs) as places:
        subjects = {name: _at(places, measure) for name, measure in SUBJECTS.items()}
        return program.measured(subjects, options.only, scale)


def _at(places: Sequence[Place], measure: Callable[[Scale, Sequence[Place]], Findings]) -> Callable[[Scale], Findings]:
    return lambda scale: measure(scale, places)


if __name__ == "__main__":
    sys.exit(main())
