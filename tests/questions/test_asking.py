"""Asking: what is refused, what is given back, when it ends; and asking again."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import trio

from facets import Cell, Principal, derive
from questions import (
    All,
    Confirm,
    Expired,
    First,
    InvalidAsk,
    InvalidPolicy,
    Opened,
    Option,
    Questions,
    Quorum,
    Select,
    Text,
)
from questions.testing import open_rig
from tests.named import named
from tests.questions.steps import DEPLOY, assert_nothing_is_left, endings, names, opened, said
from tests.rules import rule

ANA, BO = Principal.user("ana"), Principal.user("bo")


@rule("Q-ASK-1")
async def test_an_ask_with_nothing_but_an_audience_waits_for_the_first_answer(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking = rig.ask(DEPLOY, audience=[ana, bo])
        rig.at(1_000_000, bo.answer, True)
        answered = await asking.wait()
        assert (answered.by.principal, answered.answer, answered.automatic) == (bo.principal, True, False)


@rule("Q-ASK-1")
async def test_names_come_from_the_host_and_a_missing_one_is_the_id(autojump_clock):
    async with open_rig(names={ANA: "Ana Maria"}) as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, _ = await opened(rig, audience=[ana, bo], policy=All())
        assert names(ana.see()[0].waiting_for) == ["Ana Maria", "bo"]
        said(bo, True)
        said(ana, True)
        assert names(one.by for one in (await asking.wait()).answers) == ["bo", "Ana Maria"]


@rule("Q-TYPE-1")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (Text("Why?"), "because"),
        (Select("Where?", [Option("eu", "Europe"), Option("us", "America")]), "us"),
        (Confirm("Go?"), False),
    ],
)
async def test_the_answer_is_given_back_as_it_was_given(autojump_clock, question, answer):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, _ = await opened(rig, question, audience=[ana])
        said(ana, answer)
        answered = await asking.wait()
        assert (answered.by.principal, answered.answer) == (ana.principal, answer)


@rule("Q-TYPE-1")
async def test_a_collected_holds_answers_in_order_missing_and_seen_and_has_no_truth(autojump_clock):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        asking, id = await opened(rig, audience=[ana, bo, cy], policy=Quorum(2))
        said(cy, True, id)
        said(bo, True)
        collected = await asking.wait()
        assert [(one.by.name, one.answer) for one in collected.answers] == [("cy", True), ("bo", True)]
        assert (names(collected.missing), names(collected.seen)) == (["ana"], ["bo"])
        assert collected.ended == "reached"
        assert collected.unanimous(True)
        with pytest.raises(TypeError):
            bool(collected)


@rule("Q-TYPE-1")
async def test_what_the_deadline_cut_short_is_never_unanimous(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, id = await opened(rig, audience=[ana, bo], policy=All(), timeout=60)
        said(ana, True, id)
        collected = await asking.wait()
        assert (collected.ended, collected.unanimous(True)) == ("deadline", False)


@rule("Q-ASK-2")
async def test_the_default_is_answered_by_the_deadline_and_by_nobody_else(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, _ = await opened(rig, audience=[ana], timeout=60, default=False)
        assert ana.see()[0].default is False
        answered = await asking.wait()
        assert answered.by.principal == Principal.server("deadline")
        assert (answered.answer, answered.automatic) == (False, True)
        assert (rig.now, rig.settled[0].automatic) == (60, True)


@rule("Q-ASK-2")
@pytest.mark.parametrize(
    ("question", "options"),
    [
        (DEPLOY, {"default": True}),
        (DEPLOY, {"default": 1, "timeout": 60}),
        (Select("Where?", [Option("eu", "Europe")]), {"default": "us", "timeout": 60}),
        (DEPLOY, {"default": True, "timeout": 60, "policy": All()}),
        (DEPLOY, {"default": True, "timeout": 60, "policy": Quorum(1)}),
        (Text("Code?", secret=True), {"default": "0000", "timeout": 60}),
    ],
    ids=["no deadline", "not a bool", "no option", "All", "Quorum", "secret"],
)
async def test_a_default_needs_first_a_deadline_and_to_be_an_answer(autojump_clock, question, options):
    async with open_rig() as rig:
        asker = await rig.asker()
        with pytest.raises(InvalidAsk, match=r"\$\.default"):
            await asker.ask(question, audience=[ANA], **options)
        assert not rig.reports


@rule("Q-ASK-2")
async def test_without_a_default_silence_is_no_value(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        with pytest.raises(Expired):
            await asker.ask(DEPLOY, audience=[ANA], timeout=60)
        assert rig.settled[0].answers == ()


@rule("Q-ASK-3")
@pytest.mark.parametrize("at", [0.0, 0.1, 12.345])
async def test_a_default_beats_an_outer_timeout_set_for_the_same_instant(autojump_clock, at):
    async with open_rig() as rig:
        asker = await rig.asker()
        await rig.until(at)
        with trio.fail_after(100):
            answered = await asker.ask(DEPLOY, audience=[ANA], timeout=100, default=False)
        assert answered.automatic


@rule("Q-ASK-3")
async def test_an_expiry_beats_an_outer_timeout_set_for_the_same_instant(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        with pytest.raises(Expired), trio.fail_after(100):
            await asker.ask(DEPLOY, audience=[ANA], timeout=100)


@rule("Q-ASK-3")
@pytest.mark.parametrize("policy", [Quorum(2), All()])
async def test_what_there_is_beats_an_outer_timeout_set_for_the_same_instant(autojump_clock, policy):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        rig.at(50, ana.answer, True)
        with trio.fail_after(100):
            collected = await asker.ask(DEPLOY, audience=[ANA, BO], policy=policy, timeout=100)
        assert (names(one.by for one in collected.answers), collected.ended) == (["ana"], "deadline")


@rule("Q-ASK-3")
async def test_an_earlier_outer_timeout_withdraws_the_question(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        with pytest.raises(trio.TooSlowError), trio.fail_after(99):
            await asker.ask(DEPLOY, audience=[ANA], timeout=100, default=False)
        assert [report.how for report in rig.settled] == ["withdrawn"]


@rule("Q-ASK-3")
async def test_ask_has_no_checkpoint_after_it_is_woken(autojump_clock):
    """A scope that is cancelled once the answer has come does not take the answer away again."""
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, _ = await opened(rig, audience=[ana])
        assert said(ana, True) is None
        asking.cancel()
        assert (await asking.wait()).answer is True
        assert not asking.cancelled


@rule("Q-SET-1")
async def test_under_a_cancelled_scope_nothing_is_published(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        with trio.CancelScope() as scope:
            scope.cancel()
            await asker.ask(DEPLOY, audience=[ana.principal], key="k", timeout=60)
        assert scope.cancelled_caught
        assert not rig.reports
        assert not ana.viewer.open.value
        assert_nothing_is_left(rig)


@rule("Q-SET-1")
async def test_a_cancellation_out_of_the_publication_itself_is_not_lost(autojump_clock):
    """The asker is cancelled before its task has begun to wait."""
    askings: list[Any] = []

    def cancel(report):
        if isinstance(report, Opened):
            askings[0].cancel()

    async with open_rig(observe=cancel) as rig:
        askings.append(rig.ask(DEPLOY, audience=[ANA]))
        await rig.quiet()
        assert askings[0].cancelled
        assert endings(rig) == ["withdrawn"]
        assert_nothing_is_left(rig)


@rule("Q-POL-4")
async def test_an_empty_fixed_audience_is_refused(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        with pytest.raises(InvalidAsk, match=r"\$\.audience"):
            await asker.ask(DEPLOY, audience=[])
        assert not rig.reports


@rule("Q-POL-4", "Q-POL-6")
async def test_a_quorum_above_the_distinct_members_of_a_fixed_audience_is_refused(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        with pytest.raises(InvalidPolicy, match=r"\$\.policy\.count"):
            await asker.ask(DEPLOY, audience=[ANA, BO, ANA], policy=Quorum(3))
        assert not rig.reports


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({"audience": ["ana"]}, "$.audience[0]"),
        ({"audience": [ANA, None]}, "$.audience[1]"),
        ({"audience": "ana"}, "$.audience"),
        ({"audience": None}, "$.audience"),
        ({"audience": ANA}, "$.audience"),
        ({"audience": Cell(5)}, "$.audience"),
        ({"timeout": 0}, "$.timeout"),
        ({"timeout": -1}, "$.timeout"),
        ({"timeout": float("nan")}, "$.timeout"),
        ({"timeout": float("inf")}, "$.timeout"),
        ({"timeout": 10**400}, "$.timeout"),
        ({"timeout": True}, "$.timeout"),
        ({"timeout": "60"}, "$.timeout"),
        ({"timeout": timedelta(0)}, "$.timeout"),
        ({"timeout": 60, "deadline": datetime(2027, 1, 1, tzinfo=UTC)}, "$.timeout"),
        ({"deadline": datetime(2027, 1, 1)}, "$.deadline"),  # noqa: DTZ001
        ({"deadline": 1_800_000_000}, "$.deadline"),
        ({"key": ""}, "$.key"),
        ({"key": "k" * 201}, "$.key"),
        ({"key": 42}, "$.key"),
        ({"policy": First}, "$.policy"),
        ({"policy": "all"}, "$.policy"),
        ({"on_behalf_of": "run-1"}, "$.on_behalf_of"),
        ({"question": "Deploy?"}, "$.question"),
    ],
    ids=named,
)
async def test_a_bad_ask_is_refused_with_its_path_and_nothing_is_published(autojump_clock, options, path):
    async with open_rig() as rig:
        asker = await rig.asker()
        with pytest.raises(InvalidAsk) as refused:
            await asker.ask(**{"question": DEPLOY, "audience": [ANA], **options})
        assert [fault.split(":")[0] for fault in refused.value.faults] == [path]
        assert not rig.reports
        assert_nothing_is_left(rig)


async def test_a_refusal_names_every_fault(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        wrong: Any = {"question": "Deploy?", "audience": [None], "policy": None, "key": "", "timeout": 0}
        with pytest.raises(InvalidAsk) as refused:
            await asker.ask(**wrong)
        paths = [fault.split(":")[0] for fault in refused.value.faults]
        assert paths == ["$.question", "$.policy", "$.key", "$.timeout", "$.audience[0]"]


@pytest.mark.parametrize("scope", ["s1", None, 5, ("session", "s1")])
async def test_a_scope_is_never_a_bare_value(autojump_clock, scope):
    async with open_rig() as rig, rig.host.root() as ctx:
        with pytest.raises(InvalidAsk, match=r"\$\.scope"):
            await ctx.get(Questions, scope)


@rule("Q-POL-6")
async def test_a_member_named_twice_is_asked_once(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, id = await opened(rig, audience=[ana, bo, ana], policy=All())
        assert names(ana.see()[0].waiting_for) == ["ana", "bo"]
        said(ana, True, id)
        said(bo, True, id)
        assert len((await asking.wait()).answers) == 2


async def test_an_audience_that_cannot_be_read_is_refused(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        with pytest.raises(InvalidAsk, match=r"\$\.audience: cannot be read"):
            await asker.ask(DEPLOY, audience=derive([], lambda: 1 / 0))
        assert not rig.reports


async def test_the_longest_deadline_can_be_asked_for_and_shown(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana], deadline=datetime.max.replace(tzinfo=UTC))
        await opened(rig, audience=[ana], timeout=timedelta.max)
        await opened(rig, audience=[ana], timeout=1e300)
        assert [one.deadline is not None and one.deadline.year for one in ana.see()] == [9999] * 3
