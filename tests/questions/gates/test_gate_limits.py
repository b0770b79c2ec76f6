"""Nothing that gates keep grows without a bound: what is too much is refused, or what has ended goes."""

import attrs
import pytest

from questions.durable import UnknownDecision
from questions.gates import (
    Conflict,
    GateLimits,
    InvalidGate,
    InvalidRun,
    Place,
    RunEnded,
    TooManyRequests,
    TooManyRuns,
    UnknownRun,
)
from questions.gates.dropping import drop_old_runs
from questions.gates.tables import GATE_TABLES, RUNS
from tests.questions.gates.acts import asked, entered, rows
from tests.questions.gates.cases import CREATED, REPLAN, submission
from tests.questions.gates.engines import opened

FEW = GateLimits(max_runs=3, max_open=2, max_open_of_run=1, max_attempts_of_run=2, max_submissions=2)
DAY = 86_400_000


def place(run, attempt="attempt-a", node="approve"):
    return Place(run, "workflow-a", node, attempt)


@pytest.fixture
async def few(engines):
    """Gates with room for few."""
    async with opened(engines, limits=FEW, audiences={"operator": ["telegram:a"]}) as gates:
        await engines.set_clock(CREATED)
        yield gates


@pytest.mark.parametrize("name", [field.name for field in attrs.fields(GateLimits)])
def test_limits_have_bounds(name):
    with pytest.raises(InvalidGate, match=name):
        GateLimits(**{name: -1})


async def test_no_more_requests_than_the_limit_are_open(few):
    first = await asked(few, place=place("run-a"))
    await asked(few, place=place("run-b"))
    with pytest.raises(TooManyRequests, match="requests that are open: the limit of 2"):
        await asked(few, place=place("run-c"))
    await few.submit(submission(first))
    await asked(few, place=place("run-c"))


async def test_no_more_requests_of_one_run_than_the_limit_are_open(few):
    await asked(few)
    with pytest.raises(TooManyRequests, match="of run run-a: the limit of 1"):
        await asked(few, place=place("run-a", "attempt-b", "review"))


async def test_no_more_attempts_of_one_run_than_the_limit_are_entered(few):
    await entered(few)
    await few.enter_attempt("run-a", "approve", "attempt-b")
    await few.enter_attempt("run-a", "approve", "attempt-b")
    with pytest.raises(TooManyRequests, match="attempts of run run-a"):
        await few.enter_attempt("run-a", "approve", "attempt-c")


async def test_no_more_runs_than_the_limit_are_kept_and_running_ones_stay(few):
    for name in "abc":
        await few.start_run(f"run-{name}", "workflow-a")
    with pytest.raises(TooManyRuns):
        await few.start_run("run-d", "workflow-a")
    await few.finish_run("run-b")
    await few.start_run("run-d", "workflow-a")
    assert sorted(run.id for run in await few.list_runs(None)) == ["run-a", "run-c", "run-d"]


async def test_answers_above_the_limit_are_judged_and_leave_no_trace(few):
    made = await asked(few)
    await few.submit(submission(made))
    for number in range(4):
        assert isinstance(await few.submit(submission(made, REPLAN, f"late-{number}")), Conflict)
    assert len(await few.submissions(made.decision_id)) == FEW.max_submissions


async def test_an_old_run_goes_with_all_that_belongs_to_it(engines, few):
    made = await asked(few, place=place("run-a"))
    await few.submit(submission(made))
    await few.finish_run("run-a")
    await few.start_run("run-b", "workflow-a")
    await engines.set_clock(CREATED + 30 * DAY)
    await drop_old_runs(few.stored, few.limits)
    assert await few.run("run-a")
    await engines.set_clock(CREATED + 30 * DAY + 1)
    await drop_old_runs(few.stored, few.limits)
    with pytest.raises(UnknownRun):
        await few.run("run-a")
    with pytest.raises(UnknownDecision):
        await few.get(made.decision_id)
    assert [run.id for run in await few.list_runs()] == ["run-b"]
    assert await few.effects(made.decision_id) == []


async def test_who_waits_for_a_decision_that_is_not_there_is_told(few):
    with pytest.raises(UnknownDecision):
        await few.ended("decision-none")


@pytest.mark.parametrize(("id", "workflow", "input"), [("a/b", "w", 1), ("a", "", 1), ("a", "w", float("nan"))])
async def test_what_can_be_no_run_is_refused(few, id, workflow, input):
    with pytest.raises(InvalidRun):
        await few.start_run(id, workflow, input)
    assert await rows(few, RUNS) == []


async def test_what_can_be_no_attempt_is_refused(few):
    await few.start_run("run-a", "workflow-a")
    with pytest.raises(InvalidRun, match="attemptId"):
        await few.enter_attempt("run-a", "approve", "a/b")
    await few.finish_run("run-a")
    with pytest.raises(RunEnded):
        await few.enter_attempt("run-a", "approve", "attempt-a")


def test_every_table_has_a_name_of_its_own():
    assert len({table.name for table in GATE_TABLES}) == len(GATE_TABLES)
