"""Faults that users of other systems have met: settling, the identity of a question, races."""

import pytest
import trio

from questions import All, Confirm, NoLongerActive, NotInAudience, Option, Select, Superseded, Text, UnknownQuestion
from questions.testing import open_rig
from tests.questions.steps import DEPLOY, assert_nothing_is_left, endings, opened, said, state
from tests.rules import rule


@rule("Q-SET-4", "Q-TYPE-1")
async def test_questions_asked_in_parallel_have_ids_of_their_own_and_no_answer_reaches_another(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        got = {}

        async def ask(asker, message):
            got[message] = (await asker.ask(Text(message), audience=[ana.principal])).answer

        async with trio.open_nursery() as nursery:
            asker = await rig.asker()
            for message in ("circle?", "square?", "triangle?"):
                nursery.start_soon(ask, asker, message)
            await rig.quiet()
            ids = {one.question.message: one.id for one in ana.see()}
            for message, answer in [("triangle?", "t"), ("circle?", "c"), ("square?", "s")]:
                assert said(ana, answer, ids[message]) is None
        assert len(set(ids.values())) == 3
        assert got == {"circle?": "c", "square?": "s", "triangle?": "t"}


@rule("Q-SET-3", "Q-AUTH-2")
async def test_an_id_that_never_was_one_that_is_settled_and_one_of_others_are_told_apart(autojump_clock):
    """Save that who may not view a question is not told that it exists."""
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        _, settled = await opened(rig, audience=[ana, bo])
        said(ana, True, settled)
        _, others = await opened(rig, audience=[ana])
        refusals = [said(bo, True, id) for id in ("q_unknown", settled, others)]
        assert [type(refusal) for refusal in refusals] == [UnknownQuestion, NoLongerActive, UnknownQuestion]
        assert str(refusals[0]).replace("q_unknown", others) == str(refusals[2])


@rule("Q-AUTH-2")
async def test_one_who_may_view_a_question_and_not_answer_it_is_told_so(autojump_clock):
    async with open_rig(may_view=lambda principal, scope: "all") as rig:
        ana, bo = await rig.people("ana", "bo")
        _, others = await opened(rig, audience=[ana])
        assert isinstance(said(bo, True, others), NotInAudience)


@rule("Q-SET-6")
async def test_cancelled_work_takes_its_question_along_and_viewers_are_told_why(autojump_clock):
    async with open_rig() as rig:
        (bo,) = await rig.people("bo")
        stream = bo.viewer.open.differences()
        asking, id = await opened(rig, audience=[bo])
        assert list((await anext(stream)).put) == [id]
        rig.at(4, asking.cancel)
        assert (await anext(stream)).drop == {id: "withdrawn"}
        assert (rig.now, len(bo.viewer.open.value)) == (4, 0)
        await rig.until(4.001)
        assert said(bo, True, id).how == "withdrawn"


@rule("Q-SET-6")
async def test_the_ask_that_lost_a_race_against_other_work_leaves_at_once(autojump_clock):
    """A login: a callback comes at 12, while a person is asked for the pasted code."""
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        async with trio.open_nursery() as nursery:

            async def callback():
                await rig.until(12)
                nursery.cancel_scope.cancel()

            nursery.start_soon(callback)
            await asker.ask(Text("Code?", secret=True), audience=[ana.principal], timeout=300)
        assert (rig.now, ana.see(), endings(rig)) == (12, [], ["withdrawn"])
        assert_nothing_is_left(rig)


@rule("Q-KEY-1", "Q-KEY-2")
async def test_retries_with_one_key_are_one_question_and_another_question_replaces_it(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        askings = [(await opened(rig, audience=[ana], key="tool-42"))[0] for _ in range(4)]
        assert len(ana.see()) == 1
        other, _ = await opened(rig, Confirm("Delete?"), audience=[ana], key="tool-42")
        assert [one.question.message for one in ana.see()] == ["Delete?"]
        for asking in askings:
            with pytest.raises(Superseded):
                await asking.wait()
        assert other.outcome is None


@rule("Q-KEY-1")
async def test_four_retries_with_one_key_get_the_same_result(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        askings = [(await opened(rig, audience=[ana], key="tool-42"))[0] for _ in range(4)]
        said(ana, True)
        results = [await asking.wait() for asking in askings]
        assert results == [results[0]] * 4
        assert len(rig.reports) == 2


@rule("Q-TYPE-3")
@pytest.mark.parametrize(
    ("question", "answer"),
    [(DEPLOY, False), (Text("Why?"), ""), (Select("Where?", [Option("0", "Nowhere")]), "0")],
)
async def test_false_zero_and_empty_settle_and_count_for_all(autojump_clock, question, answer):
    async with open_rig() as rig:
        ana, bo = await rig.people("ana", "bo")
        first, _ = await opened(rig, question, audience=[ana])
        everybody, _ = await opened(rig, question, audience=[ana, bo], policy=All())
        for person in (ana, ana, bo):
            assert said(person, answer) is None
        assert (await first.wait()).answer == answer
        assert (await everybody.wait()).unanimous(answer)
        assert state(rig)["open"] == []
