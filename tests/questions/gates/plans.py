"""The plan that most cases of approvals are about, and what people say to it."""

from questions.gates import ApprovalPolicy, GivenText, PlanReview, Response, plan_digest

TASK = "Let the operator read what is planned."
PLAN = {"summary": "Show the operator readable text.", "boundaries": ["Do not change Pi core"], "steps": ["Write it."]}
OTHER = {**PLAN, "steps": ["Write it twice."]}
EXACT = "  use option B\nkeep this exact line  "
REQUIRED = ApprovalPolicy(mode="required")
CONTINUE, STOP = Response("continue"), Response("stop")


def replan(text=EXACT):
    return Response("replan", GivenText("instructions", text))


def review(plan=PLAN, **changes):
    return PlanReview(**{"task": TASK, "plan": plan, "plan_digest": plan_digest(plan), **changes})
