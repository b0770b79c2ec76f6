"""Planning until people agree, as values: what was decided so far, and what follows from it for the next plan."""

from __future__ import annotations

from typing import Any, Literal

import attrs

from .approval import ApprovalPolicy, Continue, PlanApproval, PlanReview, Replan, Stop, plan_digest
from .errors import InvalidApproval
from .values import read_json, value_faults, write_json

__all__ = ["PlanApproved", "PlanBlocked", "PlanOutcome", "PlanStopped", "Planning"]


@attrs.frozen
class PlanApproved:
    """The plan may be carried out as it is; `approval.plan_digest` is its digest. Immutable."""

    plan_json: str
    approval: PlanApproval

    @property
    def plan(self) -> Any:
        """The plan: a new copy each time."""
        return read_json(self.plan_json)


@attrs.frozen
class PlanStopped:
    """A person has said to stop. Immutable."""

    approval: PlanApproval


@attrs.frozen
class PlanBlocked:
    """It goes no further by itself, and nobody was asked once more. Not a denial. Immutable.

    `reason`: `replans`, the plan was sent back more often than the policy allows; or `unchanged`, it was sent back, and
    the next plan is the same.
    """

    reason: Literal["replans", "unchanged"]
    approval: PlanApproval
    """The last word of a person."""


PlanOutcome = PlanApproved | PlanStopped | PlanBlocked


@attrs.frozen
class Planning:
    """Where the planning for a task stands. Immutable.

    `approvals`: all that was decided about plans for it, in order.
    """

    task: str
    policy: ApprovalPolicy = attrs.field(factory=ApprovalPolicy)
    approvals: tuple[PlanApproval, ...] = ()

    @property
    def revision(self) -> int:
        """Of the plan that is asked about next: 1 for the first one."""
        return len(self.approvals) + 1

    @property
    def instructions(self) -> tuple[str, ...]:
        """What people wanted otherwise, to the character, in order: this is what the next plan has to go by."""
        return tuple(one.instructions for one in self.approvals if one.instructions is not None)

    def after(self, approval: PlanApproval) -> Planning:
        """The planning once that was decided."""
        return attrs.evolve(self, approvals=(*self.approvals, approval))

    def ended(self) -> PlanStopped | PlanBlocked | None:
        """How it has ended, so that no plan is needed; None: it has not."""
        if not self.approvals:
            return None
        last = self.approvals[-1]
        if isinstance(last.choice, Stop):
            return PlanStopped(last)
        if isinstance(last.choice, Replan) and len(self.instructions) > self.policy.max_replans:
            return PlanBlocked("replans", last)
        return None

    def judged(self, plan: Any) -> PlanReview | PlanApproved | PlanBlocked:
        """What follows from a plan: people are to be asked about it, or it was approved, or it is the one sent back.

        Raises `InvalidApproval` for what is no plan.
        """
        if faults := value_faults("$.plan", plan):
            raise InvalidApproval(faults)
        digest = plan_digest(plan)
        last = self.approvals[-1] if self.approvals else None
        if last is not None and isinstance(last.choice, Replan) and last.plan_digest == digest:
            return PlanBlocked("unchanged", last)
        for approval in self.approvals:
            if isinstance(approval.choice, Continue) and approval.plan_digest == digest:
                return PlanApproved(write_json(plan), approval)
        return PlanReview(task=self.task, plan=plan, plan_digest=digest, policy=self.policy, revision=self.revision)
