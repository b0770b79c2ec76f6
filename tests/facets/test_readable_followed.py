"""Following a readable: the newest value, never a queue, and no trace of who has gone."""

from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from facets import Cell, derive
from tests.facets.graphs import counting
from tests.rules import rule

pytestmark = rule("Q-VIEW-2")


async def collect(source, seen):
    async for value in source.changes():
        seen.append(value)


@pytest.fixture
async def follow(nursery):
    """Start a watcher of a readable; gives the list of what it has seen and what stops it."""

    async def start(source):
        seen: list[Any] = []
        scope = trio.CancelScope()

        async def watch():
            with scope:
                await collect(source, seen)

        nursery.start_soon(watch)
        await wait_all_tasks_blocked()
        return seen, scope

    return start


async def test_watcher_gets_the_current_value_first_then_each_newest(follow):
    cell = Cell(0)
    seen, _ = await follow(cell)
    for value in (1, 2):
        cell.set(value)
        await wait_all_tasks_blocked()
    assert seen == [0, 1, 2]


async def test_changes_of_one_step_wake_a_watcher_once(follow):
    a, b = Cell(0), Cell(0)
    runs = counting(lambda x, y: (x, y))
    seen, _ = await follow(derive([a, b], runs))
    for value in range(1, 10):
        a.set(value)
        b.set(value)
    await wait_all_tasks_blocked()
    assert (seen, runs.runs) == ([(0, 0), (9, 9)], 2)


async def test_watcher_that_is_busy_gets_the_newest_value_and_no_queue():
    cell = Cell(0)
    changes = cell.changes()
    assert await anext(changes) == 0
    for value in range(1, 100):
        cell.set(value)
    assert await anext(changes) == 99
    with trio.move_on_after(0) as scope:
        await anext(changes)
    assert scope.cancelled_caught


async def test_watcher_is_not_shown_an_equal_result(follow):
    cell = Cell(1)
    seen, _ = await follow(derive([cell], lambda x: x % 2))
    cell.set(3)
    await wait_all_tasks_blocked()
    cell.set(4)
    await wait_all_tasks_blocked()
    assert seen == [1, 0]


async def test_change_and_change_back_within_one_step_is_no_news_to_a_derived_watcher(follow):
    cell = Cell(1)
    seen, _ = await follow(derive([cell], str))
    cell.set(2)
    cell.set(1)
    await wait_all_tasks_blocked()
    assert seen == ["1"]


async def test_cancelled_watcher_leaves_no_listener(follow):
    cell = Cell(0)
    middle = derive([cell], str)
    _, first = await follow(derive([middle], str))
    seen, second = await follow(middle)
    first.cancel()
    await wait_all_tasks_blocked()
    cell.set(1)
    await wait_all_tasks_blocked()
    second.cancel()
    await wait_all_tasks_blocked()
    assert (seen, cell._listeners, middle._listeners) == (["0", "1"], {}, {})


async def test_watcher_cancelled_in_the_step_of_a_change_is_gone_cleanly(follow):
    cell = Cell(0)
    for cancel_first in (True, False):
        seen, scope = await follow(cell)
        steps = [scope.cancel, lambda: cell.set(cell.value + 1)]
        for step in steps if cancel_first else reversed(steps):
            step()
        await wait_all_tasks_blocked()
        assert (len(seen) >= 1, cell._listeners) == (True, {})


async def test_watchers_have_places_of_their_own(follow):
    cell = Cell("old")
    early, _ = await follow(cell)
    cell.set("new")
    late, _ = await follow(cell)
    assert (early, late) == (["old", "new"], ["new"])


async def test_watcher_is_told_of_a_failure_and_can_go_on():
    cell = Cell(0)
    changes = derive([cell], lambda x: 1 // x).changes()
    with pytest.raises(ZeroDivisionError):
        await anext(changes)
    cell.set(1)
    assert await anext(changes) == 1


async def test_changed_gives_the_version_that_differs(nursery):
    cell = Cell(0)
    assert await cell.changed(-1) == 0
    nursery.start_soon(wait_and_set, cell)
    assert await cell.changed(0) == 1


async def wait_and_set(cell):
    await wait_all_tasks_blocked()
    cell.set(1)


async def test_following_can_be_cancelled_even_if_every_step_finds_a_change():
    cell = Cell(0)
    with trio.CancelScope() as scope:
        async for value in cell.changes():
            cell.set(value + 1)
            if value == 3:
                scope.cancel()
    assert scope.cancelled_caught
