"""Asking about plans in runs: who is asked how often, whatever is killed, repeated or changed in between."""

import pytest
import trio

from questions.gates import (
    ApprovalPolicy,
    AttemptState,
    Continue,
    Differs,
    GateCancelled,
    PlanApproved,
    PlanBlocked,
    PlanOutcome,
    PlanStopped,
    Replan,
    RunEnded,
    StillWaiting,
    Stop,
    agree_on_plan,
    approve_plan,
    open_gates,
    plan_digest,
)
from questions.gates.tables import REQUESTS
from tests.questions.gates.acts import held, rows
from tests.questions.gates.cases import CREATED, TEN_MINUTES, submission
from tests.questions.gates.engines import opened
from tests.questions.gates.plans import CONTINUE, EXACT, OTHER, PLAN, REQUIRED, STOP, TASK, replan, review

PLANS = (PLAN, OTHER, {"summary": "A third one."}, {"summary": "A fourth one."}, {"summary": "A fifth one."})


async def started(gates):
    return await gates.start_run("run-a", "plans", TASK)


async def open_request(gates):
    with trio.fail_after(30):
        while not (found := await gates.list()):
            await trio.lowlevel.checkpoint()
    return found[0].request


async def answers(gates, *responses):
    """What people say to one request after another."""
    for number, response in enumerate(responses):
        made = await open_request(gates)
        await gates.submit(submission(made, response, f"event-{number}"))
        while await gates.list():
            await trio.lowlevel.checkpoint()


class Planner:
    """Gives the plan that fits how often it was sent back, and remembers what it was told."""

    def __init__(self, *plans):
        self.plans = plans or PLANS
        self.told = []

    async def __call__(self, planning):
        self.told.append(planning.instructions)
        return self.plans[len(planning.instructions)]


async def agreed(gates, planner, *responses, policy=REQUIRED):
    """What planning comes to if people say that."""
    outcomes = []
    async with trio.open_nursery() as nursery:

        async def plan():
            outcomes.append(await agree_on_plan(await started(gates), TASK, planner, policy=policy))
            nursery.cancel_scope.cancel()

        nursery.start_soon(plan)
        await answers(gates, *responses)
        await trio.sleep_forever()
    return outcomes[0]


async def parked(gates, planner, **options):
    """One life of a run that waits in no process."""
    try:
        return await agree_on_plan(await started(gates), TASK, planner, **{"policy": REQUIRED, **options}, park=True)
    except StillWaiting:
        return None


async def answered(gates, response, key):
    return await gates.submit(submission(await open_request(gates), response, key))


async def revisions(gates):
    return sorted(found.request.revision for found in await gates.list(None))


@pytest.mark.parametrize(("response", "choice"), [(CONTINUE, Continue()), (STOP, Stop()), (replan(), Replan(EXACT))])
async def test_what_people_say_comes_back_with_a_receipt_to_the_character(gates, response, choice):  # case 132
    approvals = []
    async with trio.open_nursery() as nursery:
        run = await started(gates)

        async def approve():
            approvals.append(await approve_plan(run, review(policy=REQUIRED)))

        nursery.start_soon(approve)
        await answers(gates, response)
    [approval] = approvals
    assert (approval.choice, approval.provenance, approval.status) == (choice, "human", response.choice)
    assert [approval.receipt] == list(await run.receipts())


async def test_nobody_is_asked_where_the_policy_says_so_and_nothing_is_stored(gates):  # case 130
    run = await started(gates)
    approval = await approve_plan(run, review(policy=ApprovalPolicy(mode="skip"), revision=2))
    assert (approval.provenance, approval.revision, approval.receipt) == ("skipped", 2, None)
    assert approval.as_json()["status"] == "continue"
    assert (list(await gates.attempts("run-a")), list(await rows(gates, REQUESTS))) == ([], [])
    outcome = await agree_on_plan(run, TASK, Planner(), policy=ApprovalPolicy(mode="skip"))
    assert isinstance(outcome, PlanApproved)
    assert outcome.plan == PLAN


async def test_a_plan_that_nobody_answers_goes_on_at_its_deadline_and_says_so(engines, gates):  # case 129
    assert await parked(gates, Planner(), policy=None) is None
    made = await open_request(gates)
    assert made.expires_at == CREATED + TEN_MINUTES
    await engines.set_clock(made.expires_at)
    await gates.time_out(made.decision_id, await held(gates))
    outcome = await parked(gates, Planner(), policy=None)
    assert isinstance(outcome, PlanApproved)
    assert (outcome.approval.provenance, outcome.approval.status) == ("timeout", "continue")


async def test_plans_are_made_until_people_agree_and_the_planner_is_told_their_words(gates):
    planner = Planner()
    outcome = await agreed(gates, planner, replan(), replan("again"), CONTINUE)
    assert isinstance(outcome, PlanApproved)
    assert (outcome.plan, outcome.approval.revision) == (PLANS[2], 3)
    assert outcome.approval.plan_digest == plan_digest(PLANS[2])
    assert planner.told == [(), (EXACT,), (EXACT, "again")]
    assert await revisions(gates) == [1, 2, 3]


async def test_people_stop_a_plan(gates):
    outcome = await agreed(gates, Planner(), replan(), STOP)
    assert isinstance(outcome, PlanStopped)
    assert outcome.approval.revision == 2


async def test_three_replans_are_allowed_and_the_fourth_blocks(gates):
    planner = Planner()
    outcome = await agreed(gates, planner, *[replan(f"no. {number}") for number in range(4)])
    assert isinstance(outcome, PlanBlocked)
    assert (outcome.reason, outcome.approval.revision) == ("replans", 4)
    assert len(planner.told) == 4, "no fifth plan was made"


async def test_an_unchanged_plan_blocks_before_anybody_is_asked(gates):
    outcome = await agreed(gates, Planner(PLAN, PLAN), replan())
    assert isinstance(outcome, PlanBlocked)
    assert outcome.reason == "unchanged"
    assert await revisions(gates) == [1]


async def test_who_comes_again_goes_on_from_what_was_decided_whichever_step_it_was_killed_at(engines, gates):
    """Each life is another process: it has nothing but the store."""

    async def life():
        async with opened(engines) as others:
            return await parked(others, Planner())

    assert [await life(), await life()] == [None, None]
    await answered(gates, replan(), "event-1")
    assert [await life(), await life()] == [None, None]
    await answered(gates, CONTINUE, "event-2")
    first, second = await life(), await life()
    assert isinstance(first, PlanApproved)
    assert first == second
    assert (first.plan, first.approval.revision) == (OTHER, 2)
    assert await revisions(gates) == [1, 2]
    assert [one.state for one in await gates.attempts("run-a")] == [AttemptState.RESUMED] * 2


async def test_who_was_killed_after_a_stop_or_a_block_hears_it_again_and_plans_nothing(gates):
    planner = Planner()
    await parked(gates, planner)
    await answered(gates, STOP, "event-1")
    first, second = await parked(gates, planner), await parked(gates, planner)
    assert isinstance(first, PlanStopped)
    assert first == second
    assert planner.told == [()]


async def test_who_was_killed_between_entering_and_asking_asks_there(gates):
    await started(gates)
    await gates.enter_attempt("run-a", "approve-plan", "approve-plan.0001")
    await parked(gates, Planner())
    assert (await open_request(gates)).attempt_id == "approve-plan.0001"


async def test_another_plan_takes_the_open_request_back_and_is_asked_about_as_the_same_revision(gates):
    await parked(gates, Planner(PLAN))
    first = await open_request(gates)
    await parked(gates, Planner(OTHER))
    second = await open_request(gates)
    assert (first.revision, second.revision) == (1, 1)
    assert second.subject["planDigest"] == plan_digest(OTHER)
    await parked(gates, Planner(PLAN))
    third = await open_request(gates)
    assert third.subject == first.subject
    assert [one.state for one in await gates.attempts("run-a")] == ["left", "left", "waiting"]
    await answered(gates, CONTINUE, "event-1")
    assert isinstance(await parked(gates, Planner(PLAN)), PlanApproved)


async def test_an_approved_plan_is_not_asked_about_again_and_a_later_one_is(gates):
    await parked(gates, Planner(PLAN))
    await answered(gates, CONTINUE, "event-1")
    assert await parked(gates, Planner(OTHER)) is None
    assert (await open_request(gates)).revision == 2
    outcome = await parked(gates, Planner(PLAN))
    assert isinstance(outcome, PlanApproved)
    assert outcome.approval.revision == 1


async def test_the_same_review_is_asked_once_however_often_and_by_whomever(engines, gates):
    run = await started(gates)
    approvals = []

    async def approve(gates):
        approvals.append(await approve_plan(await started(gates), review(policy=REQUIRED)))

    async with opened(engines) as others, trio.open_nursery() as nursery:
        for each in (gates, others, gates):
            nursery.start_soon(approve, each)
        await answers(gates, CONTINUE)
    assert approvals == [await approve_plan(run, review(policy=REQUIRED))] * 3
    assert len(await rows(gates, REQUESTS)) == 1


@pytest.mark.parametrize("plans", [(PLAN, OTHER), (OTHER, PLAN)])
async def test_who_asks_about_another_plan_at_the_same_time_is_never_told_that_it_was_approved(gates, plans):
    """Both come to one attempt that was entered, so one of them finds the request of the other."""
    ended: list[object] = []

    async def approve(plan):
        try:
            approval = await approve_plan(await started(gates), review(plan, policy=REQUIRED))
        except (Differs, GateCancelled) as error:
            ended.append(type(error))
        else:
            ended.append(approval.plan_digest == plan_digest(plan))

    await started(gates)
    await gates.enter_attempt("run-a", "approve-plan", "approve-plan.0001")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(answers, gates, *[CONTINUE] * 3)
        async with trio.open_nursery() as both:
            for plan in plans:
                both.start_soon(approve, plan)
        nursery.cancel_scope.cancel()
    assert ended in ([True, True], [True, Differs], [Differs, True], [GateCancelled, True], [True, GateCancelled])


async def test_a_plan_whose_request_is_cancelled_ends_its_run_and_is_no_stop(gates):
    await parked(gates, Planner())
    await gates.cancel((await open_request(gates)).decision_id)
    with pytest.raises(RunEnded):
        await agree_on_plan(await started(gates), TASK, Planner(), policy=REQUIRED)


async def test_a_run_that_is_parked_goes_on_by_itself_from_one_plan_to_the_next(tmp_path):
    outcomes: list[PlanOutcome] = []

    async def go_on(run, resumption):
        try:
            outcomes.append(await agree_on_plan(run, TASK, Planner(), policy=REQUIRED, park=True))
        except StillWaiting:
            return
        await run.finish()
        done.set()

    done = trio.Event()
    async with open_gates(tmp_path, resume={"plans": go_on}, poll_ms=50) as gates:
        assert await parked(gates, Planner()) is None
        await answered(gates, replan(), "event-1")
        await answered(gates, CONTINUE, "event-2")
        with trio.fail_after(30):
            await done.wait()
    [outcome] = outcomes
    assert isinstance(outcome, PlanApproved)
    assert (outcome.plan, outcome.approval.revision) == (OTHER, 2)
