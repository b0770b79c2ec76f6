"""Only type-checked: the type of an answer follows the choices, and no case is forgotten."""

from typing import Literal, assert_never, assert_type

from questions.gates import (
    Choice,
    Gate,
    GateRun,
    OneOf,
    PlanApproved,
    PlanBlocked,
    PlanChoice,
    Planner,
    PlanStopped,
    Presentation,
    Prompt,
    Routes,
    agree_on_plan,
    text_input,
)


class Continue(Choice):
    """Go on."""


class Stop(Choice, label="Stop here"):
    """Go no further."""


class Replan(Choice, id="again"):
    instructions: str = text_input("What should change?", max_length=200)


offered: OneOf[Continue | Stop | Replan] = OneOf(Continue, Stop, Replan)


def every_case(answer: Continue | Stop | Replan) -> str:
    match answer:
        case Continue():
            return "on"
        case Stop():
            return "off"
        case Replan(instructions=text):
            assert_type(text, str)
            return text
        case never:
            assert_never(never)


def a_case_is_missing(answer: Continue | Stop | Replan) -> str:
    match answer:
        case Continue():
            return "on"
        case Replan(instructions=text):
            return text
        case never:
            assert_never(never)  # E: arg-type


def a_case_is_not_a_choice(answer: Continue | Stop) -> str:
    match answer:
        case Continue():
            return "on"
        case Stop():
            return "off"
        case Replan():  # never reached, which is no error: `Routes` finds it when they are made
            return "again"


def reading_and_writing() -> None:
    from questions.gates import Response

    assert_type(offered.read(Response("continue")), Continue | Stop | Replan)
    offered.write(Replan("smaller"))
    Routes("approve", offered.choices, {Continue: 1, Stop: 2, Replan: 3})


def what_mypy_refuses() -> None:
    _: OneOf[Continue | Stop] = OneOf(Continue, Stop, Replan)  # E: arg-type
    offered.write("continue")  # E: arg-type
    Replan()  # E: call-arg
    Replan(instructions=3)  # E: arg-type
    Replan("a").instructions = "b"  # E: misc
    OneOf(int)  # E: type-var


def plan_prompt(plan: object) -> Prompt:
    return Prompt("Go on?", plan, Presentation("A plan."))


approve: Gate[Continue | Stop | Replan] = Gate(Continue, Stop, Replan, request=plan_prompt)


async def every_case_of_a_gate(run: GateRun) -> str:
    match await approve.decide(run, "approve", "attempt-1", "plan"):
        case Continue():
            return "on"
        case Stop():
            return "off"
        case Replan(instructions=text):
            assert_type(text, str)
            return text
        case never:
            assert_never(never)


async def a_case_of_a_gate_is_missing(run: GateRun) -> str:
    match await approve.result(run, "attempt-1"):
        case Continue():
            return "on"
        case Stop():
            return "off"
        case never:
            assert_never(never)  # E: arg-type


def a_gate_offers_no_more_than_its_type_says() -> None:
    _: Gate[Continue | Stop] = Gate(Continue, Stop, Replan, request=plan_prompt)  # E: arg-type
    Gate(Continue, Stop)  # E: call-arg
    approve.routes("approve", {Continue: 1, Stop: 2, Replan: 3})


async def every_end_of_a_planning(run: GateRun, planner: Planner) -> object:
    match await agree_on_plan(run, "A task.", planner):
        case PlanApproved() as approved:
            assert_type(approved.approval.choice, PlanChoice)
            return approved.plan
        case PlanStopped():
            return None
        case PlanBlocked(reason=reason):
            assert_type(reason, Literal["replans", "unchanged"])
            return reason
        case never:
            assert_never(never)


async def an_end_of_a_planning_is_missing(run: GateRun, planner: Planner) -> object:
    match await agree_on_plan(run, "A task.", planner):
        case PlanApproved() as approved:
            return approved.plan
        case PlanStopped():
            return None
        case never:
            assert_never(never)  # E: arg-type
