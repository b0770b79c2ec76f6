"""A connection to PostgreSQL that is lost around a commit: what was acknowledged has happened, and once."""

import pytest
import trio

from questions.durable.backend import Below, Conflict
from questions.durable.errors import StoreUnavailable
from questions.durable.postgres import open_postgres
from questions.testing.engine_stage import THINGS, commit, put
from tests.questions.durable.postgres_proxy import open_proxy
from tests.questions.durable.postgres_stages import TABLES, open_postgres_stage

ROOM = Below(THINGS, "all", (), 100)
"""What has to be counted is looked at before it is written, which takes two round trips."""


@pytest.fixture
async def stage():
    async with open_postgres_stage() as stage, stage.open():
        yield stage


async def state(backend, key="a"):
    """The version of a key, its value, and the versions that the feed tells of.

    A transaction that others have found done may still be letting go of its locks; the feed tells of it after that.
    """
    [row] = (await backend.get(THINGS, [key])).rows
    versions: list[int] = []
    with trio.fail_after(10):
        while row.version not in versions:
            lines = (await backend.changes(0)).lines
            versions = [line.notice.version for line in lines if line.notice.key == key]
    return row.version, row.value, versions


async def let_it_arrive(proxy, stage):
    """Once the repetition waits for it."""
    await stage.blocked()
    proxy.late.set()


@pytest.mark.parametrize(
    ("fault", "guards"),
    [("before", [ROOM]), ("half", [ROOM]), ("after", [ROOM]), ("before", []), ("after at once", [])],
)
async def test_a_commit_happens_once_wherever_its_connection_is_cut(stage, fault, guards):
    async with open_proxy(stage) as proxy, open_postgres(proxy.address, TABLES) as backend:
        await backend.commit(commit(put("a")))
        proxy.faults += [fault, fault]
        await backend.commit(commit(put("a", 1, "new"), put("b"), guards=guards))
        await backend.commit(commit(put("a", 2, "newer"), guards=guards))
        assert not proxy.faults
        assert await state(backend) == (3, "newer", [1, 2, 3])
        assert await backend.count(THINGS, "all", ()) == 2


async def test_who_lost_others_wait_for_the_old_transaction_and_find_what_became_of_it(stage):
    async with open_proxy(stage) as proxy, open_postgres(proxy.address, TABLES) as backend:
        await backend.commit(commit(put("a")))
        proxy.faults.append("later")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(let_it_arrive, proxy, stage)
            await backend.commit(commit(put("a", 1, "new"), guards=[ROOM]))
            nursery.cancel_scope.cancel()
        assert await state(backend) == (2, "new", [1, 2])


async def test_what_arrives_after_its_repetition_does_nothing(stage):
    async with open_proxy(stage) as proxy, open_postgres(proxy.address, TABLES) as backend:
        await backend.commit(commit(put("a")))
        proxy.faults.append("later at once")
        await backend.commit(commit(put("a", 1, "new"), put("b")))
        assert proxy.struck.is_set()
        proxy.late.set()
        await proxy.arrived.wait()
        assert await state(backend) == (2, "new", [1, 2])
        assert await backend.count(THINGS, "all", ()) == 2


async def test_a_new_key_that_is_still_on_its_way_is_not_written_twice(stage):
    async with open_proxy(stage) as proxy, open_postgres(proxy.address, TABLES) as backend:
        proxy.faults.append("later")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(let_it_arrive, proxy, stage)
            await backend.commit(commit(put("a")))
            nursery.cancel_scope.cancel()
        assert await state(backend) == (1, "v", [1])
        assert await backend.count(THINGS, "all", ()) == 1


async def test_of_a_batch_that_is_cut_each_commit_has_its_own_outcome(stage):
    outcomes = {}

    async def send(backend, key, expected):
        try:
            await backend.commit(commit(put(key, expected)))
            outcomes[key] = "done"
        except Conflict:
            outcomes[key] = "conflict"

    async with open_proxy(stage) as proxy, open_postgres(proxy.address, TABLES) as backend:
        proxy.faults += ["after", "before", "half"]
        async with trio.open_nursery() as nursery:
            for number in range(30):
                nursery.start_soon(send, backend, f"k{number}", number % 3 % 2)
        assert outcomes == {f"k{n}": "conflict" if n % 3 == 1 else "done" for n in range(30)}
        assert len((await backend.changes(0)).lines) == await backend.count(THINGS, "all", ()) == 20


@pytest.mark.parametrize("fault", ["stalled", "stalled half"])
async def test_a_client_that_stands_still_does_not_block_others_for_ever(stage, fault):
    async with (
        open_proxy(stage) as proxy,
        open_postgres(proxy.address, TABLES) as frozen,
        stage.open() as other,
        trio.open_nursery() as nursery,
    ):
        await other.commit(commit(put("a")))
        proxy.faults.append(fault)
        frozen_end = trio.Event()

        async def be_late():
            with pytest.raises(Conflict):
                await frozen.commit(commit(put("a", 1, "late")))
            frozen_end.set()

        nursery.start_soon(be_late)
        await proxy.struck.wait()
        with trio.fail_after(10):
            await other.commit(commit(put("a", 1, "in time")))
            await frozen_end.wait()
        assert (await state(other))[:2] == (2, "in time")


async def test_where_nobody_listens_the_store_is_not_available():
    async with open_postgres_stage() as stage:
        address = stage.through("127.0.0.1", 1)
        with pytest.raises(StoreUnavailable, match="refused"):
            async with open_postgres(address, TABLES):
                pass
