"""Faults that users of other systems have met: what ran without a yes, or twice, or with other arguments."""

import json
from typing import Any

import pytest
import trio

from questions import DigestMismatch, Expired, Grants, NotApproved, Option, Select, approval_required, work_clock
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, said
from tests.questions.tools import ANA, Says, Tool
from tests.rules import rule


@rule("Q-SET-2", "Q-SET-3")
async def test_a_double_click_runs_the_rejection_once(autojump_clock):
    """What is done about a denial takes 3 s; the second click comes after 2."""
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker, effects = await rig.asker(), []

        async def reject_if_denied():
            if (await asker.ask(DEPLOY, audience=[ANA])).answer is False:
                await trio.sleep(3)
                effects.append(rig.now)

        working = rig.start(reject_if_denied)
        await rig.quiet()
        id = ana.see()[0].id
        rig.at(1, ana.answer, False, id)
        rig.at(3, ana.answer, False, id)
        await working.wait()
        assert effects == [4]
        assert [(when, str(refusal)) for when, refusal in rig.refusals] == [
            (3, f"question {id!r} was answered (by ana); your answer was not counted")
        ]
        assert len(rig.settled) == 1


@rule("Q-TYPE-3")
async def test_a_second_click_in_the_same_step_is_refused_too(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking = rig.ask(DEPLOY, audience=[ana])
        await rig.quiet()
        id = ana.see()[0].id
        assert said(ana, False, id) is None
        assert said(ana, False, id).how == "answered"
        assert (await asking.wait()).answer is False


NOTHING: list[Any] = [None, {}, "yes", 1, "always"]


@rule("Q-TYPE-1")
@pytest.mark.parametrize("grants", [None, Grants()])
@pytest.mark.parametrize("recorded", NOTHING)
async def test_no_decision_at_all_is_no_yes(recorded, grants):
    tool = Tool()
    with pytest.raises(NotApproved) as error:
        await tool.guarded(Says(recorded), name="delete", grants=grants)("everything")
    assert (error.value.code, error.value.tool, tool.runs) == ("not_approved", "delete", [])


@rule("Q-POL-5")
async def test_a_decision_that_is_missing_is_no_yes(autojump_clock):
    async with open_rig() as rig:
        tool = Tool()
        with pytest.raises(Expired):
            await tool.guarded(await rig.asker(), name="delete", timeout=60)("everything")
        assert tool.runs == []


@rule("Q-TYPE-3")
@pytest.mark.parametrize("answer", [*NOTHING, "true", [], 0])
async def test_an_answer_that_was_not_offered_is_refused_before_any_tool_hears_of_it(autojump_clock, answer):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        tool = Tool()
        working = rig.start(tool.guarded(await rig.asker(), name="delete"), "everything")
        rig.ask(Select("Which?", [Option("a", "A")]), audience=[ana])
        await rig.quiet()
        assert [said(ana, answer, one.id).code for one in ana.see()] == ["invalid_answer"] * 2
        assert (working.outcome, tool.runs) == (None, [])


# The approver saw other arguments than those that ran


class Payment:
    """A tool that pays `order["amount"]`; hooks change the order before the question, or before the run."""

    def __init__(self, asker):
        self.order: Any = {"amount": 100}
        self.paid: list[int] = []
        self.guarded = approval_required(asker, [ANA])(self.pay)

    async def pay(self, order):
        self.paid.append(order["amount"])

    def halve(self):
        self.order["amount"] //= 2


async def test_the_card_shows_the_final_arguments(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        payment = Payment(await rig.asker())
        payment.halve()
        working = rig.start(payment.guarded, payment.order)
        await rig.quiet()
        assert json.loads(ana.see()[0].details) == {"order": {"amount": 50}}
        await ana.answer(True)
        await working.wait()
        assert payment.paid == [50]


async def test_arguments_that_change_after_the_answer_are_refused_and_a_new_question_is_due(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        payment = Payment(await rig.asker())
        working = rig.start(payment.guarded, payment.order)
        await rig.quiet()
        assert said(ana, True) is None
        payment.halve()
        with pytest.raises(DigestMismatch):
            await working.wait()
        assert payment.paid == []
        rig.start(payment.guarded, payment.order)
        await rig.quiet()
        assert json.loads(ana.see()[0].details) == {"order": {"amount": 50}}


# "Always" was remembered by the name of the tool


async def test_leave_for_the_session_covers_what_was_shown_and_nothing_else(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        tool, grants = Tool(), Grants()
        edit = tool.guarded(await rig.asker(), name="edit", grants=grants)
        rig.at(1, ana.answer, "session")
        await edit({"path": "notes/a.txt", "text": "x"})
        rig.at(2, ana.answer, "deny")
        with pytest.raises(NotApproved):
            await edit({"path": "secrets/key", "text": "x"})
        await edit({"text": "x", "path": "notes/a.txt"})  # in another order
        assert (rig.now, len(tool.runs)) == (2, 2)


async def test_leave_that_was_taken_back_is_asked_for_again(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        tool, grants = Tool(), Grants()
        edit = tool.guarded(await rig.asker(), name="edit", grants=grants)
        rig.at(1, ana.answer, "session")
        await edit("notes/a.txt")
        [grant] = grants.list(rig.scope)
        grants.revoke(grant)
        rig.at(5, ana.answer, "once")
        await edit("notes/a.txt")
        assert (rig.now, len(rig.settled), grants.list()) == (5, 2, [])


# Time spent waiting for a person used up the time of the tool


async def test_a_tool_with_a_minute_of_work_waits_an_hour_for_its_answer(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        rig.at(20 + 3_240, ana.answer, True)
        with work_clock(60) as clock:
            await trio.sleep(20)
            assert (await asker.ask(DEPLOY, audience=[ANA])).answer
            await trio.sleep(30)
        assert (rig.now, clock.used) == (3_290, 50)
