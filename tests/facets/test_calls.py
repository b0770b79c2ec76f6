"""A call has one id, from the outermost scope down to every task that was started in it."""

import trio

from facets import current_call, open_host
from facets.calls import in_call


async def test_there_is_no_call_outside_of_a_scope():
    async with open_host([]) as host:
        assert current_call() is None
        async with host.root():
            assert current_call()
        assert current_call() is None


async def test_scopes_within_a_scope_and_tasks_that_they_start_share_its_call():
    seen = set()

    async def work(host):
        async with host.root():
            seen.add(current_call())

    async with open_host([]) as host, host.root(), trio.open_nursery() as nursery:
        seen.add(current_call())
        async with host.root():
            nursery.start_soon(work, host)
    assert len(seen) == 1


async def test_each_outermost_scope_is_another_call():
    seen = set()

    async def work(host):
        async with host.root():
            seen.add(current_call())

    async with open_host([]) as host, trio.open_nursery() as nursery:
        for _ in range(10):
            nursery.start_soon(work, host)
    assert len(seen) == 10


async def test_a_scope_that_is_left_in_another_task_changes_nothing_there():
    call = in_call()

    async def enter():
        call.__enter__()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(enter)
    call.__exit__(None, None, None)
    assert current_call() is None
