"""Planning as values: revisions, how often a plan may be sent back, and when nobody is asked again."""

import pytest

from questions.gates import (
    ApprovalPolicy,
    Continue,
    InvalidApproval,
    PlanApproval,
    PlanApproved,
    PlanBlocked,
    Planning,
    PlanStopped,
    Replan,
    Stop,
)
from tests.questions.gates.plans import CONTINUE, EXACT, OTHER, PLAN, STOP, TASK, replan, review
from tests.questions.gates.test_approval import approval, receipt

RESPONSES = {Continue: CONTINUE, Stop: STOP}


def said(planning, plan, choice):
    """The planning once a person has said that to a plan."""
    asked = planning.judged(plan)
    response = replan(choice.instructions) if isinstance(choice, Replan) else RESPONSES[type(choice)]
    given = receipt(response, of=asked)
    made: PlanApproval = approval(choice, "human", given, plan_digest=asked.plan_digest, revision=asked.revision)
    return planning.after(made)


def sent_back(times, **policy):
    planning = Planning(TASK, ApprovalPolicy(**policy))
    for number in range(times):
        planning = said(planning, {**PLAN, "number": number}, Replan(f"no. {number} "))
    return planning


def test_the_first_plan_is_asked_about_as_revision_one():
    assert Planning(TASK).judged(PLAN) == review()
    assert Planning(TASK).ended() is None


def test_each_plan_has_the_next_revision_and_goes_by_all_that_people_wanted_so_far():
    planning = sent_back(2)
    assert planning.judged(PLAN).revision == planning.revision == 3
    assert planning.instructions == ("no. 0 ", "no. 1 ")


@pytest.mark.parametrize("most", [1, 3, 20])
def test_a_plan_is_sent_back_as_often_as_the_policy_allows_and_once_more_blocks(most):
    allowed = sent_back(most, max_replans=most)
    assert allowed.ended() is None
    assert allowed.judged(PLAN).revision == most + 1
    blocked = sent_back(most + 1, max_replans=most)
    assert blocked.ended() == PlanBlocked("replans", blocked.approvals[-1])


def test_a_plan_that_was_sent_back_and_comes_again_blocks_before_anybody_is_asked():
    planning = said(Planning(TASK), PLAN, Replan(EXACT))
    assert planning.judged(dict(reversed(PLAN.items()))) == PlanBlocked("unchanged", planning.approvals[-1])
    assert planning.judged(OTHER).revision == 2


def test_an_older_plan_may_come_again_if_people_have_sent_back_another_one_since():
    planning = said(said(Planning(TASK), PLAN, Replan("another")), OTHER, Replan("the first one, after all"))
    assert planning.judged(PLAN).revision == 3


def test_an_approved_plan_is_not_asked_about_again_and_another_one_is():
    planning = said(said(Planning(TASK), OTHER, Replan(EXACT)), PLAN, Continue())
    judged = planning.judged(PLAN)
    assert judged == PlanApproved(judged.plan_json, planning.approvals[-1])
    assert judged.plan == PLAN
    assert planning.judged({**PLAN, "steps": []}).revision == 3


def test_after_a_stop_nothing_is_planned_any_more():
    planning = said(Planning(TASK), PLAN, Stop())
    assert planning.ended() == PlanStopped(planning.approvals[-1])


def test_what_is_no_plan_is_refused_before_anybody_is_asked():
    plans: tuple[object, ...] = (None, "text", {"steps": []}, {"summary": object()})
    for plan in plans:
        with pytest.raises(InvalidApproval):
            Planning(TASK).judged(plan)
