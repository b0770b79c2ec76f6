"""A benchmark as a program: its options, its subjects one after the other, and where what was found goes."""

import argparse
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from benchmarks import plots, report
from benchmarks.findings import Findings

S = TypeVar("S")

_HERE = Path(__file__).parent


def parser_of(
    name: str, about: str | None, subjects: Collection[str], quick: str, *, only: str = "--only"
) -> argparse.ArgumentParser:
    """The options that all benchmarks have. `quick`: how long that takes; `only`: what chooses subjects."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=about)
    parser.add_argument("--quick", action="store_true", help=f"tiny sizes, {quick}")
    parser.add_argument("--json", action="store_true", help="print JSON in place of the table")
    parser.add_argument("--write", action="store_true", help="write benchmarks/RESULTS.md and the plots")
    parser.add_argument(
        only, dest="only", action="append", choices=list(subjects), metavar="NAME",
        help=f"only this subject; may be repeated: {', '.join(subjects)}",
    )  # fmt: skip
    parser.set_defaults(only_option=only)
    return parser


def run(
    parser: argparse.ArgumentParser,
    arguments: Sequence[str] | None,
    section: report.Section,
    measure: Callable[[argparse.Namespace], Findings],
) -> int:
    """Measure, and print or write what was found. A missed budget is shown, not an exit code."""
    options = parser.parse_args(arguments)
    if options.write and (options.quick or options.only):
        parser.error(f"--write is for a full run, without --quick and {options.only_option}")
    if options.write:
        plots.check()
    findings = measure(options)
    print(report.as_json(findings, section) if options.json else report.table(findings.rows))
    if options.write:
        report.write(findings, section, _HERE / "RESULTS.md", plots.draw(findings.curves, _HERE / "plots"))
    return 0


def measured(subjects: Mapping[str, Callable[[S], Findings]], chosen: Sequence[str] | None, scale: S) -> Findings:
    """What these subjects find, or those that were chosen, one after the other."""
    findings = Findings([])
    for name in chosen or subjects:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        findings += subjects[name](scale)
    return findings
