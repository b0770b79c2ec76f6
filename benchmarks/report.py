"""A run in words: the table, JSON, and the results file."""

import json
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import attrs

from benchmarks.findings import Findings, Row

_LIBRARIES = ("trio", "attrs", "outcome")
_HEADINGS = ("what", "measured", "budget", "goal", "met", "detail")


def machine() -> dict[str, str]:
    """What the figures were measured on."""
    return {
        "cpus": str(os.cpu_count()),
        "architecture": platform.machine(),
        "system": platform.system(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        **{name: version(name) for name in _LIBRARIES},
        "date": datetime.now(UTC).date().isoformat(),
    }


def table(rows: Sequence[Row]) -> str:
    """The rows as plain text in columns."""
    lines = [_HEADINGS, *map(_cells, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADINGS))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    text.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in text)


def as_json(findings: Findings) -> str:
    """The run as one JSON object: `machine`, `rows` with their verdicts, `curves`."""
    rows = [{**attrs.asdict(row), "verdict": row.verdict} for row in findings.rows]
    curves = [attrs.asdict(curve) for curve in findings.curves]
    document: dict[str, Any] = {"machine": machine(), "rows": rows, "curves": curves}
    return json.dumps(document, indent=2)


def write(findings: Findings, path: Path, plots: Sequence[Path]) -> None:
    """Write the results file, with the machine, the table and the plots beside it."""
    facts = "\n".join(f"- {name}: {value}" for name, value in machine().items())
    lines = [_HEADINGS, ("---",) * len(_HEADINGS), *map(_cells, findings.rows)]
    rows = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    pictures = "\n\n".join(f"![{p.stem.replace('_', ' ')}]({p.parent.name}/{p.name})" for p in plots)
    path.write_text(f"{_PREFACE}\n{facts}\n\n{rows}\n\n{pictures}\n".rstrip() + "\n", encoding="utf-8")


def _cells(row: Row) -> tuple[str, ...]:
    bound = ">=" if row.at_least else "<="
    limits = ["" if value is None else f"{bound} {value:g}" for value in (row.budget, row.goal)]
    return (row.name, f"{row.measured:.2f} {row.unit}", *limits, row.verdict, row.detail)


_PREFACE = """# Results in one process

Written by `python -m benchmarks.core --write`. Ratios are medians over interleaved rounds of CPU
time in one run; rows without a budget are there for orientation. `x rate` and `x time` compare with
the 40-line broker in `benchmarks/forty_lines.py`, or with this library's own figure where the
detail says `with` and `without`. The met column says what was met: the goal, the budget, or nothing
(MISSED).
"""
