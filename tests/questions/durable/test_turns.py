"""Group commit: what waits at the same time shares a turn, and each is told of its own end."""

import threading
from contextlib import asynccontextmanager
from itertools import chain

import pytest
import trio
import trio.testing

from questions.durable.backend import Commit
from questions.durable.errors import StoreUnavailable
from questions.durable.turns import Turns, Worker

ONE, TWO, THREE, FOUR = (Commit(token) for token in ("one", "two", "three", "four"))


class Disk:
    """Takes commits when it is let to; `taken` are the turns so far."""

    def __init__(self, **faults):
        self.faults = faults
        self.taken = []
        self.may_go_on = threading.Semaphore(0)
        self.begun = threading.Semaphore(0)

    def take(self, commits):
        self.taken.append([commit.token for commit in commits])
        self.begun.release()
        self.may_go_on.acquire()
        return [self.faults.get(commit.token) for commit in commits]


def names_of_threads():
    return [thread.name for thread in threading.enumerate()]


@asynccontextmanager
async def busy_with_one(disk):
    """A nursery in which `one` is on the disk, which has not let it go yet."""
    async with Turns(disk.take, name="a writer") as turns, trio.open_nursery() as nursery:
        nursery.start_soon(turns.submit, ONE)
        await trio.to_thread.run_sync(disk.begun.acquire)
        try:
            yield turns, nursery
        finally:
            disk.may_go_on.release(10)


async def test_what_waits_shares_the_next_turn():
    disk = Disk()
    async with busy_with_one(disk) as (turns, nursery):
        for commit in (TWO, THREE, FOUR):
            nursery.start_soon(turns.submit, commit)
            await trio.testing.wait_all_tasks_blocked()
    assert disk.taken == [["one"], ["two", "three", "four"]]


async def test_a_turn_takes_no_more_than_it_may():
    disk = Disk()
    disk.may_go_on.release(10)
    async with Turns(disk.take, name="a writer", most=2) as turns, trio.open_nursery() as nursery:
        for commit in (ONE, TWO, THREE, FOUR):
            nursery.start_soon(turns.submit, commit)
    assert max(map(len, disk.taken)) <= 2


async def test_each_is_told_of_its_own_end():
    disk = Disk(two=ValueError("two"))
    disk.may_go_on.release(10)
    async with Turns(disk.take, name="a writer") as turns:
        await turns.submit(ONE)
        with pytest.raises(ValueError, match="two"):
            await turns.submit(TWO)
        await turns.submit(THREE)


async def test_nobody_is_told_before_the_turn_has_ended():
    disk = Disk()
    async with busy_with_one(disk) as (_, nursery):
        await trio.testing.wait_all_tasks_blocked()
        assert len(nursery.child_tasks) == 1


async def test_cancelled_while_it_waits_it_never_happens():
    disk = Disk()
    async with busy_with_one(disk) as (turns, _):
        with trio.move_on_after(0) as scope:
            await turns.submit(TWO)
    assert scope.cancelled_caught
    assert disk.taken == [["one"]]


async def test_cancelled_while_it_is_committed_it_is_waited_for():
    disk, scope = Disk(), trio.CancelScope()
    ends = []

    async def commit(turns):
        with scope:
            await turns.submit(TWO)
            ends.append("two")

    async with busy_with_one(disk) as (turns, nursery):
        nursery.start_soon(commit, turns)
        await trio.testing.wait_all_tasks_blocked()
        disk.may_go_on.release()
        await trio.to_thread.run_sync(disk.begun.acquire)
        scope.cancel()
        await trio.testing.wait_all_tasks_blocked()
        assert not ends
    assert ends == ["two"]


async def test_under_a_cancelled_scope_nothing_is_asked_for():
    disk = Disk()
    async with Turns(disk.take, name="a writer") as turns:
        with trio.CancelScope() as scope:
            scope.cancel()
            await turns.submit(ONE)
    assert disk.taken == []


@pytest.mark.parametrize("ends", [lambda commits: 1 / 0, lambda commits: []], ids=["it raises", "it forgets one"])
async def test_a_turn_that_fails_is_told_to_all_and_the_next_is_taken(ends):
    async with Turns(lambda commits: ends(commits) if commits == [ONE] else [None], name="a writer") as turns:
        with pytest.raises((ZeroDivisionError, ValueError)):
            await turns.submit(ONE)
        await turns.submit(TWO)


async def test_a_function_runs_on_the_thread_and_does_not_wait_for_the_disk_of_others():
    disk = Disk()
    found = []

    async def look(turns):
        found.append(await turns.run(lambda: threading.current_thread().name))

    async with busy_with_one(disk) as (turns, nursery):
        nursery.start_soon(turns.submit, TWO)
        nursery.start_soon(look, turns)
        await trio.testing.wait_all_tasks_blocked()
        disk.may_go_on.release()
        await trio.to_thread.run_sync(disk.begun.acquire)
        await trio.testing.wait_all_tasks_blocked()
        assert found == ["a writer"]


async def test_a_function_raises_to_who_asked_for_it():
    async with Worker(name="a reader") as worker:
        with pytest.raises(ValueError, match="invalid literal"):
            await worker.run(int, "x")
        assert await worker.run(int, "1") == 1


async def test_closing_does_all_that_was_asked_for_and_leaves_no_thread():
    disk = Disk()
    async with trio.open_nursery() as nursery, Turns(disk.take, name="a writer") as turns:
        for commit in (ONE, TWO):
            nursery.start_soon(turns.submit, commit)
        await trio.testing.wait_all_tasks_blocked()
        disk.may_go_on.release(10)
    assert sorted(chain(*disk.taken)) == ["one", "two"]
    assert "a writer" not in names_of_threads()


async def test_a_cancelled_block_leaves_no_thread():
    with trio.move_on_after(0):
        async with Turns(Disk().take, name="a writer"):
            await trio.sleep_forever()
    assert "a writer" not in names_of_threads()


async def test_after_closing_it_is_not_available():
    async with Turns(Disk().take, name="a writer") as turns:
        pass
    with pytest.raises(StoreUnavailable, match="closed"):
        await turns.submit(ONE)
