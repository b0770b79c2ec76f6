"""A guard before a tool: it runs after an explicit yes to exactly this call, once, and at no other time."""

from typing import Any

import pytest
import trio

from facets import Who
from questions import All, Answered, Collected, Expired, First, InvalidAsk, NotApproved, Quorum, StoreClosed, guard
from questions.testing import open_rig
from tests.questions.steps import assert_nothing_is_left, crash, endings
from tests.questions.tools import ANA, BO, NO, YES, Says, Tool


async def refused(asker, policy, *call, **options):
    """What a call that must not run raises."""
    tool = Tool()
    with pytest.raises(NotApproved) as error:
        await tool.guarded(asker, policy, **options)(*(call or (100,)))
    assert tool.runs == []
    return error.value


# An explicit yes, and nothing else


async def test_a_call_that_is_allowed_runs_once_and_returns_what_the_tool_returns(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        tool = Tool()
        rig.at(5, ana.answer, True)
        assert await tool.guarded(await rig.asker())(100) == "paid 100"
        assert (rig.now, tool.runs) == (5, [(100, "shop")])


async def test_a_call_that_is_denied_does_not_run_and_says_who_denied_it(autojump_clock):
    async with open_rig() as rig:
        (bo,) = await rig.people("bo")
        rig.at(5, bo.answer, False)
        error = await refused(await rig.asker(), First())
        assert (error.how, [who.principal for who in error.by]) == ("denied", [BO])
        assert str(error) == "pay was not run: denied by bo"


async def test_a_call_that_nobody_decides_in_time_does_not_run(autojump_clock):
    async with open_rig() as rig:
        tool = Tool()
        with pytest.raises(Expired) as expired:
            await tool.guarded(await rig.asker(), timeout=60)(100)
        assert (rig.now, expired.value.reason, tool.runs) == (60, "never shown to anyone", [])


@pytest.mark.parametrize("answer", [None, {}, [], "", "yes", "True", 1, 1.0, 0, "allow", "once", object(), [True]])
@pytest.mark.parametrize("policy", [First(), Quorum(1), All()])
async def test_an_answer_that_is_not_exactly_true_allows_nothing(policy, answer):
    given: Any = Answered(Who(ANA, "Ana"), answer)
    result = given if policy == First() else Collected((given,), (), (), "reached")
    assert (await refused(Says(result), policy)).how == "undecided"


@pytest.mark.parametrize(
    "result",
    [
        None,
        {},
        {"answer": True},
        "yes",
        1,
        True,
        [YES],
        Collected((YES,), (), (), "reached"),  # of a First, of which one answer comes
        Answered(Who(ANA, "Ana"), True, automatic=True),  # no person has said it
        type("Looks", (), {"answer": True, "by": Who(ANA, "Ana"), "automatic": False})(),
    ],
)
async def test_a_result_that_is_no_answer_of_a_person_allows_nothing(result):
    assert (await refused(Says(result), First())).how == "undecided"


@pytest.mark.parametrize(
    ("answers", "ended", "how"),
    [
        ((), "reached", "undecided"),
        (None, "reached", "undecided"),
        ((YES, YES), "deadline", "undecided"),
        ((YES, YES), None, "undecided"),
        ((YES, NO), "reached", "denied"),
        ((YES, NO), "deadline", "denied"),
        ((YES, None), "reached", "undecided"),
        ((True, True), "reached", "undecided"),
    ],
)
@pytest.mark.parametrize("policy", [Quorum(2), All()])
async def test_several_have_to_have_agreed(policy, answers, ended, how):
    result: Any = Collected(answers, (), (), ended)
    assert (await refused(Says(result), policy)).how == how


async def test_one_answer_is_not_enough_for_a_policy_that_collects():
    assert (await refused(Says(YES), Quorum(2))).how == "undecided"


async def test_a_part_of_a_quorum_at_the_deadline_allows_nothing(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        rig.at(5, ana.answer, True)
        error = await refused(await rig.asker(), Quorum(2), timeout=60)
        assert (rig.now, error.how, [who.name for who in error.by]) == (60, "undecided", ["ana"])


async def test_a_quorum_that_agrees_allows_the_call(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        tool = Tool()
        rig.at(5, ana.answer, True)
        rig.at(9, bo.answer, True)
        await tool.guarded(await rig.asker(), Quorum(2))(100)
        assert (rig.now, len(tool.runs)) == (9, 1)


async def test_an_audience_that_becomes_empty_allows_nothing(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        rig.at(5, ana.leave)
        error = await refused(await rig.asker(), All(), audience=rig.present, timeout=60)
        assert (error.how, error.by) == ("undecided", ())


async def test_a_store_that_crashes_has_decided_nothing(autojump_clock):
    async with open_rig() as rig:
        tool = Tool()
        rig.at(5, crash, rig)
        with pytest.raises(StoreClosed):
            await tool.guarded(await rig.asker())(100)
        assert tool.runs == []


async def test_cancelling_the_call_withdraws_the_question(autojump_clock):
    async with open_rig() as rig:
        tool = Tool()
        with trio.move_on_after(5):
            await tool.guarded(await rig.asker())(100)
        assert (tool.runs, endings(rig)) == ([], ["withdrawn"])
        assert_nothing_is_left(rig)


# Once


async def test_every_call_is_asked_about(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        tool = Tool()
        pay = tool.guarded(await rig.asker())
        for seconds in (1, 2):
            rig.at(seconds, ana.answer, True)
            await pay(100)
        assert (len(tool.runs), endings(rig)) == (2, ["answered", "answered"])


async def test_of_two_identical_calls_at_once_only_the_allowed_one_runs(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        tool = Tool()
        pay = tool.guarded(await rig.asker(), timeout=60)
        calls = [rig.start(pay, 100) for _ in range(2)]
        await rig.quiet()
        assert len(ana.see()) == 2
        await ana.answer(True)
        await rig.until(60)
        assert sorted(type(call.outcome).__name__ for call in calls) == ["Error", "Value"]
        assert (len(tool.runs), sorted(endings(rig))) == (1, ["answered", "expired"])


async def test_two_calls_that_wait_for_one_approval_do_not_both_run_on_it(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        tool = Tool()
        pay = tool.guarded(await rig.asker(), key=lambda amount: f"pay-{amount}", timeout=60)
        calls = [rig.start(pay, 100) for _ in range(2)]
        await rig.quiet()
        assert len(ana.see()) == 1
        await ana.answer(True)
        await rig.quiet()
        assert (len(tool.runs), len(ana.see())) == (1, 1), "the other one is asked about now"
        await ana.answer(False)
        await rig.quiet()
        assert sorted(type(call.outcome).__name__ for call in calls) == ["Error", "Value"]


async def test_a_kept_approval_that_a_call_has_run_on_does_not_allow_another(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        tool = Tool()
        pay = tool.guarded(await rig.asker(), key=lambda amount: "k", timeout=60)
        for seconds in (1, 2, 3):
            rig.at(seconds, ana.answer, True)
            await pay(100)
        assert (rig.now, len(tool.runs)) == (3, 3)
        assert [report.key for report in rig.settled] == ["k", "k/2", "k/3"]


async def test_the_used_keys_that_are_remembered_are_bounded(monkeypatch):
    monkeypatch.setattr(guard, "_MOST_USED", 2)
    asker = Says(*[YES] * 4)
    pay = Tool().guarded(asker, key=lambda amount: f"k{amount}")
    for amount in (1, 2, 3, 1):
        await pay(amount)
    assert [terms["key"] for _, terms in asker.asked] == ["k1", "k2", "k3", "k1"]


async def test_a_kept_denial_denies_the_next_call_with_its_key_too(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        rig.at(1, ana.answer, False)
        for _ in range(2):
            assert (await refused(await rig.asker(), First(), key=lambda amount: "k")).how == "denied"
        assert (rig.now, len(rig.settled)) == (1, 1)


async def test_a_call_that_was_interrupted_joins_its_question_by_key(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        tool = Tool()
        pay = tool.guarded(await rig.asker(), key=lambda amount: "k")
        rig.at(1, crash, rig)
        with pytest.raises(StoreClosed):
            await pay(100)
        rig.at(5, ana.answer, True)
        assert await pay(100) == "paid 100"
        assert (len(tool.runs), len(rig.reports)) == (1, 2), "one question, opened once and settled once"


async def test_the_key_is_made_of_the_arguments_of_the_tool():
    asker = Says(YES)
    await Tool().guarded(asker, key=lambda amount, to: f"{to}-{amount}")(100, to="bank")
    assert asker.asked[0][1]["key"] == "bank-100"


@pytest.mark.parametrize("key", ["", 7])
async def test_what_is_no_key_is_refused_and_nothing_runs(autojump_clock, key):
    async with open_rig() as rig:
        tool = Tool()
        with pytest.raises(InvalidAsk, match=r"\$\.key"):
            await tool.guarded(await rig.asker(), key=lambda amount: key)(100)
        assert (tool.runs, rig.reports) == ([], [])


# What is not asked


async def test_only_an_exact_false_lets_a_call_through_unasked():
    asker, tool = Says(), Tool()
    assert await tool.guarded(asker, needs=lambda amount: amount > 100)(100) == "paid 100"
    assert asker.asked == []


@pytest.mark.parametrize("verdict", [True, None, 0, "", [], "False", object()])
async def test_any_other_verdict_asks(verdict):
    asker, tool = Says(NO), Tool()
    with pytest.raises(NotApproved):
        await tool.guarded(asker, needs=lambda amount: verdict)(100)
    assert (len(asker.asked), tool.runs) == (1, [])


async def test_whether_a_call_needs_approval_is_worked_out_once_with_its_arguments():
    verdicts: list[Any] = []
    await Tool().guarded(Says(YES), needs=lambda *args, **kwargs: verdicts.append((args, kwargs)))(100, to="bank")
    assert verdicts == [((100,), {"to": "bank"})]


async def test_a_predicate_that_raises_lets_nothing_run():
    asker, tool = Says(YES), Tool()
    with pytest.raises(ZeroDivisionError):
        await tool.guarded(asker, needs=lambda amount: 1 / 0)(100)
    assert (asker.asked, tool.runs) == ([], [])
