"""Whoever comes to a gate is cancelled at any of its steps: nothing is half there, and coming again does it once."""

import pytest
import trio

from questions.gates import Choice, Gate, Presentation, Prompt, Response, open_gates
from tests.questions.gates.cases import submission


class Go(Choice):
    """The only way."""


class CancelledAt(trio.abc.Instrument):
    """Cancels a scope at the n-th step of its task."""

    def __init__(self, steps):
        self.steps = steps
        self.scope = trio.CancelScope()
        self.task = None

    def before_task_step(self, task):
        if task is self.task:
            self.steps -= 1
            if self.steps == 0:
                self.scope.cancel()


async def cancelled_at(steps, act):
    """Do `act`, cancelled at that step; whether it was."""
    instrument = CancelledAt(steps)
    instrument.task = trio.lowlevel.current_task()
    trio.lowlevel.add_instrument(instrument)
    try:
        with instrument.scope:
            await act()
    finally:
        trio.lowlevel.remove_instrument(instrument)
    return instrument.scope.cancelled_caught


@pytest.mark.parametrize("engine", [":memory:", "folder"])
async def test_who_asks_is_cancelled_at_any_step_and_comes_again(engine, tmp_path):
    asked = []

    def ask(context):
        asked.append(context)
        return Prompt("Go?", context, Presentation("A plan."))

    approve: Gate[Go] = Gate(Go, request=ask)
    async with open_gates(tmp_path if engine == "folder" else engine, serve=False) as gates:
        steps, is_cancelled = 0, True
        while is_cancelled:
            steps += 1
            run = await gates.start_run(f"run-{steps}", "deploy")
            is_cancelled = await cancelled_at(steps, lambda: approve.submit(run, "approve", "attempt-1"))  # noqa: B023
            made = await approve.submit(run, "approve", "attempt-1")
            before = len(asked)
            assert (await approve.submit(run, "approve", "attempt-1")) == made
            assert len(asked) == before
            [standing] = [one for one in await gates.list(limit=1_000) if one.request.run_id == run.id]
            assert standing.request == made
        assert steps > 3


@pytest.mark.parametrize("engine", [":memory:", "folder"])
async def test_who_waits_is_cancelled_at_any_step_and_gets_the_same_answer_later(engine, tmp_path):
    approve: Gate[Go] = Gate(Go, request=lambda context: Prompt("Go?", context, Presentation("A plan.")))
    async with open_gates(tmp_path if engine == "folder" else engine, serve=False) as gates:
        steps, is_cancelled = 0, True
        while is_cancelled:
            steps += 1
            run = await gates.start_run(f"run-{steps}", "deploy")
            made = await approve.submit(run, "approve", "attempt-1")
            await gates.submit(submission(made, Response("go")))
            is_cancelled = await cancelled_at(steps, lambda: approve.decide(run, "approve", "attempt-1"))  # noqa: B023
            assert await approve.decide(run, "approve", "attempt-1") == Go()
            [receipt] = await run.receipts()
            assert receipt.response == Response("go")
        assert steps > 3
        assert gates.waits.watched == 0
