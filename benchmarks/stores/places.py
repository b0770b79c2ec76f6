"""Where stores are measured: a folder on this machine's disk, and a PostgreSQL server of our own that syncs."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import attrs
import trio
from msgspec.structs import replace

from facets import Principal
from questions.durable import Caller, Commit, Store, StoreLimits, open_store
from questions.durable.drafting import draft
from questions.durable.swapping import written
from questions.durable.tokens import new_token

ANA = Caller(Principal.user("ana"), via="cli")
LIMITS = StoreLimits(max_open=100_000, max_stored=1_000_000)
_AT_ONCE, _DAY_MS = 500, 86_400_000


@attrs.frozen
class Place:
    """An engine: its name, and places for stores that nobody has used."""

    name: str
    fresh: Callable[[], str]
    """A folder or an address, as `open_store` takes it."""


@contextmanager
def open_places(syncs: bool) -> Iterator[Sequence[Place]]:
    """Both engines for the block; nothing is left behind. `syncs`: whether the server does."""
    from tests.questions.durable.postgres_server import new_server  # noqa: PLC0415  # workers do without it

    folder = Path(tempfile.mkdtemp(prefix="questions-bench-"))
    server = new_server(fsync="on" if syncs else "off", shared_buffers="128MB")  # type: ignore[no-untyped-call]
    try:
        server.start()
        try:
            yield (
                Place("SQLite", lambda: tempfile.mkdtemp(dir=folder)),
                Place("PostgreSQL", lambda: f"{server.address}&schema=bench_{new_token().lower().replace('-', '_')}"),
            )
        finally:
            server.stop()
    finally:
        shutil.rmtree(server.folder)
        shutil.rmtree(folder)


@asynccontextmanager
async def open_roomy(where: str) -> AsyncIterator[Store]:
    """A store with room for all that is raised here, without a sweeper."""
    async with open_store(where, limits=LIMITS, sweep_ms=None) as store:
        yield store


async def stand(store: Store, count: int) -> list[str]:
    """The ids of so many decisions that are put into a store many at a time, open, with a deadline that is far away."""
    now = await store.backend.now()
    fields = {"title": "Ship it?", "body": "x" * 100, "timeout_ms": _DAY_MS}
    ids: list[str] = []
    while len(ids) < count:
        drafts = [
            # Raised one after the other, as they would be: else every index is written to all over.
            draft(fields, caller=ANA, id=f"dec_{new_token()}", now=now - count + number)
            for number in range(len(ids), min(len(ids) + _AT_ONCE, count))
        ]
        await store.backend.commit(Commit(new_token(), [written(replace(one, version=1)) for one in drafts]))
        ids += [one.id for one in drafts]
    return ids


async def answer(store: Store, ids: Sequence[str]) -> int:
    """Answer them one after the other."""
    decisions = store.decisions(ANA)
    for id in ids:
        await decisions.answer(id, text="yes")
    return len(ids)


async def answer_at_once(store: Store, ids: Sequence[str], answerers: int) -> int:
    """So many share them, all at the same time."""
    async with trio.open_nursery() as nursery:
        for number in range(answerers):
            nursery.start_soon(answer, store, ids[number::answerers])
    return len(ids)
