"""Opening a store: where it may be, what is refused, and what is left when it is closed."""

import pytest
import trio

from questions.durable import BadArgument, StoreUnavailable, open_store
from questions.durable.memory import MemoryBackend
from questions.durable.store import TABLES
from tests.questions.durable.acts import raise_one
from tests.questions.durable.cases import ALICE, MAIN
from tests.questions.durable.intercepting import Intercepting


async def test_a_store_in_memory_ends_with_its_block():
    async with open_store(":memory:") as store:
        await raise_one(store)
        assert len(await store.decisions(MAIN).list()) == 1
    async with open_store(":memory:") as store:
        assert await store.decisions(MAIN).list() == []


async def test_an_engine_that_is_open_stays_open():
    backend = MemoryBackend(TABLES)
    for _ in range(2):
        async with open_store(backend) as store:
            await raise_one(store)
    assert await backend.count(TABLES[0], "all", ()) == 2


async def test_a_folder_that_is_not_there_is_refused(tmp_path):  # case 105
    (tmp_path / "file").touch()
    for where in (tmp_path / "missing", str(tmp_path / "file")):
        with pytest.raises(BadArgument, match=r"\$\.where: .* is not a folder"):
            async with open_store(where):
                pass
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize("where", ["x" * 5_000, "a\0b", "", "loop/loop"])
async def test_what_cannot_be_a_folder_is_refused(tmp_path, monkeypatch, where):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(BadArgument, match="not a folder"):
        async with open_store(where):
            pass


async def test_a_folder_that_sqlite_cannot_name_is_refused(tmp_path):
    where = tmp_path / "\udcff"
    where.mkdir()
    with pytest.raises(BadArgument, match="UTF-8"):
        async with open_store(where):
            pass


async def test_a_relative_folder_stays_where_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with open_store(".") as store:
        monkeypatch.chdir("/")
        raised = await raise_one(store)
        assert await store.decisions(MAIN).list() == [raised]


@pytest.mark.parametrize(
    "where",
    [
        "POSTGRESQL://ana:s3cret@localhost/db",
        " postgresql://ana:s3cret@localhost/db",
        "postgresql+psycopg://ana:s3cret@localhost/db",
        "mysql://ana:s3cret@localhost/db",
        "ana:s3cret@localhost/db",
        "host=localhost password=s3cret",
    ],
)
async def test_what_may_be_an_address_with_a_password_is_not_repeated(where):
    with pytest.raises(BadArgument) as refused:
        async with open_store(where):
            pass
    assert "s3cret" not in str(refused.value)


async def test_a_password_in_an_address_is_refused_and_not_repeated():
    with pytest.raises(BadArgument) as refused:
        async with open_store("postgresql://ana:s3cret@localhost/db"):
            pass
    assert "s3cret" not in str(refused.value)


async def test_the_folder_one_stands_in_is_refused_once_it_was_deleted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tmp_path.rmdir()
    with pytest.raises(BadArgument, match="not a folder that is there"):
        async with open_store("."):
            pass


@pytest.mark.parametrize("times", [{"sweep_ms": 49}, {"sweep_ms": 60_001}, {"safety_poll_ms": 0}, {"sweep_ms": True}])
async def test_times_out_of_range_are_refused(times):
    with pytest.raises(BadArgument):
        async with open_store(":memory:", **times):
            pass


async def test_a_store_that_cannot_be_reached_is_not_opened():
    away = Intercepting(MemoryBackend(TABLES))
    away.away = {"changes"}
    with pytest.raises(StoreUnavailable):
        async with open_store(away):
            raise AssertionError("it was opened")


async def test_what_the_block_raises_comes_out_as_it_is():
    with pytest.raises(KeyError):
        async with open_store(":memory:"):
            raise KeyError("mine")


async def test_a_store_can_be_cancelled_as_a_whole(autojump_clock):
    with trio.move_on_after(5) as scope:
        async with open_store(MemoryBackend(TABLES)) as store:
            raised = await raise_one(store)
            await store.decisions(ALICE).wait(raised.id)
    assert scope.cancelled_caught
