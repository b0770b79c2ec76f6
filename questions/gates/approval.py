"""Approving plans: the policy, the plan that is asked about, and what was decided about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from .choice_classes import Choice, OneOf, choice_id, text_input
from .digests import sealed
from .errors import InvalidApproval
from .forms import Check, checked_faults, is_whole, one_of
from .identifiers import digest_faults, name_faults
from .policy import TimeoutPolicy
from .presentation import LONGEST_TOTAL, Block, Field, Fields, Paragraph, Presentation, Section
from .presenter import present_value
from .prompt import Prompt
from .receipt import Receipt
from .responses import Response
from .texts import normal, text_faults
from .values import read_json, value_faults, write_json

__all__ = [
    "PLAN_CHOICES",
    "ApprovalMode",
    "ApprovalPolicy",
    "ApprovalProvenance",
    "Continue",
    "PlanApproval",
    "PlanChoice",
    "PlanReview",
    "Replan",
    "Stop",
    "plan_digest",
    "read_policy",
    "read_review",
]

ApprovalMode = Literal["auto", "required", "skip"]
ApprovalProvenance = Literal["human", "timeout", "skipped"]

USUAL_MINUTES, MOST_MINUTES, USUAL_REPLANS, MOST_REPLANS = 10, 1_440, 3, 20
LONGEST_LINE = 16_000  # code points
_ROOM = 1_000
"""Code points for the labels beside the texts of a plan."""


class Continue(Choice):
    """The plan is carried out."""


class Stop(Choice):
    """Nothing is carried out."""


class Replan(Choice):
    """Another plan is to be made."""

    instructions: str = text_input("What should change?", min_length=1, max_length=4_000)
    """What was written, to the character: 1 to 4,000 code points."""


PlanChoice = Continue | Stop | Replan

PLAN_CHOICES: OneOf[Continue | Stop | Replan] = OneOf(Continue, Stop, Replan)
"""What can be chosen about a plan."""


def plan_digest(plan: Any) -> str:
    """The digest of a plan, by which it is approved. Raises `ValueError` for what is no JSON."""
    return sealed(plan)


def _refuse(faults: list[str]) -> None:
    if faults:
        raise InvalidApproval(faults)


def _kept(plan: Any) -> str:
    """A plan as text, so that nobody can change it."""
    _refuse(value_faults("$.plan", plan))
    return write_json(plan)


@attrs.frozen(kw_only=True)
class ApprovalPolicy:
    """Whether people are asked about a plan, who, and for how long. Immutable.

    `mode`: `auto` goes on at the deadline unless somebody has chosen otherwise, `required` waits for a person, `skip`
    asks nobody. `audience`: who is asked. `timeout_minutes`: 1 to 1,440, 10 by default; only with `auto`.
    `max_replans`: how often people may send a plan back, 1 to 20. Raises `InvalidApproval` with every fault.
    """

    mode: ApprovalMode = "auto"
    audience: str = "operator"
    timeout_minutes: int | None = attrs.field()
    max_replans: int = USUAL_REPLANS

    @timeout_minutes.default
    def _usual(self) -> int | None:
        return USUAL_MINUTES if self.mode == "auto" else None

    def __attrs_post_init__(self) -> None:
        _refuse(_policy_faults("$", self.as_json()))

    def as_json(self) -> dict[str, Any]:
        """As it stands in settings; minutes only where there are any."""
        fields = {"mode": self.mode, "audience": self.audience, "maxReplans": self.max_replans}
        has_minutes = self.mode == "auto" or self.timeout_minutes is not None
        return fields | ({"timeoutMinutes": self.timeout_minutes} if has_minutes else {})

    @property
    def timeout(self) -> TimeoutPolicy | None:
        """What the deadline of a request does: continue, or None if there is no deadline."""
        if self.timeout_minutes is None:
            return None
        return TimeoutPolicy(self.timeout_minutes * 60_000, Response(choice_id(Continue)))


def _policy_faults(path: str, given: object) -> list[str]:
    """What is wrong with a policy as it stands in settings."""
    faults = checked_faults(path, given, {}, _POLICY)
    if isinstance(given, Mapping) and "timeoutMinutes" in given and given.get("mode", "auto") in ("required", "skip"):
        faults.append(f"{path}.timeoutMinutes: only with the mode auto; nothing else goes on by itself")
    return faults


def read_policy(given: Mapping[str, Any] | None) -> ApprovalPolicy:
    """The policy of plain data: `mode`, `audience`, `timeoutMinutes`, `maxReplans`. None: the usual one.

    Raises `InvalidApproval` with every fault, for a field that nobody knows too.
    """
    given = {} if given is None else given
    _refuse(_policy_faults("$", given))
    names = {"timeoutMinutes": "timeout_minutes", "maxReplans": "max_replans"}
    return ApprovalPolicy(**{names.get(name, name): value for name, value in given.items()})


@attrs.frozen(kw_only=True)
class PlanReview:
    """A plan that people are to be asked about. Immutable.

    `task`: what the plan is for, 1 to 16,000 code points. `plan`: an object of JSON that has a `summary` of one line;
    all of it is shown, as far as there is room. `plan_digest`: must be that of the plan. `revision`: 1 or more. Raises
    `InvalidApproval` with every fault.
    """

    task: str
    plan_json: str = attrs.field(alias="plan", converter=_kept)
    plan_digest: str
    policy: ApprovalPolicy = attrs.field(factory=ApprovalPolicy)
    revision: int = 1

    def __attrs_post_init__(self) -> None:
        _refuse(_review_faults("$", self.as_json()))

    @property
    def plan(self) -> Any:
        """The plan: a new copy each time."""
        return read_json(self.plan_json)

    @property
    def subject(self) -> dict[str, Any]:
        """What is decided about: the task, the digest of the plan, and the revision."""
        return {"task": self.task, "planDigest": self.plan_digest, "revision": self.revision}

    def as_json(self) -> dict[str, Any]:
        """`{task, plan, planDigest, approval, revision}`."""
        return {**self.subject, "plan": self.plan, "approval": self.policy.as_json()}

    def prompt(self) -> Prompt:
        """What people are asked: the summary of the plan, then the task, and all else that is in the plan."""
        return Prompt("Approve plan", self.subject, Presentation(self.plan["summary"], self._blocks()), self.revision)

    def _blocks(self) -> list[Block]:
        rest = {name: value for name, value in self.plan.items() if name != "summary"}
        room = LONGEST_TOTAL - len(normal(self.task)) - len(normal(self.plan["summary"])) - _ROOM
        shown = present_value(rest, longest=room) if rest else ()
        about = Fields([Field("Revision", str(self.revision)), Field("Plan digest", self.plan_digest)])
        return [Section("Task"), Paragraph(self.task), Section("Plan"), about, *shown]


def read_review(given: Mapping[str, Any]) -> PlanReview:
    """The review of plain data: `task`, `plan`, `planDigest`, and perhaps `approval` and `revision`.

    Raises `InvalidApproval` with every fault, for a field that nobody knows too.
    """
    _refuse(_review_faults("$", given))
    return PlanReview(
        task=given["task"],
        plan=given["plan"],
        plan_digest=given["planDigest"],
        policy=read_policy(given.get("approval")),
        revision=given.get("revision", 1),
    )


def _review_faults(path: str, given: object) -> list[str]:
    """What is wrong with a review as plain data."""
    faults = checked_faults(path, given, _REVIEW, {"approval": _policy_faults, "revision": _whole(1)})
    if faults or not isinstance(given, Mapping) or given["planDigest"] == (found := plan_digest(given["plan"])):
        return faults
    return [f"{path}.planDigest: not the digest of this plan, which is {found}"]


@attrs.frozen(kw_only=True)
class PlanApproval:
    """What was decided about a plan, and how. Immutable.

    `provenance`: by a person (`human`), by the deadline (`timeout`), or nobody was asked (`skipped`). To stop and to
    plan again takes a person; to continue takes a receipt, unless nobody was asked. Raises `InvalidApproval` otherwise.
    """

    choice: PlanChoice
    provenance: ApprovalProvenance
    plan_digest: str
    revision: int
    receipt: Receipt | None = None

    def __attrs_post_init__(self) -> None:
        _refuse(_approval_faults(self))

    @property
    def status(self) -> str:
        """`continue`, `stop` or `replan`."""
        return choice_id(type(self.choice))

    @property
    def instructions(self) -> str | None:
        """What is to be planned otherwise, to the character; None: nothing is."""
        return self.choice.instructions if isinstance(self.choice, Replan) else None

    def as_json(self) -> dict[str, Any]:
        """As it is passed on: who has decided is not in it."""
        names = {"status": self.status, "provenance": self.provenance}
        result = {**names, "planDigest": self.plan_digest, "revision": self.revision}
        result |= {} if self.instructions is None else {"instructions": self.instructions}
        return result if self.receipt is None else {**result, "receipt": self.receipt.as_json()}


def _approval_faults(approval: PlanApproval) -> list[str]:
    receipt, provenance = approval.receipt, approval.provenance
    faults = []
    if provenance != "human" and not isinstance(approval.choice, Continue):
        faults.append(f"$.provenance: only a person can choose {approval.status}")
    if provenance == "skipped":
        return faults + ([] if receipt is None else ["$.receipt: there is none when nobody was asked"])
    if receipt is None:
        return [*faults, "$.receipt: missing; only what nobody was asked has none"]
    if receipt.provenance != provenance:
        faults.append(f"$.provenance: the receipt says {receipt.provenance}")
    if receipt.revision != approval.revision:
        faults.append(f"$.revision: the receipt is of revision {receipt.revision}")
    if receipt.response != PLAN_CHOICES.write(approval.choice):
        faults.append("$.choice: not what the receipt says")
    return faults


def _whole(least: int, most: int | None = None) -> Check:
    def faults(path: str, given: object) -> list[str]:
        if most is None:
            return [] if is_whole(given, least) else [f"{path}: a whole number of {least} or more"]
        return [] if is_whole(given, least, most) else [f"{path}: a whole number from {least} to {most}"]

    return faults


def _plan_faults(path: str, plan: object) -> list[str]:
    if faults := value_faults(path, plan):
        return faults
    if not isinstance(plan, Mapping):
        return [f"{path}: must be an object with a summary"]
    if "summary" not in plan:
        return [f"{path}.summary: missing"]
    return text_faults(f"{path}.summary", plan["summary"], LONGEST_LINE, lines=False)


_POLICY: Mapping[str, Check] = {
    "mode": one_of("auto", "required", "skip"),
    "audience": name_faults,
    "timeoutMinutes": _whole(1, MOST_MINUTES),
    "maxReplans": _whole(1, MOST_REPLANS),
}
_REVIEW: Mapping[str, Check] = {
    "task": lambda path, task: text_faults(path, task, LONGEST_LINE, lines=True),
    "plan": _plan_faults,
    "planDigest": digest_faults,
}
