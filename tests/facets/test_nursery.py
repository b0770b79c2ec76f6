"""A nursery that ends with its block and wraps nothing that need not be wrapped."""
# ruff: noqa: PT012  # blocks that raise at their end are what is tested here

import pytest
import trio

from facets.nursery import open_serving_nursery


async def crash():
    raise LookupError("task")


async def test_tasks_are_cancelled_at_the_end_of_the_block(autojump_clock):
    async with open_serving_nursery() as nursery:
        nursery.start_soon(trio.sleep_forever)
    assert trio.current_time() == 0


async def test_what_the_block_raises_comes_out_bare_and_with_its_cause():
    mine, cause = KeyError("mine"), ValueError("cause")
    with pytest.raises(KeyError) as caught:
        async with open_serving_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            raise mine from cause
    assert (caught.value, caught.value.__cause__) == (mine, cause)


async def test_group_that_the_block_raises_is_the_very_same_group():
    mine = ExceptionGroup("mine", [KeyError()])
    with pytest.raises(ExceptionGroup) as caught:
        async with open_serving_nursery():
            raise mine
    assert caught.value is mine


async def test_what_a_task_raises_ends_the_block():
    with pytest.raises(ExceptionGroup) as caught:
        async with open_serving_nursery() as nursery:
            nursery.start_soon(crash)
            await trio.sleep_forever()
    assert [str(error) for error in caught.value.exceptions] == ["task"]


async def test_task_that_crashes_while_the_block_is_cancelled_comes_out_alone():
    """The cancellation belongs to the scope that asked for it, and is not part of what went wrong."""
    with pytest.raises(ExceptionGroup) as caught:
        async with open_serving_nursery() as nursery:
            nursery.start_soon(crash)
            try:
                await trio.sleep_forever()
            except trio.Cancelled as cancelled:
                raise BaseExceptionGroup("both", [cancelled, KeyError("mine")]) from None
    assert caught.group_contains(KeyError)
    assert caught.group_contains(LookupError, match="task")
    assert not caught.group_contains(trio.Cancelled)


async def test_block_may_cancel_its_own_nursery():
    async with open_serving_nursery() as nursery:
        nursery.cancel_scope.cancel()
        await trio.sleep_forever()


async def test_what_the_block_and_a_task_raise_comes_out_together():
    with pytest.raises(ExceptionGroup) as caught:
        async with open_serving_nursery() as nursery:
            nursery.start_soon(crash)
            try:
                await trio.sleep_forever()
            finally:
                raise KeyError("mine")
    assert {type(error) for error in caught.value.exceptions} == {LookupError, KeyError}


async def test_cancellation_passes_through():
    with trio.move_on_after(0) as scope:
        async with open_serving_nursery():
            await trio.sleep_forever()
    assert scope.cancelled_caught
