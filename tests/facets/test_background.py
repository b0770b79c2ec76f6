"""A host in a thread of its own, used from threads and from asyncio: real ones, and no sleeps."""
# ruff: noqa: PT012, SIM117  # blocks that raise at their end are what is tested here

import asyncio
import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
import trio

from facets import Portal, Principal, Resource, Unavailable, facet, open_background_host
from facets.background import _Call
from tests.facets.stubs import ALICE, Desk, Ledger, Till, desk_facet
from tests.loops import run_asyncio


async def nothing():
    return None


async def fail(error):
    raise error


async def get_desk(portal, input):
    async with portal.host.root(ALICE) as ctx:
        return await ctx.get(Desk, input)


class Stuck:
    """Work that goes on until it is cancelled, and can be seen doing so from any thread."""

    def __init__(self):
        self.begun, self.cancelled = threading.Event(), threading.Event()

    async def work(self):
        try:
            self.begun.set()
            await trio.sleep_forever()
        finally:
            self.cancelled.set()


@pytest.fixture
def portal():
    with open_background_host(facets=[desk_facet()]) as portal:
        yield portal


def host_threads():
    return [thread for thread in threading.enumerate() if thread.name == "facets-host"]


# From a thread


def test_call_gives_what_the_function_returns(portal):
    assert portal.call(get_desk, portal, "s1") == Desk("s1", ALICE)


def test_call_raises_what_the_function_raises(portal):
    error = LookupError("nothing here")
    with pytest.raises(LookupError) as caught:
        portal.call(fail, error)
    assert caught.value is error
    assert portal.call(get_desk, portal, "s1")


def test_host_runs_in_a_thread_of_its_own_until_the_block_ends():
    with open_background_host(facets=[]) as portal:
        (thread,) = host_threads()
        assert portal.call(which_thread) == thread.ident != threading.get_ident()
    assert not host_threads()


async def which_thread():
    return threading.get_ident()


def test_many_threads_may_call_at_once(portal):
    with ThreadPoolExecutor(16) as threads:
        desks = list(threads.map(lambda number: portal.call(get_desk, portal, number), range(200)))
    assert [desk.input for desk in desks] == list(range(200))


def test_calls_of_many_threads_run_beside_each_other(portal):
    """Each one waits until all have arrived."""
    arrived, everybody = [], trio.Event()

    async def meet(number):
        arrived.append(number)
        if len(arrived) == 8:
            everybody.set()
        await everybody.wait()
        return number

    with ThreadPoolExecutor(8) as threads:
        assert sorted(threads.map(lambda number: portal.call(meet, number), range(8))) == list(range(8))


def test_call_from_the_hosts_own_thread_is_refused_rather_than_stuck(portal):
    async def call_inside():
        return portal.call(nothing)

    with pytest.raises(RuntimeError, match="the host's own thread"):
        portal.call(call_inside)


def test_options_are_those_of_open_host():
    with open_background_host(facets=[], names={ALICE: "Alice"}, principal=Principal.server("bg")) as portal:
        assert (str(portal.host.principal), str(portal.host.who(ALICE))) == ("server:bg", "Alice")


# From asyncio


def test_asyncio_task_gets_what_the_function_returns_or_raises(portal):
    async def main():
        assert await portal.acall(get_desk, portal, "s1") == Desk("s1", ALICE)
        with pytest.raises(LookupError):
            await portal.acall(fail, LookupError())

    run_asyncio(main())


def test_many_asyncio_tasks_may_call_at_once(portal):
    async def main():
        return await asyncio.gather(*[portal.acall(get_desk, portal, number) for number in range(100)])

    assert [desk.input for desk in run_asyncio(main())] == list(range(100))


def test_cancelling_an_asyncio_task_cancels_the_call(portal):
    stuck = Stuck()

    async def main():
        task = asyncio.create_task(portal.acall(stuck.work))
        await asyncio.to_thread(stuck.begun.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(stuck.cancelled.wait, 10)
        assert isinstance(await portal.acall(get_desk, portal, "s1"), Desk)

    run_asyncio(main())


def test_call_under_a_timeout_of_asyncio_is_cancelled(portal):
    stuck = Stuck()

    async def main():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await portal.acall(stuck.work)

    run_asyncio(main())
    portal.call(nothing)
    assert stuck.cancelled.is_set() == stuck.begun.is_set()


def test_host_can_be_opened_by_the_asyncio_program_itself():
    async def main():
        with open_background_host(facets=[desk_facet()]) as portal:
            return await portal.acall(get_desk, portal, "s1")

    assert run_asyncio(main()) == Desk("s1", ALICE)


def test_result_that_comes_with_the_cancellation_harms_nobody(portal):
    """Either may win; the host goes on."""

    async def main():
        for _ in range(50):
            task = asyncio.create_task(portal.acall(nothing))
            await asyncio.sleep(0)
            task.cancel()
            assert await asyncio.gather(task, return_exceptions=True)

    run_asyncio(main())
    assert portal.call(get_desk, portal, "s1")


def test_error_while_a_cancelled_call_cleans_up_does_not_end_the_host(portal):
    stuck = Stuck()

    async def clean_up_badly():
        try:
            await stuck.work()
        finally:
            raise LookupError("while cleaning up")

    async def main():
        task = asyncio.create_task(portal.acall(clean_up_badly))
        await asyncio.to_thread(stuck.begun.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run_asyncio(main())
    assert stuck.cancelled.wait(10)
    assert portal.call(get_desk, portal, "s1")


# The end


def test_call_after_the_end_is_unavailable():
    with open_background_host(facets=[]) as portal:
        pass
    with pytest.raises(Unavailable):
        portal.call(nothing)
    with pytest.raises(Unavailable):
        run_asyncio(portal.acall(nothing))


def test_call_with_tasks_of_its_own_at_the_end_is_unavailable_too():
    """Cancelled, it ends in a group."""
    stuck = Stuck()

    async def work():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep_forever)
            await stuck.work()

    with ThreadPoolExecutor(1) as threads:
        with open_background_host(facets=[]) as portal:
            call = threads.submit(portal.call, work)
            assert stuck.begun.wait(10)
        with pytest.raises(Unavailable):
            call.result(10)


@pytest.mark.parametrize("door", ["call", "acall"])
def test_call_under_way_at_the_end_is_cancelled_and_unavailable(door):
    stuck = Stuck()
    with ThreadPoolExecutor(1) as threads:
        with open_background_host(facets=[]) as portal:
            if door == "call":
                call = threads.submit(portal.call, stuck.work)
            else:
                call = threads.submit(lambda: asyncio.run(portal.acall(stuck.work)))
            assert stuck.begun.wait(10)
        assert stuck.cancelled.is_set()
        with pytest.raises(Unavailable):
            call.result(10)


def test_asyncio_task_that_waits_for_nothing_else_hears_of_the_end():
    async def main():
        stuck = Stuck()
        with open_background_host(facets=[]) as portal:
            task = asyncio.create_task(portal.acall(stuck.work))
            await asyncio.to_thread(stuck.begun.wait, 10)
        with pytest.raises(Unavailable):
            await task

    run_asyncio(main())


def test_task_that_is_cancelled_as_the_host_ends_is_cancelled():
    """It asked to be cancelled; that the host has gone as well is no reason to go on."""

    async def main():
        stuck = Stuck()
        with open_background_host(facets=[]) as portal:
            task = asyncio.create_task(portal.acall(stuck.work))
            await asyncio.to_thread(stuck.begun.wait, 10)
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run_asyncio(main())


def test_call_that_arrives_while_the_host_closes_is_unavailable():
    """One call comes when the portal has shut but its thread has not ended."""
    closing, go_on = threading.Event(), threading.Event()

    async def close(_):
        closing.set()
        await trio.to_thread.run_sync(go_on.wait)

    resource = Resource("r", Ledger().resource("r").open, close=close)
    with ThreadPoolExecutor(1) as threads:

        def leave():
            with open_background_host(facets=[facet("f", resources=[resource])]) as portal:
                portals.append(portal)

        portals: list[Portal] = []
        left = threads.submit(leave)
        assert closing.wait(10)
        with pytest.raises(Unavailable):
            portals[0].call(nothing)
        go_on.set()
        left.result(10)


def test_call_that_saw_the_host_open_at_its_last_moment_is_unavailable():
    """The two places where it can then find itself: before the thread's end, and after it."""
    late: Future[None] = Future()

    async def close(_):
        door._start(_Call(nothing, ()), late, trio.CancelScope())

    resource = Resource("r", Ledger().resource("r").open, close=close)
    with open_background_host(facets=[facet("f", resources=[resource])]) as door:
        pass
    assert late.cancelled()
    door._open = True
    with pytest.raises(Unavailable):
        door.call(nothing)


def test_block_can_be_left_with_an_error_and_the_host_is_closed():
    ledger = Ledger()
    with pytest.raises(KeyError), open_background_host(facets=[facet("f", resources=[ledger.resource("a")])]):
        raise KeyError
    assert ledger.open == set()
    assert not host_threads()


# What goes wrong in the host


def test_failure_to_open_is_raised_and_no_thread_is_left():
    async def fail_to_open(_):
        raise OSError("no such device")

    with pytest.raises(OSError, match="no such device"):
        with open_background_host(facets=[facet("f", resources=[Resource("r", fail_to_open)])]):
            pytest.fail("not reached")
    assert not host_threads()


def test_wrong_options_are_raised_too():
    with pytest.raises(TypeError), open_background_host(no_such_option=1):
        pytest.fail("not reached")


def closing_badly():
    return [facet("f", resources=[Ledger().resource("a", error=OSError("closing"))])]


def test_errors_of_closing_are_raised_at_the_end():
    with pytest.raises(OSError, match="closing"), open_background_host(facets=closing_badly()):
        pass


def test_error_of_the_block_and_errors_of_closing_come_out_together():
    mine = KeyError("mine")
    with pytest.raises(BaseExceptionGroup) as caught, open_background_host(facets=closing_badly()):
        raise mine
    assert caught.value.exceptions[0] is mine
    assert [type(error) for error in caught.value.exceptions] == [KeyError, OSError]


class Doomed(Till):
    """An actor whose crash cannot be told to anybody, which is the end of its host."""

    doomed = False

    def tick(self):
        if self.doomed:
            raise RuntimeError("crash")
        return super().tick()

    def failed(self, error):
        raise LookupError("cannot be told") from error


def test_crash_of_the_host_reaches_calls_under_way_and_the_end_of_the_block():
    actors, stuck = [], Stuck()

    async def open_it(environment):
        actors.append(Doomed(environment))
        return actors[0]

    async def crash():
        actors[0].doomed = True
        actors[0].wake()
        await stuck.work()

    with pytest.raises(BaseExceptionGroup) as caught:
        with open_background_host(facets=[facet("f", resources=[Resource("r", open_it)])]) as portal:
            with pytest.raises(Unavailable):
                portal.call(crash)
    assert caught.group_contains(LookupError, match="cannot be told")


def test_interrupt_in_a_call_reaches_its_caller_and_ends_the_host():
    with pytest.raises(BaseExceptionGroup) as caught, open_background_host(facets=[]) as portal:
        portal.call(fail, KeyboardInterrupt())
    assert caught.group_contains(KeyboardInterrupt, depth=1)
