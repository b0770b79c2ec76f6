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

_HEADINGS = ("what", "measured", "budget", "goal", "met", "detail")


@attrs.frozen
class Section:
    """What of the results file belongs to one benchmark."""

    heading: str
    preface: str
    libraries: tuple[str, ...]
    """Those whose versions matter to the figures."""


def machine(section: Section) -> dict[str, str]:
    """What the figures were measured on."""
    return {
        "cpus": str(os.cpu_count()),
        "architecture": platform.machine(),
        "system": platform.system(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        **{name: version(name) for name in section.libraries},
        "date": datetime.now(UTC).date().isoformat(),
    }


def table(rows: Sequence[Row]) -> str:
    """The rows as plain text in columns."""
    lines = [_HEADINGS, *map(_cells, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADINGS))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    text.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(line.rstrip() for line in text)


def as_json(findings: Findings, section: Section) -> str:
    """The run as one JSON object: `machine`, `rows` with their verdicts, `curves`."""
    rows = [{**attrs.asdict(row), "verdict": row.verdict} for row in findings.rows]
    curves = [attrs.asdict(curve) for curve in findings.curves]
    document: dict[str, Any] = {"machine": machine(section), "rows": rows, "curves": curves}
    return json.dumps(document, indent=2)


def write(findings: Findings, section: Section, path: Path, plots: Sequence[Path]) -> None:
    """Write one section of the results file, with the machine, the table and the plots; the others stay as they are."""
    facts = "\n".join(f"- {name}: {value}" for name, value in machine(section).items())
    lines = [_HEADINGS, ("---",) * len(_HEADINGS), *map(_cells, findings.rows)]
    rows = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    pictures = "\n\n".join(f"![{p.stem.replace('_', ' ')}]({p.parent.name}/{p.name})" for p in plots)
    parts = _parts(path.read_text(encoding="utf-8") if path.exists() else "")
    parts[section.heading] = f"{section.preface}\n{facts}\n\n{rows}\n\n{pictures}".rstrip()
    known = [one.heading for one in (CORE, WIRE, DURABLE, ROOMS)]
    ordered = sorted(parts, key=lambda heading: known.index(heading) if heading in known else len(known))
    text = "\n\n".join(f"## {heading}\n\n{parts[heading]}" for heading in ordered)
    path.write_text(f"{_PREFACE}\n{text}\n", encoding="utf-8")


def _parts(text: str) -> dict[str, str]:
    """What stands under each heading of a results file."""
    _, *parts = text.split("\n## ")
    return {heading: rest.strip("\n") for heading, _, rest in (part.partition("\n") for part in parts)}


def _cells(row: Row) -> tuple[str, ...]:
    bound = ">=" if row.at_least else "<="
    limits = ["" if value is None else f"{bound} {value:g}" for value in (row.budget, row.goal)]
    return (row.name, f"{row.measured:.2f} {row.unit}", *limits, row.verdict, row.detail)


_PREFACE = """# Results

Each section is written by one benchmark. Ratios are medians over interleaved rounds in one run; rows without a budget
are there for orientation. The met column says what was met: the goal, the budget, or nothing (MISSED).
"""

CORE = Section(
    "In one process",
    """Written by `python -m benchmarks.core --write`. Ratios are of CPU time; `x rate` and `x time` compare with the
40-line broker in `benchmarks/forty_lines.py`, or with this library's own figure where the detail says `with` and
`without`.
""",
    ("trio", "attrs", "outcome"),
)

WIRE = Section(
    "On the wire",
    """Written by `python -m benchmarks.wire --write`. Servers, clients and viewers are processes of their own; times
are by the wall. `x rate` compares a change with the best of websockets.trio's own ways to send to everybody
(`benchmarks/links/bare.py`), and a burst with its `broadcast()`; echo times are those of its echo.
""",
    ("trio", "websockets", "msgspec"),
)

DURABLE = Section(
    "Decisions that outlive the process",
    """Written by `python -m benchmarks.durable --write`. Times are by the wall. `x rate` compares with a bare
compare-and-swap on the same engine and disk (`benchmarks/stores/bare.py`), or with this library's own figure where the
detail says `with` and `without`. Both engines sync every commit; the PostgreSQL server runs on the same machine.
""",
    ("trio", "apsw", "psycopg", "msgspec"),
)

ROOMS = Section(
    "Votes of many",
    """Written by `python -m benchmarks.rooms --write`. Seconds and ratios are of CPU time; `x time` compares with a
plain loop over the same (`benchmarks/plain_loops.py`), a vote on a question with everybody answering it by `All`, and
receipts with bare Ed25519, `json` and `hashlib` (`benchmarks/chains.py`).
`power` says how a cost grows: 1 is in step with the size, 0 not at all.
""",
    ("attrs", "rfc8785", "cryptography"),
)
