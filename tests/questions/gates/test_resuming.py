"""Parked runs: gone on with once each, also when whoever was at it has died."""

import pytest
import trio

from questions.durable.leases import Lease
from questions.gates import Place, Response, RunEnded, RunState
from questions.gates.tables import RUN_ATTEMPTS
from tests.questions.gates.acts import asked, entered, rows
from tests.questions.gates.cases import CREATED, request, submission
from tests.questions.gates.engines import opened

LEASE = 1_000


class Going:
    """A handler that says how often it was called, and waits until it may end."""

    def __init__(self, ends=True):
        self.times = []
        self.called = trio.Event()
        self.may_end = trio.Event()
        if ends:
            self.may_end.set()

    async def __call__(self, run, resumption):
        self.times.append((run.id, resumption.receipt.response, resumption.first))
        self.called.set()
        self.called = trio.Event()
        await self.may_end.wait()


def resuming(engines, going, host="host", **options):
    usual = {"host": host, "lease_ms": LEASE, "poll_ms": 50}
    return opened(engines, resume={"workflow-a": going}, **usual | options)


async def attempt_is_done(gates):
    """Until nobody has to go on with the run any more."""
    while await rows(gates, RUN_ATTEMPTS, "owned", ("workflow-a",)):
        await trio.lowlevel.checkpoint()


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_parked_run_is_gone_on_with_once_it_is_decided(engines, when):
    going = Going()
    async with opened(engines) as gates:
        await engines.set_clock(CREATED)
        made = await asked(gates, parked=True)
        if when == "before":
            await gates.submit(submission(made))
        with trio.fail_after(20):
            async with resuming(engines, going), resuming(engines, going, "other"):
                called = going.called
                if when == "after":
                    await gates.submit(submission(made))
                if not going.times:  # it may have begun while they were opened
                    await called.wait()
                await attempt_is_done(gates)
    assert going.times == [("run-a", Response("continue"), True)]


async def test_a_run_that_somebody_waits_for_in_place_is_left_to_them(engines):
    going = Going()
    async with opened(engines) as gates:
        await gates.submit(submission(await asked(gates)))
        with trio.fail_after(20):
            async with resuming(engines, going) as others:
                await others.start_run("run-b", "workflow-a")
                await others.enter_attempt("run-b", "approve", "attempt-b")
                parked = request(place=Place("run-b", "workflow-a", "approve", "attempt-b"))
                await others.create(parked, parked=True)
                called = going.called
                await others.submit(submission(parked))
                await called.wait()
    assert [run for run, _, _ in going.times] == ["run-b"]


async def test_who_ends_leaves_what_was_not_done_to_others(engines):
    first, second = Going(ends=False), Going()
    async with opened(engines) as gates:
        made = await asked(gates, parked=True)
        await gates.submit(submission(made))
        with trio.fail_after(20):
            async with resuming(engines, first):
                await first.called.wait()
            called = second.called
            async with resuming(engines, second, "other"):
                await called.wait()
                await attempt_is_done(gates)
    assert [times[0][2] for times in (first.times, second.times)] == [True, False]


async def test_a_handler_that_fails_is_left_to_who_comes_after_its_process(engines, caplog):
    async def failing(run, resumption):
        failed.append(run.id)
        came.set()
        raise RuntimeError("broken")

    failed: list[str] = []
    came, second = trio.Event(), Going()
    async with opened(engines) as gates:
        made = await asked(gates, parked=True)
        await gates.submit(submission(made))
        with trio.fail_after(20):
            async with resuming(engines, failing):
                await came.wait()
            called = second.called
            async with resuming(engines, second):
                await called.wait()
    assert failed == ["run-a"]
    assert "going on with run run-a has failed" in caplog.text


async def test_a_run_that_has_ended_meanwhile_is_not_gone_on_with_again(engines):
    going = Going()
    async with opened(engines) as gates:
        made = await asked(gates, parked=True)
        verdict = await gates.submit(submission(made))
        dead = Lease(gates.store, "dead", LEASE)
        await gates.resume("run-a", "attempt-a", verdict.decision, owner=dead.owner)
        await gates.runs.end("run-a", RunState.CANCELLED)
        with trio.fail_after(20):
            async with resuming(engines, going):
                await attempt_is_done(gates)
        with pytest.raises(RunEnded):
            await gates.runs.end("run-a", RunState.DONE)
    assert going.times == []


async def test_a_run_of_a_workflow_without_a_handler_waits_for_one(gates):
    run = await entered(gates)
    assert (await gates.runs.found("ready", run.workflow)) == []
