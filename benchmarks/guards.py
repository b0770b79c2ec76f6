"""What a guard adds to a call that needs no approval."""

from collections.abc import Awaitable, Callable
from statistics import median
from time import process_time

import trio

from benchmarks.findings import Findings, Row
from benchmarks.scale import Scale
from questions import Asker, approval_required

_ROUNDS = 11


def measure(scale: Scale) -> Findings:
    """Microseconds of a guarded call beyond the bare one, interleaved."""
    return trio.run(_measure, 20 * scale.cycles)


async def _measure(count: int) -> Findings:
    @approval_required(_nobody, [], needs=lambda path: path.startswith("/etc"))
    async def guarded(path: str) -> str:
        return path

    pairs = [(await _us(guarded, count), await _us(_bare, count)) for _ in range(_ROUNDS)]
    added = median(with_guard - without for with_guard, without in pairs)
    detail = f"a bare call takes {median(without for _, without in pairs):.2f} us"
    name = "guard on a call that needs no approval"
    return Findings([Row(name, added, "us", detail, budget=5.0, goal=2.0, at_least=False)])


async def _bare(path: str) -> str:
    return path


async def _us(call: Callable[[str], Awaitable[str]], count: int) -> float:
    start = process_time()
    for _ in range(count):
        await call("notes.txt")
    return (process_time() - start) / count * 1e6


def _nobody() -> Asker:
    raise AssertionError("a call that needs no approval asks nobody")
