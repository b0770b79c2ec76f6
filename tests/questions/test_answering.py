"""Answering: what is refused and why, and what a refusal leaves behind."""

import pytest
import trio.testing

from facets import Principal
from questions import (
    All,
    Confirm,
    First,
    Forbidden,
    InvalidAnswer,
    Limits,
    NoLongerActive,
    NotInAudience,
    Option,
    OwnerScope,
    Quorum,
    Select,
    SessionScope,
    Text,
    Unavailable,
    UnknownQuestion,
)
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, crash, names, opened, said, state, store_of, team
from tests.rules import rule

WHERE = Select("Where?", [Option("0", "Nowhere"), Option("eu", "Europe")])
LONG_ENOUGH = Text("Why?", min_length=3, max_bytes=6)


@rule("Q-ASK-3")
async def test_a_local_answer_has_no_checkpoint(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        _, id = await opened(rig, audience=[ana, bo], policy=All())
        with trio.testing.assert_no_checkpoints():
            await ana.viewer.answer(id, True)
            await bo.viewer.answer(id, True)


@rule("Q-ASK-1")
async def test_an_answer_counts_when_answer_returns(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        _, id = await opened(rig, audience=[ana, bo], policy=All())
        await ana.viewer.answer(id, True)
        assert names(bo.see()[0].answered) == ["ana"]


@rule("Q-TYPE-3")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (DEPLOY, 1), (DEPLOY, 0), (DEPLOY, "yes"), (DEPLOY, "true"), (DEPLOY, ""), (DEPLOY, None),
        (WHERE, "us"), (WHERE, "Europe"), (WHERE, ""), (WHERE, 0), (WHERE, ["eu"]), (WHERE, None),
        (LONG_ENOUGH, "ab"), (LONG_ENOUGH, "abcdefg"), (LONG_ENOUGH, "äöüß"), (LONG_ENOUGH, b"abc"),
        (LONG_ENOUGH, None), (LONG_ENOUGH, 12345), (LONG_ENOUGH, "ab\ud800"), (Text("Why?"), "x" * 65537),
    ],
)  # fmt: skip
async def test_an_answer_that_does_not_fit_changes_nothing(autojump_clock, question, answer):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, id = await opened(rig, question, audience=[ana, bo], policy=All())
        bo.see()
        before = state(rig), bo.viewer.open.version
        assert isinstance(said(ana, answer, id), InvalidAnswer)
        assert (state(rig), bo.viewer.open.version, asking.outcome) == (*before, None)


@rule("Q-TYPE-3")
async def test_after_a_refused_answer_the_same_person_may_answer(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, id = await opened(rig, LONG_ENOUGH, audience=[ana])
        assert isinstance(said(ana, "no", id), InvalidAnswer)
        assert said(ana, "yes", id) is None
        assert (await asking.wait()).answer == "yes"


@rule("Q-TYPE-3")
@pytest.mark.parametrize(("question", "answer"), [(DEPLOY, False), (Text("Why?"), ""), (WHERE, "0")])
@pytest.mark.parametrize("policy", [First(), Quorum(1), All()])
async def test_false_empty_and_zero_are_answers(autojump_clock, question, answer, policy):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asking, _ = await opened(rig, question, audience=[ana], policy=policy)
        assert said(ana, answer) is None
        result = await asking.wait()
        assert (result if policy == First() else result.answers[0]).answer == answer


# --- late, second, unknown ------------------------------------------------------------------------------------------


async def answered(rig, ana, bo):
    asking, id = await opened(rig, audience=[ana, bo])
    said(ana, True, id)
    await asking.wait()
    return id


async def expired(rig, ana, bo):
    _, id = await opened(rig, audience=[ana, bo], timeout=60)
    await rig.until(rig.now + 60)
    return id


async def withdrawn(rig, ana, bo):
    asking, id = await opened(rig, audience=[ana, bo])
    asking.cancel()
    await rig.quiet()
    return id


async def superseded(rig, ana, bo):
    _, id = await opened(rig, audience=[ana, bo], key="k")
    await opened(rig, Confirm("Something else?"), audience=[ana, bo], key="k")
    return id


async def closed(rig, ana, bo):
    _, id = await opened(rig, audience=[ana, bo])
    store_of(rig).close_scope(rig.scope)
    return id


ENDS = [answered, expired, withdrawn, superseded, closed]


@rule("Q-SET-3")
@pytest.mark.parametrize("end", ENDS)
async def test_a_late_answer_is_told_how_the_question_ended(autojump_clock, end):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        id = await end(rig, ana, bo)
        refusal = said(bo, False, id)
        assert isinstance(refusal, NoLongerActive)
        assert (refusal.id, refusal.how, refusal.answered_by_me) == (id, end.__name__, False)
        assert names(refusal.by) == (["ana"] if end is answered else [])


@rule("Q-SET-3")
async def test_a_second_answer_after_the_end_says_that_the_first_one_was_mine(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        id = await answered(rig, ana, bo)
        refusal = said(ana, False, id)
        assert (refusal.how, refusal.answered_by_me) == ("answered", True)


@rule("Q-SET-3")
@pytest.mark.parametrize("second", [True, False, "garbage"])
async def test_a_second_answer_to_an_open_question_is_refused_and_the_first_stands(autojump_clock, second):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, id = await opened(rig, audience=[ana, bo], policy=All())
        said(ana, True, id)
        refusal = said(ana, second, id)
        assert isinstance(refusal, NoLongerActive)
        assert (refusal.how, refusal.answered_by_me) == ("already_answered", True)
        said(bo, True, id)
        assert (await asking.wait()).unanimous(True)


@rule("Q-POL-6")
async def test_a_second_device_of_the_same_person_counts_no_second_time(autojump_clock):
    async with open_rig() as rig:
        phone, laptop, bo = await rig.people("ana", "ana", "bo")
        asking, id = await opened(rig, audience=[phone, bo], policy=Quorum(2))
        assert said(phone, True, id) is None
        assert said(laptop, True, id).how == "already_answered"
        assert laptop.see()[0].answered_by_me
        said(bo, True, id)
        assert names(one.by for one in (await asking.wait()).answers) == ["ana", "bo"]


@rule("Q-SET-3", "Q-AUTH-2")
async def test_an_unknown_id_and_one_that_may_not_be_viewed_cannot_be_told_apart(autojump_clock):
    async with open_rig() as rig:
        ana, cy = await rig.people("ana", "cy")
        _, open_id = await opened(rig, audience=[ana])
        ended_id = await answered(rig, ana, ana)
        for id in (open_id, ended_id, "q_never_1"):
            refusal = said(cy, True, id)
            assert isinstance(refusal, UnknownQuestion)
            assert str(refusal) == str(UnknownQuestion(id))


@rule("Q-AUTH-2")
@pytest.mark.parametrize("end", ENDS)
async def test_an_outsider_is_told_nothing_of_what_has_ended(autojump_clock, end):
    async with open_rig() as rig:
        ana, bo, cy = await rig.people("ana", "bo", "cy")
        assert isinstance(said(cy, True, await end(rig, ana, bo)), UnknownQuestion)


@rule("Q-AUTH-2")
async def test_one_who_has_left_is_told_that_it_is_not_theirs(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        members = team(ana, bo)
        _, id = await opened(rig, audience=members)
        members.set((ana.principal,))
        await rig.quiet()
        assert isinstance(said(bo, True, id), NotInAudience)
        said(ana, True, id)
        assert isinstance(said(bo, True, id), NotInAudience), "after the end too"


@rule("Q-AUTH-2")
async def test_one_who_has_left_and_come_back_may_answer(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        members = team(ana, bo)
        asking, id = await opened(rig, audience=members)
        members.set((ana.principal,))
        await rig.quiet()
        members.set((ana.principal, bo.principal))
        assert said(bo, True, id) is None
        assert (await asking.wait()).by.name == "bo"


@rule("Q-AUTH-2")
@pytest.mark.parametrize("end", ENDS)
async def test_an_overseer_outside_the_audience_may_not_answer_open_or_ended(autojump_clock, end):
    async with open_rig(may_view=lambda principal, scope: "all" if principal.id == "boss" else "own") as rig:
        ana, bo, boss = await rig.people("ana", "bo", "boss")
        _, open_id = await opened(rig, audience=[ana, bo])
        for id in (open_id, await end(rig, ana, bo)):
            refusal = said(boss, True, id)
            assert isinstance(refusal, NotInAudience)
            assert isinstance(refusal, Forbidden)


@rule("Q-AUTH-2")
async def test_an_id_of_another_scope_is_unknown_here(autojump_clock):
    async with open_rig() as rig:
        ana = rig.person("ana")
        await ana.join(SessionScope("elsewhere"))
        _, open_id = await opened(rig, audience=[ana])
        assert isinstance(said(ana, True, open_id), UnknownQuestion)
        crash(rig)  # which closes it
        assert isinstance(said(ana, True, open_id), UnknownQuestion)


@pytest.mark.parametrize("id", [None, 5, b"q_1", ["q_1"], {}, "", "q" * 10_000], ids=str)
async def test_an_id_that_is_none_is_unknown(autojump_clock, id):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        await opened(rig, audience=[ana])
        with pytest.raises(UnknownQuestion) as refused:
            await ana.viewer.answer(id, True)
        assert len(str(refused.value)) < 300


@rule("Q-SET-3")
async def test_how_a_question_ended_is_forgotten_after_a_while(autojump_clock):
    async with open_rig(retain=100) as rig:
        ana, bo = await rig.people("ana", "bo")
        id = await answered(rig, ana, bo)
        await rig.until(99.9)
        assert isinstance(said(bo, True, id), NoLongerActive)
        await rig.until(100)
        assert isinstance(said(bo, True, id), UnknownQuestion)


@rule("Q-SET-3")
async def test_of_a_flood_of_questions_only_the_newest_endings_are_remembered(autojump_clock):
    async with open_rig(limits=Limits(endings=2)) as rig:
        ana, bo = await rig.people("ana", "bo")
        first, second, third = [await answered(rig, ana, bo) for _ in range(3)]
        assert isinstance(said(bo, True, first), UnknownQuestion)
        assert said(bo, True, second).how == said(bo, True, third).how == "answered"


async def test_a_viewer_that_has_been_released_answers_nothing(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        asking, id = await opened(rig, audience=[ana, bo])
        ana.leave()
        assert isinstance(said(ana, True, id), Unavailable)
        assert asking.outcome is None


async def test_answers_in_an_owners_scope_come_from_its_owner(autojump_clock):
    scope = OwnerScope(Principal.user("ana"))
    async with open_rig(scope=scope) as rig:
        (ana,) = await rig.people("ana")
        asking, _ = await opened(rig, audience=[ana])
        said(ana, True)
        assert (await asking.wait()).by.principal == scope.owner


# --- secrets --------------------------------------------------------------------------------------------------------


@rule("Q-SEC-1")
async def test_a_secret_answer_is_in_the_askers_result_and_nowhere_else(autojump_clock, caplog):
    caplog.set_level(0)
    async with open_rig(may_view=lambda principal, scope: "all") as rig:
        ana, boss = await rig.people("ana", "boss")
        asking, id = await opened(rig, Text("Code?", secret=True, max_bytes=10), audience=[ana], key="k")
        shown = [repr(ana.see()), repr(said(ana, "hunter2-too-long", id))]
        said(ana, "hunter2", id)
        result = await asking.wait()
        shown += [repr(result), repr(rig.reports), repr(rig.host.describe()), repr(boss.viewer.closed.value)]
        shown += [repr(said(ana, "hunter2", id)), caplog.text, repr(store_of(rig).endings.of_id(id, 0))]
        assert result.answer == "hunter2"
        assert "hunter2" not in " ".join(shown)


@rule("Q-SEC-1")
async def test_the_secret_answers_of_several_are_in_no_view_of_the_others(autojump_clock):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        _, id = await opened(rig, Text("Code?", secret=True), audience=[ana, bo], policy=All())
        said(ana, "hunter2", id)
        [open_question] = bo.see()
        assert names(open_question.answered) == ["ana"]
        assert "hunter2" not in repr(open_question) + repr(rig.host.describe()) + repr(rig.host.waiting.value)
