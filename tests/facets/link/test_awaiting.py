"""Waiting on trio for the end of a call: what came first at the other side is how it ended here."""

from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from facets import Forbidden, LinkLost
from facets.link.awaiting import end_of
from tests.facets.link.asking import connected
from tests.rules import rule


class Call:
    """A call under way, in a task of its own, and how it has ended."""

    def __init__(self, again=None):
        self.asking = connected()
        self.scope = trio.CancelScope()
        self.made = self.asking.made(self.asking.held(), again)
        self.result: Any = None
        self.pushed = 0

    async def run(self):
        with self.scope:
            try:
                self.result = bytes(await end_of(self.asking.session, self.made, self._push))
            except Exception as error:
                self.result = error

    def _push(self):
        self.pushed += 1

    def told(self, type, **fields):
        for item, message in self.asking.told(type, id=self.made.wire, **fields):
            item.owner(message)

    async def cancel(self):
        self.scope.cancel()
        await wait_all_tasks_blocked()


@pytest.fixture
async def call(nursery):
    call = Call()
    nursery.start_soon(call.run)
    await wait_all_tasks_blocked()
    return call


async def test_a_result_is_returned_as_it_came(call):
    call.told("returned", value=[1])
    await wait_all_tasks_blocked()
    assert (call.result, call.pushed) == (b"[1]", 0)


async def test_a_refusal_is_raised(call):
    call.told("refused", code="forbidden", message="m", data={"why": "no"})
    await wait_all_tasks_blocked()
    assert (type(call.result), call.result.why) == (Forbidden, "no")


@rule("Q-KEY-3")
async def test_a_lost_link_is_raised(call):
    for item, message in call.asking.session.lost():
        item.owner(message)
    await wait_all_tasks_blocked()
    assert isinstance(call.result, LinkLost)


@rule("Q-SET-6")
async def test_a_cancelled_call_is_given_up_at_the_other_side_and_waits_for_that(call):
    await call.cancel()
    assert call.asking.said() == [{"type": "cancel", "id": call.made.wire}]
    assert (call.pushed, call.scope.cancelled_caught) == (1, False)
    call.told("cancelled")
    await wait_all_tasks_blocked()
    assert (call.scope.cancelled_caught, call.result) == (True, None)


@rule("Q-SET-2")
async def test_a_result_that_came_before_the_cancellation_wins(call):
    await call.cancel()
    call.told("returned", value=True)
    await wait_all_tasks_blocked()
    assert (call.scope.cancelled_caught, call.result) == (False, b"true")


@rule("Q-SET-2")
async def test_a_result_and_a_cancellation_in_one_step_leave_the_result(call):
    call.told("returned", value=True)
    await call.cancel()
    assert (call.scope.cancelled_caught, call.result, call.asking.said()) == (False, b"true", [])


async def test_a_call_that_nobody_answers_is_cancelled_after_a_while(autojump_clock, nursery):
    call = Call()
    nursery.start_soon(call.run)
    await wait_all_tasks_blocked()
    call.scope.cancel()
    await trio.sleep(4.9)
    assert not call.scope.cancelled_caught
    await trio.sleep(0.2)
    assert call.scope.cancelled_caught
    call.told("returned", value=1)  # too late, for nobody


async def test_a_call_that_has_not_been_made_yet_is_cancelled_at_once(nursery):
    call = Call(again=lambda _: b"{}")
    call.asking.session.lost()
    nursery.start_soon(call.run)
    await wait_all_tasks_blocked()
    await call.cancel()
    assert call.scope.cancelled_caught


async def test_a_link_that_is_lost_after_a_cancellation_leaves_it_cancelled(call):
    await call.cancel()
    for item, message in call.asking.session.lost():
        item.owner(message)
    await wait_all_tasks_blocked()
    assert call.scope.cancelled_caught
