"""Approving plans: policies, what is asked, and what counts as an approval."""

from typing import Any, cast

import attrs
import pytest

from questions.gates import (
    ApprovalPolicy,
    Continue,
    GateDefinition,
    InvalidApproval,
    PlanApproval,
    PlanReview,
    Replan,
    Stop,
    document,
    make_request,
    plan_digest,
    read_policy,
    read_review,
    receipt_of,
    view_of,
)
from questions.gates.approval import PLAN_CHOICES
from questions.gates.resolution import accepted
from tests.questions.gates.cases import CREATED, PLACE, faults_of, submission
from tests.questions.gates.plans import CONTINUE, EXACT, PLAN, REQUIRED, STOP, TASK, replan, review

DIGEST = plan_digest(PLAN)
BY_A_PERSON = {CONTINUE: Continue(), STOP: Stop(), replan(): Replan(EXACT)}


def request(of):
    """The request that a review comes to."""
    definition = GateDefinition(PLAN_CHOICES.choices, lambda context: context.prompt(), of.policy.audience)
    definition = attrs.evolve(definition, timeout=of.policy.timeout)
    return make_request(definition, of.prompt(), place=PLACE, context=of, now=CREATED)


def receipt(response=CONTINUE, *, by_hand=True, of=None):
    made = request(of or review())
    return receipt_of(made, accepted(made, submission(made, response) if by_hand else response, CREATED))


def approval(choice, provenance, given, **changes):
    usual = {"choice": choice, "provenance": provenance, "plan_digest": DIGEST, "revision": 1, "receipt": given}
    return PlanApproval(**usual | changes)


def test_without_a_policy_it_goes_on_by_itself_after_ten_minutes_and_three_replans():  # case 126
    usual = {"mode": "auto", "audience": "operator", "timeoutMinutes": 10, "maxReplans": 3}
    assert read_policy(None).as_json() == read_policy({}).as_json() == usual
    for mode in ("required", "skip"):
        assert read_policy({"mode": mode}).as_json() == {"mode": mode, "audience": "operator", "maxReplans": 3}
        assert read_policy({"mode": mode}).timeout is None


def test_minutes_are_refused_where_nothing_goes_on_by_itself():  # case 127
    for mode in ("required", "skip"):
        with pytest.raises(InvalidApproval) as error:
            read_policy({"mode": mode, "timeoutMinutes": 10})
        assert faults_of(error) == ["$.timeoutMinutes: only with the mode auto; nothing else goes on by itself"]
    with pytest.raises(InvalidApproval):
        ApprovalPolicy(mode="required", timeout_minutes=10)


@pytest.mark.parametrize(("field", "least", "most"), [("timeoutMinutes", 1, 1_440), ("maxReplans", 1, 20)])
def test_numbers_of_a_policy_are_whole_and_bounded(field, least, most):
    for number in (least, most):
        assert read_policy({field: number}).as_json()[field] == number
    for number in (least - 1, most + 1, 1.0, True, "3", None):
        with pytest.raises(InvalidApproval) as error:
            read_policy({field: number})
        assert faults_of(error) == [f"$.{field}: a whole number from {least} to {most}"]


def test_all_faults_of_a_policy_are_told_with_fields_that_nobody_knows():
    with pytest.raises(InvalidApproval) as error:
        read_policy({"mode": "maybe", "audience": "two words", "max_replans": 3})
    assert [fault.partition(":")[0] for fault in faults_of(error)] == ["$.max_replans", "$.mode", "$.audience"]
    with pytest.raises(InvalidApproval):
        read_policy(cast(Any, ["auto"]))
    with pytest.raises(InvalidApproval):
        ApprovalPolicy(timeout_minutes=None)


def test_people_are_shown_the_plan_and_decide_about_its_digest():  # case 128
    made = request(review(policy=REQUIRED))
    assert made.subject == {"task": TASK, "planDigest": DIGEST, "revision": 1}
    assert made.presentation.summary == "Show the operator readable text."
    shown = document(view_of(made)).text
    assert "• Do not change Pi core" in shown
    assert TASK in shown
    assert DIGEST in shown
    assert (made.expires_at, made.default_response) == (None, None)


def test_a_plan_goes_on_by_itself_at_its_deadline():  # case 129
    made = request(review())
    assert made.default_response == CONTINUE
    assert made.expires_at is not None
    assert made.expires_at - made.created_at == 600_000
    assert approval(Continue(), "timeout", receipt(by_hand=False)).as_json()["provenance"] == "timeout"


def test_the_longest_plan_fits_on_a_screen_with_a_notice_of_what_is_left_out():
    long = "é" * 16_000
    plan = {"summary": long, **{f"part {number}": long for number in range(10)}}
    made = request(review(plan, task=long, plan_digest=plan_digest(plan)))
    assert "Not everything is shown here." in document(view_of(made)).text


def test_a_plan_is_read_with_its_policy_and_its_revision():
    given = {"task": TASK, "plan": PLAN, "planDigest": DIGEST, "approval": {"mode": "required"}, "revision": 4}
    made = read_review(given)
    assert (made.policy, made.revision, made.plan) == (REQUIRED, 4, PLAN)
    assert read_review(made.as_json()) == made
    assert read_review({"task": TASK, "plan": PLAN, "planDigest": DIGEST}) == review()


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"planDigest": plan_digest({})}, "$.planDigest: not the digest of this plan"),
        ({"planDigest": "sha256:1"}, "$.planDigest: sha256:"),
        ({"plan": ["no object"]}, "$.plan: must be an object"),
        ({"plan": {"steps": []}}, "$.plan.summary: missing"),
        ({"plan": {"summary": "two\nlines"}}, "$.plan.summary: U+000A"),
        ({"plan": {"summary": "a", "size": 1e400}}, "$.plan.size: must be a finite number"),
        ({"task": "  "}, "$.task: must not be empty"),
        ({"revision": 0}, "$.revision: a whole number of 1 or more"),
        ({"approval": {"mode": "skip", "timeoutMinutes": 1}}, "$.approval.timeoutMinutes: only with"),
        ({"model": "any"}, "$.model: not known"),
    ],
)
def test_what_cannot_be_asked_about_is_refused(changes, where):
    with pytest.raises(InvalidApproval) as error:
        read_review({"task": TASK, "plan": PLAN, "planDigest": DIGEST, **changes})
    assert faults_of(error)[0].startswith(where)


def test_a_plan_that_is_changed_by_its_owner_is_asked_about_as_it_was():
    steps = ["first"]
    made = review({"summary": "One step.", "steps": steps})
    steps.append("second")
    made.plan["steps"].append("third")
    assert made.plan == {"summary": "One step.", "steps": ["first"]}
    with pytest.raises(InvalidApproval):
        PlanReview(task=TASK, plan=object(), plan_digest=DIGEST)


@pytest.mark.parametrize(("response", "choice"), BY_A_PERSON.items(), ids=lambda value: type(value).__name__)
def test_an_approval_says_what_a_person_has_chosen_to_the_character(response, choice):  # case 132
    made = approval(choice, "human", receipt(response))
    assert made.as_json()["status"] == response.choice
    assert made.as_json().get("instructions") == (EXACT if response == replan() else None)
    assert "source" not in str(made.as_json())


@pytest.mark.parametrize("choice", [Stop(), Replan(EXACT)])
def test_only_a_person_can_stop_a_plan_or_send_it_back(choice):
    response = PLAN_CHOICES.write(choice)
    for provenance, given in (("timeout", receipt(response, by_hand=False)), ("skipped", None)):
        with pytest.raises(InvalidApproval, match="only a person can choose"):
            approval(choice, provenance, given)


@pytest.mark.parametrize(
    ("choice", "provenance", "given", "where"),
    [
        (Continue(), "human", None, "$.receipt: missing"),
        (Continue(), "skipped", receipt(), "$.receipt: there is none"),
        (Continue(), "human", receipt(by_hand=False), "$.provenance: the receipt says timeout"),
        (Continue(), "human", receipt(of=review(revision=2)), "$.revision: the receipt is of revision 2"),
        (Continue(), "human", receipt(STOP), "$.choice: not what the receipt says"),
        (Replan("something else"), "human", receipt(replan()), "$.choice: not what the receipt says"),
    ],
)
def test_an_approval_is_what_its_receipt_says(choice, provenance, given, where):
    with pytest.raises(InvalidApproval) as error:
        approval(choice, provenance, given)
    assert faults_of(error)[0].startswith(where)
