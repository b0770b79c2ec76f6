"""Asking people about plans in a run, until they agree."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from .approval import PLAN_CHOICES, ApprovalPolicy, Continue, PlanApproval, PlanReview, Replan, Stop
from .digests import sealed
from .gate import Gate
from .gate_run import GateRun
from .planning import PlanApproved, Planning, PlanOutcome
from .receipt import receipt_of
from .resolution import AcceptedDecision
from .runs import AttemptState, RunAttempt
from .steps import Standing
from .store_errors import Differs

__all__ = ["Planner", "agree_on_plan", "approve_plan"]

Planner = Callable[[Planning], Awaitable[Any]]
"""Makes the next plan: an object of JSON with a `summary`. It goes by `planning.instructions`."""

GATE: Gate[Continue | Stop | Replan] = Gate(
    Continue,
    Stop,
    Replan,
    request=lambda review: review.prompt(),
    audience=lambda review: review.policy.audience,
    timeout=lambda review: review.policy.timeout,
)


async def approve_plan(
    run: GateRun, review: PlanReview, *, node: str = "approve-plan", park: bool = False
) -> PlanApproval:
    """What people, or the policy, say about a plan. The same plan and revision is asked about once, after a crash too.

    `node`: 1 to 150 letters, digits and `._-`. `park`: do not wait in place, as with `Gate.submit`; this raises
    `StillWaiting` until it is decided. With the mode `skip` nobody is asked and nothing is stored. An open request at
    this node about another plan is taken back. Raises what `Gate.decide` raises; and `Differs` if another process asks
    about another plan here at the same time. Cancelled, it leaves the request open.
    """
    if review.policy.mode == "skip":
        digest, revision = review.plan_digest, review.revision
        return PlanApproval(choice=Continue(), provenance="skipped", plan_digest=digest, revision=revision)
    attempt = await _attempt(run, review, node)
    if park:
        await GATE.submit(run, node, attempt, review)
        await GATE.result(run, attempt)
    else:
        await GATE.decide(run, node, attempt, review)
    standing = await run.gates.of_attempt(run.id, attempt)
    if standing is None or not _is_about(standing, review):
        raise Differs("request", attempt)
    return _approval(standing)


async def agree_on_plan(
    run: GateRun,
    task: str,
    planner: Planner,
    *,
    policy: ApprovalPolicy | None = None,
    node: str = "approve-plan",
    park: bool = False,
) -> PlanOutcome:
    """Have plans made and asked about, until one is approved, people stop it, or it is blocked.

    What was decided is in the store, so whoever was killed calls this again and goes on from there: nobody is asked
    again about a plan that was approved. The planner is called anew after a crash. If it then gives another plan for
    the same instructions, people are asked about that one; so write plans down where they are made.

    `policy`: the usual one by default. `node`, `park`, cancellation: as for `approve_plan`. Raises what that raises,
    what the planner raises, and `InvalidApproval` for what is no plan.
    """
    planning = Planning(task, policy or ApprovalPolicy(), await _approvals(run, node))
    while (ended := planning.ended()) is None:
        judged = planning.judged(await planner(planning))
        if not isinstance(judged, PlanReview):
            return judged
        approval = await approve_plan(run, judged, node=node, park=park)
        if isinstance(approval.choice, Continue):
            return PlanApproved(judged.plan_json, approval)
        planning = planning.after(approval)
    return ended


async def _attempts(run: GateRun, node: str) -> Sequence[RunAttempt]:
    """Those at the node, in order: their ids have as many digits each."""
    return sorted((one for one in await run.gates.attempts(run.id) if one.node == node), key=lambda one: one.id)


async def _attempt(run: GateRun, review: PlanReview, node: str) -> str:
    """The attempt that asks about this plan, or the id of the next one."""
    attempts = await _attempts(run, node)
    for attempt in attempts:
        if attempt.state is AttemptState.ENTERED:  # killed before it has asked
            return attempt.id
        standing = await run.gates.of_attempt(run.id, attempt.id)
        if attempt.state is not AttemptState.LEFT and standing is not None and _is_about(standing, review):
            return attempt.id
    return f"{node}.{len(attempts) + 1:04}"


async def _approvals(run: GateRun, node: str) -> tuple[PlanApproval, ...]:
    """All that was decided here. What was decided while nobody waited is gone on with."""
    approvals = []
    for attempt in await _attempts(run, node):
        if attempt.state is AttemptState.READY:
            await GATE.result(run, attempt.id)
        if attempt.state in (AttemptState.READY, AttemptState.RESUMED):
            standing = await run.gates.of_attempt(run.id, attempt.id)
            assert standing is not None, "it was decided, so it has asked"
            approvals.append(_approval(standing))
    return tuple(approvals)


def _is_about(standing: Standing, review: PlanReview) -> bool:
    return standing.request.subject_digest == sealed(review.subject)


def _approval(standing: Standing) -> PlanApproval:
    decision, request = standing.resolution, standing.request
    assert isinstance(decision, AcceptedDecision), "its run has gone on with it"
    return PlanApproval(
        choice=PLAN_CHOICES.read(decision.response),
        provenance=decision.provenance,
        plan_digest=request.subject["planDigest"],
        revision=request.revision,
        receipt=receipt_of(request, decision),
    )
