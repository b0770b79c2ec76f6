"""A policy that somebody has written: it judges by itself, and says what the asker gets."""

import pytest

from questions import InvalidAsk, NoLongerActive, StoreClosed, Text
from questions.testing import open_rig
from tests.questions.own_policies import OneOfTwo, Raising
from tests.questions.rooms.elections import refusal, result
from tests.rules import rule

WHY = Text("Why?")


@rule("Q-POL-1")
async def test_it_says_when_the_answers_are_enough_and_what_comes_of_them():
    async with open_rig() as rig:
        ana, bo, _ = people = await rig.people("ana", "bo", "cy")
        asking = rig.ask(WHY, people, policy=OneOfTwo())
        await rig.quiet()
        await ana.answer("because")
        assert asking.outcome is None
        with pytest.raises(NoLongerActive):
            await ana.answer("so", people[1].see()[0].id)
        await bo.answer("so")
        await rig.quiet()
        assert result(asking) == "so"


async def test_it_says_what_comes_of_a_deadline(autojump_clock):
    async with open_rig() as rig:
        [ana] = await rig.people("ana")
        asking = rig.ask(WHY, [ana], policy=OneOfTwo(), timeout=5)
        await rig.until(6)
        assert result(asking) == "Why?"


async def test_one_that_raises_refuses_the_answer_and_takes_nothing_else_with_it():
    async with open_rig() as rig:
        [ana] = await rig.people("ana")
        broken = rig.ask(WHY, [ana], policy=Raising())
        await rig.quiet()
        fine = rig.ask(Text("And?"), [ana])
        await rig.quiet()
        with pytest.raises(ZeroDivisionError):
            await ana.answer("because")
        await ana.answer("so", ana.see()[1].id)
        await rig.quiet()
        assert (result(fine).answer, broken.outcome) == ("so", None)


@pytest.mark.parametrize("policy", [None, OneOfTwo, "first", 5])
async def test_what_is_no_policy_is_refused(policy):
    async with open_rig() as rig:
        asking = rig.ask(WHY, [rig.person("ana")], policy=policy)
        await rig.quiet()
        assert isinstance(refusal(asking), InvalidAsk)
        assert [fault.split(":")[0] for fault in refusal(asking).faults] == ["$.policy"]


async def test_one_that_no_store_knows_cannot_be_durable():
    async with open_rig() as rig:
        asking = rig.ask(WHY, [rig.person("ana")], policy=OneOfTwo(), key="why", durable=True)
        await rig.quiet()
        assert refusal(asking).faults == ["$.policy: a OneOfTwo cannot be stored, so its ask cannot be durable"]
        assert not isinstance(refusal(asking), StoreClosed)
