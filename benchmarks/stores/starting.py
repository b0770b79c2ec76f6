"""A cold start of the command that lists decisions."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import trio

from benchmarks.findings import Findings, Row
from benchmarks.stores.places import Place, open_roomy, stand
from benchmarks.stores.scale import Scale

_LISTED = 10


def measure(scale: Scale, places: Sequence[Place]) -> Findings:
    """Milliseconds by the wall, beside an interpreter that does nothing."""
    return Findings([_row(scale, place) for place in places])


def _row(scale: Scale, place: Place) -> Row:
    where = place.fresh()
    trio.run(_fill, where)
    commands = {
        "list": [str(Path(sys.executable).parent / "questions"), "decisions", "list", "--root", where],
        "bare": [sys.executable, "-c", "pass"],
    }
    # An installation is compiled when it is made; a checkout is by the first of these starts, if it may be.
    compiled = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(scale.starts):
        for name, command in commands.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=compiled)
            taken[name].append((time.perf_counter() - start) * 1000)
    budget, goal = (300.0, 150.0) if place.name == "SQLite" else (None, None)
    detail = f"an interpreter that does nothing {median(taken['bare']):.0f} ms"
    title = f"questions decisions list, {place.name}: cold start"
    return Row(title, median(taken["list"]), "ms", detail, budget, goal, at_least=False)


async def _fill(where: str) -> None:
    async with open_roomy(where) as store:
        await stand(store, _LISTED)
