"""Asking: what is refused, what is given back, when it ends; and asking again."""

from datetime import UTC, datetime, timedelta

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
    LimitExceeded,
    Limits,
    Opened,
    Option,
    Questions,
    Quorum,
    Select,
    StoreClosed,
    Superseded,
    Text,
    ask_again,
)
from questions.testing import open_rig

from tests.questions.steps import DEPLOY, assert_nothing_is_left, crash, endings, names, opened, said, team
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
        assert (answered.by.principal, answered.answer, answered.automatic) == (Principal.server("deadline"), False, True)
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
    askings = []

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
    ids=repr,
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
        with pytest.raises(InvalidAsk) as refused:
            await asker.ask("Deploy?", audience=[None], policy=None, key="", timeout=0)
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
        assert names(rig.reports[0].audience) == ["ana", "bo"]
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
        assert [one.deadline.year for one in ana.see()] == [9999] * 3


# --- limits ---------------------------------------------------------------------------------------------------------


async def test_the_limit_of_open_questions_leaves_nothing_behind(autojump_clock):
    async with open_rig(limits=Limits(open=1)) as rig:
        (ana,) = await rig.people("ana")
        first, _ = await opened(rig, audience=[ana])
        asker = await rig.asker()
        with pytest.raises(LimitExceeded) as refused:
            await asker.ask(DEPLOY, audience=team(ana), key="k", timeout=60)
        assert (refused.value.what, refused.value.limit) == ("open questions", 1)
        said(ana, True)
        await first.wait()
        assert len(rig.reports) == 2
        assert_nothing_is_left(rig)


async def test_the_limit_of_an_audience_counts_distinct_members(autojump_clock):
    async with open_rig(limits=Limits(audience=2)) as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        await opened(rig, audience=[ana, bo, ana, bo])
        refused, _ = await opened(rig, audience=[ana, bo, cy])
        with pytest.raises(LimitExceeded, match="members of an audience"):
            await refused.wait()
        assert len(rig.reports) == 1


async def test_the_limit_of_waiters_leaves_those_that_wait_alone(autojump_clock):
    async with open_rig(limits=Limits(waiters=2)) as rig:
        (ana,) = await rig.people("ana")
        askings = [(await opened(rig, audience=[ana], key="k"))[0] for _ in range(3)]
        with pytest.raises(LimitExceeded, match="waiters"):
            await askings[2].wait()
        said(ana, True)
        assert [(await asking.wait()).answer for asking in askings[:2]] == [True, True]


async def test_a_supersede_that_would_be_refused_closes_nothing(autojump_clock):
    async with open_rig(limits=Limits(audience=1)) as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, id = await opened(rig, audience=[ana], key="k")
        refused, _ = await opened(rig, audience=[ana, bo], key="k")
        with pytest.raises(LimitExceeded):
            await refused.wait()
        assert said(ana, True, id) is None
        assert (await asking.wait()).answer is True


# --- asking again ---------------------------------------------------------------------------------------------------


@rule("Q-KEY-6")
async def test_ask_again_needs_a_key():
    with pytest.raises(TypeError, match="key"):
        await ask_again(None, DEPLOY, audience=[ANA])


@rule("Q-KEY-6")
async def test_ask_again_gets_the_answer_through_any_number_of_crashes(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        for seconds in (1, 8, 15):
            rig.at(seconds, crash, rig)
        rig.at(25, ana.answer, True)
        answered = await ask_again(asker, DEPLOY, key="k", audience=[ANA])
        assert (answered.answer, rig.now) == (True, 25)
        assert len(rig.reports) == 2, "one question, opened once and settled once"


@rule("Q-KEY-6", "Q-KEY-4")
async def test_ask_again_gets_an_answer_that_was_given_while_it_was_away(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        rig.at(1, lambda: (crash(rig), said(ana, False)))
        answered = await ask_again(asker, DEPLOY, key="k", audience=[ANA])
        assert answered.answer is False
        assert 1 < rig.now <= 1.05


@rule("Q-KEY-6")
async def test_the_deadline_of_ask_again_is_that_of_the_first_try(autojump_clock):
    async with open_rig(linger=0) as rig:
        asker = await rig.asker()
        rig.at(40, crash, rig)
        with pytest.raises(Expired):
            await ask_again(asker, DEPLOY, key="k", audience=[ANA], timeout=60)
        assert rig.now == pytest.approx(60)


@rule("Q-KEY-6", "Q-ASK-3")
@pytest.mark.parametrize("at", [0.0, 0.1, 12.345])
async def test_the_deadline_of_ask_again_beats_an_outer_timeout_set_for_the_same_instant(autojump_clock, at):
    async with open_rig() as rig:
        asker = await rig.asker()
        await rig.until(at)
        with trio.fail_after(100):
            answered = await ask_again(asker, DEPLOY, key="k", audience=[ANA], timeout=100, default=False)
        assert answered.automatic


@rule("Q-KEY-6")
async def test_a_fenced_scope_is_asked_again_until_it_opens(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        await rig.host.fence(rig.scope, timeout=0)
        rig.at(20, rig.host.unfence, rig.scope)
        rig.at(40, ana.answer, True)
        assert (await ask_again(asker, DEPLOY, key="k", audience=[ANA])).answer is True


@rule("Q-KEY-6")
async def test_the_pauses_of_ask_again_grow_to_five_seconds(autojump_clock):
    async with open_rig() as rig:
        tries = []
        asker = _Failing(await rig.asker(), tries)
        with trio.move_on_after(300):
            await ask_again(asker, DEPLOY, key="k", audience=[ANA])
        pauses = [later - earlier for earlier, later in zip(tries, tries[1:], strict=False)]
        assert 0 < pauses[0] <= 0.05
        assert max(pauses) <= 5
        assert all(2.5 <= pause for pause in pauses[10:])


@rule("Q-KEY-6")
async def test_cancelling_ask_again_withdraws_the_question(autojump_clock):
    async with open_rig() as rig:
        asker = await rig.asker()
        rig.at(1, crash, rig)
        with trio.move_on_after(10):
            await ask_again(asker, DEPLOY, key="k", audience=[ANA])
        assert endings(rig) == ["withdrawn"]
        assert_nothing_is_left(rig)


@rule("Q-KEY-6")
@pytest.mark.parametrize("bad", [{"timeout": 0}, {"policy": Quorum(2)}, {"key": ""}])
async def test_ask_again_does_not_repeat_what_repeating_cannot_help(autojump_clock, bad):
    async with open_rig() as rig:
        asker = await rig.asker()
        with pytest.raises((InvalidAsk, InvalidPolicy)):
            await ask_again(asker, DEPLOY, **{"key": "k", "audience": [ANA], **bad})
        assert rig.now == 0


@rule("Q-KEY-2", "Q-KEY-6")
async def test_a_later_try_gets_superseded_rather_than_supersede(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        rig.at(1, lambda: (crash(rig), rig.ask(Confirm("Newer?"), audience=[ana], key="k", asker=asker)))
        with pytest.raises(Superseded):
            await ask_again(asker, DEPLOY, key="k", audience=[ANA])
        assert [one.question.message for one in ana.see()] == ["Newer?"]


class _Failing:
    """An asker whose store is always away; notes when it was asked."""

    def __init__(self, asker, tries):
        self.now = asker.now
        self._tries = tries

    async def ask_as(self, request):
        self._tries.append(trio.current_time())
        raise StoreClosed("away")
