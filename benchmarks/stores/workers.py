"""Several worker processes on one store."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import trio

from benchmarks.links.children import Child, open_child


@asynccontextmanager
async def open_workers(where: str, count: int) -> AsyncIterator[Sequence[Child]]:
    """So many processes, each of which has the store open."""
    async with AsyncExitStack() as stack:
        opened = [open_child("worker", where, package="stores") for _ in range(count)]
        workers = [await stack.enter_async_context(one) for one in opened]
        for worker in workers:
            await worker.hear()
        yield workers


async def tell_all(workers: Sequence[Child], do: str, fields: Sequence[dict[str, Any]]) -> list[Any]:
    """Tell each of them, all at the same time: what they reply."""
    results: list[Any] = [None] * len(workers)

    async def tell(number: int) -> None:
        results[number] = (await workers[number].ask(do, **fields[number]))["result"]

    async with trio.open_nursery() as nursery:
        for number in range(len(workers)):
            nursery.start_soon(tell, number)
    return results
